import { z } from "zod";
import { limitsView } from "../account.ts";
import type { Endpoint } from "../endpoint.ts";
import { done, email, id, instant, multiplier, price, usd, usdGiven } from "../form.ts";
import { billing, dialect } from "../groups.ts";

const tier = z.strictObject({
  above_tokens: z.number().int().positive(),
  input: price,
  output: price,
  cache_read: price,
  cache_write_5m: price,
  cache_write_1h: price,
});

/** USD per million tokens; `request` per call. */
export const listPrice = z.strictObject({
  input: price,
  output: price,
  cache_read: price,
  cache_write_5m: price,
  cache_write_1h: price,
  request: price,
  tiers: z.array(tier).max(8),
});

export const operatorModel = z.strictObject({
  id: z.string(),
  name: z.string(),
  context_tokens: z.number().int().nullable(),
  max_output_tokens: z.number().int().nullable(),
  /** Null: it is refused until it has one. */
  price: listPrice.nullable(),
  price_since: instant.nullable(),
  upstreams: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      upstream_model: z.string(),
      speaks: z.array(dialect),
    }),
  ),
  groups: z.array(z.string()),
});

const modelFields = {
  context_tokens: z.number().int().positive().nullable().optional(),
  max_output_tokens: z.number().int().positive().nullable().optional(),
  price: listPrice.optional(),
};

export const priceChange = z.strictObject({
  model: z.string(),
  before: listPrice.nullable(),
  after: listPrice,
});

export const operatorGroup = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  multiplier,
  models: z.array(z.string()),
  /** What the patterns match now. */
  matches: z.array(z.string()),
  billing,
  /** Null: everybody may use it. */
  accounts: z.array(z.string()).nullable(),
  /** For each of its keys, where the key sets none of its own. */
  limits: limitsView,
  keys: z.number().int(),
  /** How many accounts these keys belong to. */
  holders: z.number().int(),
});

const patterns = z.array(z.string().min(1).max(200)).max(1_000);
const count = z.number().int().min(1).max(1_000_000_000).nullable().optional();
const spend = usdGiven.nullable().optional();
/** All of them: what is left out, or null, is no limit. */
const limitsGiven = z.strictObject({
  requests_per_minute: count,
  tokens_per_minute: count,
  concurrency: count,
  spend_per_day_usd: spend,
  spend_per_week_usd: spend,
  spend_per_month_usd: spend,
});
const groupFields = {
  name: z.string().min(1).max(100),
  description: z.string().max(500).optional(),
  enabled: z.boolean().optional(),
  multiplier: multiplier.optional(),
  models: patterns.optional(),
  billing: billing.optional(),
  accounts: z.array(email).max(10_000).nullable().optional(),
  limits: limitsGiven.optional(),
};

export const plan = z.strictObject({
  id: z.string(),
  name: z.string(),
  groups: z.array(z.string()),
  quota_usd: usd,
  window: z.enum(["day", "week", "month", "total"]),
  holders: z.array(
    z.strictObject({
      account: z.string(),
      email: z.string(),
      /** By which it is ended. */
      subscription: z.string(),
      until: instant.nullable(),
      left_usd: usd,
    }),
  ),
});

const planFields = {
  name: z.string().min(1).max(100),
  groups: z.array(z.string()).min(1).max(1_000),
  quota_usd: usdGiven,
  window: z.enum(["day", "week", "month", "total"]),
};

export const whatIf = z.strictObject({
  from: instant,
  to: instant,
  requests: z.number().int(),
  /** Null: every request of the time. Else so many parts of it, evenly spread, were looked at. */
  sample: z.strictObject({ parts: z.number().int(), of: z.number().int() }).nullable(),
  before_usd: usd,
  after_usd: usd,
  by_account: z.array(z.strictObject({ email: z.string(), before_usd: usd, after_usd: usd })),
  by_model: z.array(z.strictObject({ model: z.string(), before_usd: usd, after_usd: usd })),
});

