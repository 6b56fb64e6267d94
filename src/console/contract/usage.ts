import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { instant, multiplier, pageQuery, price, usd } from "./form.ts";

export const operation = z.enum([
  "chat",
  "responses",
  "messages",
  "completions",
  "embeddings",
  "images",
  "speech",
  "transcriptions",
]);

export const usageState = z.enum(["open", "settled", "voided", "interrupted", "refused"]);

/** How a request ended, for people: `running`, `ok`, `stopped` by the client, `failed`, `refused`. */
export const outcome = z.enum(["running", "ok", "stopped", "failed", "refused"]);

export const tokens = z.strictObject({
  input: z.number().int(),
  cache_read: z.number().int(),
  cache_write: z.number().int(),
  output: z.number().int(),
  /** Part of the output. */
  reasoning: z.number().int(),
});

export const usageRow = z.strictObject({
  id: z.string(),
  at: instant,
  key: z.strictObject({ id: z.string(), name: z.string() }),
  model: z.string(),
  operation,
  stream: z.boolean(),
  tool: z.string(),
  address: z.string(),
  state: usageState,
  outcome,
  status: z.number().int().nullable(),
  /** A reason of docs/errors.md. */
  reason: z.string().nullable(),
  tokens,
  cost_usd: usd,
  is_estimated: z.boolean(),
  duration_ms: z.number().nullable(),
  first_byte_ms: z.number().nullable(),
  /** How many identical refusals in a row this line stands for, and when the first of them was. */
  repeated: z.strictObject({ count: z.number().int(), since: instant }).nullable(),
});

export const receipt = z.strictObject({
  row: usageRow,
  /** The client's user agent, whole; a row's tool is its name alone. */
  agent: z.string(),
  /** Empty where nothing was used. */
  lines: z.array(
    z.strictObject({
      kind: z.enum(["input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "request"]),
      quantity: z.number().int(),
      /** Per million tokens, or per call. */
      price_usd: price,
      amount_usd: z.string(),
    }),
  ),
  /** The sum before the multiplier. */
  price_usd: z.string(),
  group: z.string(),
  multiplier: multiplier.nullable(),
  cost_usd: usd,
  /** Given back later. */
  refunded_usd: usd,
  pocket: z.strictObject({ kind: z.enum(["balance", "subscription"]), name: z.string() }).nullable(),
  held_usd: usd,
  held_at: instant.nullable(),
  settled_at: instant.nullable(),
  source: z.enum(["reported", "estimated", "clamped"]).nullable(),
  price_version: z.strictObject({ id: z.string(), since: instant }).nullable(),
  refusal: z
    .strictObject({ reason: z.string(), cause: z.string(), message: z.string(), remedy: z.string() })
    .nullable(),
});

/** Single requests from before are kept no longer, though their sums are; null where all of them are kept. */
export const keptFrom = instant.nullable();

/** Of every list, chart and export alike. Times are ISO 8601; `to` is not included. */
const filter = {
  key: z.string().max(64).optional(),
  model: z.string().max(256).optional(),
  outcome: outcome.optional(),
  tool: z.string().max(128).optional(),
  from: instant.optional(),
  to: instant.optional(),
};

export const usageSummary = z.strictObject({
  totals: z.strictObject({
    requests: z.number().int(),
    refused: z.number().int(),
    failed: z.number().int(),
    cost_usd: usd,
    tokens,
    /** Median over the newest requests of the range; null where there are none. */
    first_byte_ms: z.number().nullable(),
  }),
  /** One for each bar: an hour where the range is a day or less, else a day, in UTC; none is left out. */
  buckets: z.array(instant),
  bucket: z.enum(["hour", "day"]),
  /** The largest of the range, the rest together under the name null. */
  series: z.array(
    z.strictObject({
      name: z.string().nullable(),
      id: z.string().nullable(),
      cost_usd: z.array(usd),
      requests: z.array(z.number().int()),
      errors: z.array(z.number().int()),
      tokens: z.array(z.number().int()),
    }),
  ),
});

export const usageEndpoints = {
  "GET /usage": {
    access: "session",
    summary: "Every request, refused ones too, newest first; `after` gives what came since",
    query: z.strictObject({ ...filter, ...pageQuery, after: z.string().max(64).optional() }),
    answer: z.strictObject({ rows: z.array(usageRow), next: z.string().nullable(), kept_from: keptFrom }),
  },
  "GET /usage/names": {
    access: "session",
    summary: "What can be filtered by: keys, models and tools that were seen",
    answer: z.strictObject({
      keys: z.array(z.strictObject({ id: z.string(), name: z.string(), is_deleted: z.boolean() })),
      models: z.array(z.string()),
      tools: z.array(z.string()),
    }),
  },
  "GET /usage/summary": {
    access: "session",
    summary: "Totals and charts, from what is summed up at settlement",
    query: z.strictObject({ ...filter, by: z.enum(["key", "model"]).optional() }),
    answer: usageSummary,
  },
  "GET /usage/export": {
    access: "session",
    summary: "The rows as a file that streams",
    query: z.strictObject({ ...filter, format: z.enum(["csv", "json"]) }),
    answer: null,
  },
  "GET /usage/{id}": { access: "session", summary: "The receipt of one request", answer: receipt },
} as const satisfies Record<string, Endpoint>;
