import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { multiplier, price, usd } from "./form.ts";

export const dialect = z.enum(["chat", "responses", "messages"]);
export const billing = z.enum(["balance", "subscription", "subscription-first"]);

/** After the group's multiplier; USD per million tokens, `request` per call. */
export const effectivePrice = z.strictObject({
  input: price,
  output: price,
  cache_read: price,
  cache_write_5m: price,
  cache_write_1h: price,
  request: price,
  /** Prices above a count of input tokens. */
  tiers: z.array(
    z.strictObject({
      above_tokens: z.number().int(),
      input: price,
      output: price,
      cache_read: price,
      cache_write_5m: price,
      cache_write_1h: price,
    }),
  ),
});

export const group = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** What it is for, as the operator says it. */
  description: z.string(),
  enabled: z.boolean(),
  multiplier,
  billing,
  /** Which pockets pay, in their order, and what is left in each now. */
  pockets: z.array(
    z.strictObject({ name: z.string(), kind: z.enum(["balance", "subscription"]), left_usd: usd }),
  ),
  models: z.array(z.strictObject({ name: z.string(), price: effectivePrice })),
});

export const model = z.strictObject({
  name: z.string(),
  /** All three are served; these are passed to an upstream as they are. */
  native_dialects: z.array(dialect),
  context_tokens: z.number().int().nullable(),
  max_output_tokens: z.number().int().nullable(),
  /** Whether an upstream serves it now. */
  is_served: z.boolean(),
  groups: z.array(z.strictObject({ id: z.string(), name: z.string(), multiplier, price: effectivePrice })),
});

export const groupEndpoints = {
  "GET /groups": {
    access: "session",
    summary: "The groups that a key may be in, with models, prices and who pays",
    answer: z.strictObject({ groups: z.array(group) }),
  },
  "GET /models": {
    access: "session",
    summary: "The live list of models, with the price in each group",
    answer: z.strictObject({ models: z.array(model) }),
  },
} as const satisfies Record<string, Endpoint>;