export const catalogueEndpoints = {
  "GET /operator/models": {
    access: "operator",
    summary: "Every model, also those without a price",
    answer: z.strictObject({ models: z.array(operatorModel) }),
  },
  "POST /operator/models": {
    access: "operator",
    summary: "Makes a model",
    body: z.strictObject({ name: z.string().min(1).max(200), ...modelFields }),
    answer: operatorModel,
  },
  "PATCH /operator/models/{id}": {
    access: "operator",
    summary: "Changes a model; a price becomes a new version, at once or from a time to come",
    body: z.strictObject({ ...modelFields, price_from: instant.optional() }),
    answer: operatorModel,
  },
  "DELETE /operator/models/{id}": {
    access: "operator",
    summary: "Removes a model that no upstream serves; its prices stay for the receipts",
    answer: done,
  },
  "GET /operator/models/{id}/prices": {
    access: "operator",
    summary: "Every version of its price, newest first",
    answer: z.strictObject({
      versions: z.array(z.strictObject({ id: z.string(), since: instant, price: listPrice })),
      /** Those that begin later, the next one first. */
      planned: z.array(z.strictObject({ id: z.string(), from: instant, price: listPrice, by: z.string() })),
    }),
  },
  "DELETE /operator/models/{id}/prices/{price}": {
    access: "operator",
    summary: "Takes back a price that has not begun",
    answer: done,
  },
  "POST /operator/prices/compare": {
    access: "operator",
    summary: "What a catalogue of prices would change: the shipped one, or one that is given",
    body: z.strictObject({ catalogue: z.string().max(3_000_000).optional() }),
    // A list as genai-prices publishes it, whole.
    bytesMax: 4 * 1024 * 1024,
    answer: z.strictObject({
      dated: z.string(),
      changes: z.array(priceChange),
      unknown: z.array(z.string()),
    }),
  },
  "POST /operator/prices/import": {
    access: "operator",
    summary: "Takes over the prices that were confirmed",
    body: z.strictObject({
      prices: z
        .array(z.strictObject({ model: z.string(), price: listPrice }))
        .min(1)
        .max(1_000),
    }),
    answer: z.strictObject({ changed: z.number().int() }),
  },
  "GET /operator/groups": {
    access: "operator",
    summary: "Every group",
    answer: z.strictObject({ groups: z.array(operatorGroup) }),
  },
  "POST /operator/groups": {
    access: "operator",
    summary: "Makes a group",
    body: z.strictObject(groupFields),
    answer: operatorGroup,
  },
  "PATCH /operator/groups/{id}": {
    access: "operator",
    summary: "Changes a group",
    body: z.strictObject({ ...groupFields, name: groupFields.name.optional() }),
    answer: operatorGroup,
  },
  "DELETE /operator/groups/{id}": {
    access: "operator",
    summary: "Removes a group that no key is in",
    answer: done,
  },
  "POST /operator/groups/preview": {
    access: "operator",
    summary: "What patterns match",
    body: z.strictObject({ models: patterns }),
    answer: z.strictObject({
      matches: z.array(z.strictObject({ model: z.string(), by: z.string() })),
      idle: z.array(z.string()),
    }),
  },
  "POST /operator/what-if": {
    access: "operator",
    summary:
      "Last week's traffic, or the last thirty days', under another multiplier or price, before it is saved",
    body: z.strictObject({
      days: z.union([z.literal(7), z.literal(30)]).optional(),
      group: z.strictObject({ id, multiplier }).optional(),
      model: z.strictObject({ id, price: listPrice }).optional(),
    }),
    answer: whatIf,
  },
  "GET /operator/plans": {
    access: "operator",
    summary: "Every plan and who has it",
    answer: z.strictObject({ plans: z.array(plan) }),
  },
  "POST /operator/plans": {
    access: "operator",
    summary: "Makes a plan",
    body: z.strictObject(planFields),
    answer: plan,
  },
  "PATCH /operator/plans/{id}": {
    access: "operator",
    summary: "Changes a plan",
    body: z.strictObject({
      name: planFields.name.optional(),
      groups: planFields.groups.optional(),
      quota_usd: usdGiven.optional(),
      window: planFields.window.optional(),
    }),
    answer: plan,
  },
  "DELETE /operator/plans/{id}": {
    access: "operator",
    summary: "Removes a plan that nobody has",
    answer: done,
  },
} as const satisfies Record<string, Endpoint>;
