import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { instant, usd } from "../form.ts";

/** What an operator should look at, the gravest first. */
export const attention = z.strictObject({
  kind: z.enum([
    "credential_rejected",
    "breaker_open",
    "model_unpriced",
    "model_unserved",
    "balance_low",
    "books_disagree",
    "audit_broken",
    "backup_missing",
    "registration_open",
    "webhook_failing",
  ]),
  gravity: z.enum(["bad", "warn", "info"]),
  /** What it is about: an upstream, a model, an account. */
  name: z.string().nullable(),
  id: z.string().nullable(),
  since: instant.nullable(),
  /** A number that belongs to it, such as what is left or how many. */
  figure: z.string().nullable(),
});

const figures = z.strictObject({
  requests: z.number().int(),
  refused: z.number().int(),
  failed: z.number().int(),
  tokens: z.number().int(),
  /** What accounts were charged. */
  revenue_usd: usd,
  /** What the upstreams ask for it: list price by the upstream's own cost multiplier. */
  cost_usd: usd,
});

const top = z.array(
  z.strictObject({ id: z.string(), name: z.string(), requests: z.number().int(), revenue_usd: usd }),
);

export const overview = z.strictObject({
  attention: z.array(attention),
  totals: figures,
  /** The range before it, of the same length. */
  before: figures,
  first_byte_ms: z.number().nullable(),
  running: z.number().int(),
  instances: z.number().int(),
  bucket: z.enum(["hour", "day"]),
  buckets: z.array(instant),
  series: z.strictObject({
    requests: z.array(z.number().int()),
    errors: z.array(z.number().int()),
    revenue_usd: z.array(usd),
    cost_usd: z.array(usd),
  }),
  upstreams: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      state: z.enum(["ok", "resting", "rejected", "paused", "unused"]),
      success_rate: z.number().nullable(),
      /** The median, and what one of twenty is slower than. */
      first_byte_ms: z.number().nullable(),
      first_byte_p95_ms: z.number().nullable(),
      requests: z.number().int(),
    }),
  ),
  top_keys: top,
  top_models: top,
  top_accounts: top,
});

export const overviewEndpoints = {
  "GET /operator/overview": {
    access: "operator",
    summary: "The whole house at a glance, and what needs attention first",
    query: z.strictObject({ range: z.enum(["day", "week", "month", "quarter", "year"]) }),
    answer: overview,
  },
} as const satisfies Record<string, Endpoint>;
