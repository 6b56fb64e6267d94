import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { done, id, instant, multiplier, usd } from "../form.ts";
import { dialect } from "../groups.ts";
import { listPrice } from "./catalogue.ts";

const name = z.string().min(1).max(100);
const pairs = z
  .array(z.strictObject({ model: z.string().min(1).max(200), upstream_model: z.string().min(1).max(200) }))
  .max(5_000);

export const preset = z.strictObject({
  kind: z.string(),
  name: z.string(),
  base_url: z.string().nullable(),
  /** Whether an address has to be entered. */
  needs_base_url: z.boolean(),
  needs_key: z.boolean(),
  speaks: z.array(dialect),
  /** Where its keys are made. */
  keys_url: z.string().nullable(),
  note: z.string().nullable(),
});

export const credential = z.strictObject({
  id: z.string(),
  /** Enough to tell one from another; never the credential. */
  label: z.string(),
  state: z.enum(["ok", "rejected", "resting"]),
  since: instant.nullable(),
  until: instant.nullable(),
  why: z.string().nullable(),
});

export const upstream = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  base_url: z.string().nullable(),
  speaks: z.array(dialect),
  priority: z.number().int(),
  weight: z.number().int(),
  is_paused: z.boolean(),
  max_concurrency: z.number().int().nullable(),
  /** How often it is asked something small while nobody else asks; null is never. */
  probe_minutes: z.number().int().nullable(),
  /** What it costs us, as a part of the list price. */
  cost_multiplier: multiplier,
  models: pairs,
  credentials: z.array(credential),
  /** Of this instance. */
  running: z.number().int(),
  /** Of the last 24 hours. */
  health: z.strictObject({
    requests: z.number().int(),
    success_rate: z.number().nullable(),
    first_byte_ms: z.number().nullable(),
    first_byte_p95_ms: z.number().nullable(),
    tokens_per_second: z.number().nullable(),
    revenue_usd: usd,
    cost_usd: usd,
  }),
  /** The newest request that failed there in the last 24 hours. */
  last_error: z.strictObject({ at: instant, model: z.string(), why: z.string() }).nullable(),
  /** Models that rest there now, and why. */
  resting: z.array(
    z.strictObject({ model: z.string(), since: instant, until: instant.nullable(), why: z.string() }),
  ),
});

const fields = {
  name,
  base_url: z.string().max(2048).optional(),
  speaks: z.array(dialect).min(1).optional(),
  priority: z.number().int().min(0).max(1_000).optional(),
  weight: z.number().int().min(1).max(1_000).optional(),
  is_paused: z.boolean().optional(),
  max_concurrency: z.number().int().min(1).max(100_000).nullable().optional(),
  probe_minutes: z.number().int().min(1).max(1_440).nullable().optional(),
  cost_multiplier: multiplier.optional(),
};

const apiKey = z.string().min(1).max(8_192);

export const foundModel = z.strictObject({
  upstream_model: z.string(),
  /** The public name that is suggested for it. */
  model: z.string(),
  /** USD per million tokens; null where the catalogue does not know it. */
  price: listPrice.nullable(),
  context_tokens: z.number().int().nullable(),
  /** Whether a model of that public name is there already. */
  is_known: z.boolean(),
});

const looked = z.strictObject({
  base_url: z.string().nullable(),
  models: z.array(foundModel),
  problem: z.string().nullable(),
});

export const testResult = z.strictObject({
  ok: z.boolean(),
  model: z.string(),
  status: z.number().int().nullable(),
  first_byte_ms: z.number().nullable(),
  duration_ms: z.number(),
  answer: z.string().nullable(),
  /** What to change, where it failed. */
  problem: z.string().nullable(),
});

export const upstreamEndpoints = {
  "GET /operator/presets": {
    access: "operator",
    summary: "The providers that are known",
    answer: z.strictObject({ presets: z.array(preset) }),
  },
  "POST /operator/upstreams/look": {
    access: "operator-recent",
    summary: "Asks a provider for its models, before anything is saved",
    body: z.strictObject({
      kind: z.string().max(64),
      base_url: z.string().max(2048).optional(),
      api_key: apiKey.optional(),
    }),
    answer: looked,
  },
  "GET /operator/upstreams": {
    access: "operator",
    summary: "Every upstream with its health",
    answer: z.strictObject({ upstreams: z.array(upstream) }),
  },
  "POST /operator/upstreams": {
    access: "operator-recent",
    summary: "Connects an upstream; models that are new get the price given with them",
    body: z.strictObject({
      ...fields,
      kind: z.string().max(64),
      api_key: apiKey.optional(),
      models: z
        .array(
          z.strictObject({
            model: z.string().min(1).max(200),
            upstream_model: z.string().min(1).max(200),
            price: listPrice.partial({ request: true, tiers: true }).optional(),
            context_tokens: z.number().int().positive().optional(),
          }),
        )
        .max(5_000),
      /** False saves it without asking it anything. */
      check: z.boolean().optional(),
    }),
    answer: upstream,
  },
  "PATCH /operator/upstreams/{id}": {
    access: "operator",
    summary: "Changes an upstream; a new address or key needs a recent sign-in",
    body: z.strictObject({
      ...fields,
      name: name.optional(),
      models: pairs.optional(),
      /** In place of all that it has; needed with a new address. */
      api_key: apiKey.optional(),
    }),
    answer: upstream,
  },
  "DELETE /operator/upstreams/{id}": {
    access: "operator-recent",
    summary: "Removes an upstream; says which models nobody serves any more",
    answer: z.strictObject({ done: z.literal(true), unserved_models: z.array(z.string()) }),
  },
  "POST /operator/upstreams/order": {
    access: "operator",
    summary: "Sets the priorities by the order given; ids in a list of their own share one",
    body: z.strictObject({
      ids: z
        .array(z.union([id, z.array(id).min(1).max(1_000)]))
        .min(1)
        .max(1_000),
    }),
    answer: done,
  },
  "POST /operator/upstreams/{id}/look": {
    access: "operator",
    summary: "Asks an upstream that is connected for its models, with the key it has",
    body: z.strictObject({}),
    answer: looked,
  },
  "POST /operator/upstreams/{id}/test": {
    access: "operator",
    summary: "A short request to it: latency and answer",
    body: z.strictObject({ model: z.string().max(200).optional() }),
    answer: testResult,
  },
  "POST /operator/upstreams/{id}/reset": {
    access: "operator",
    summary: "Wakes what rests there",
    body: z.strictObject({}),
    answer: done,
  },
  "POST /operator/upstreams/{id}/credentials": {
    access: "operator-recent",
    summary: "Adds a credential",
    body: z.strictObject({ api_key: apiKey }),
    answer: upstream,
  },
  "DELETE /operator/upstreams/{id}/credentials/{credential}": {
    access: "operator-recent",
    summary: "Removes a credential",
    answer: upstream,
  },
  "GET /operator/upstreams/{id}/history": {
    access: "operator",
    summary: "What happened to it: rests, trials, rejections, and its newest errors",
    answer: z.strictObject({
      events: z.array(
        z.strictObject({
          at: instant,
          model: z.string().nullable(),
          credential: z.string().nullable(),
          what: z.string(),
          why: z.string().nullable(),
          until: instant.nullable(),
        }),
      ),
      errors: z.array(
        z.strictObject({
          at: instant,
          request_id: z.string(),
          model: z.string(),
          why: z.string(),
          ms: z.number(),
        }),
      ),
      hours: z.array(
        z.strictObject({
          at: instant,
          requests: z.number().int(),
          failed: z.number().int(),
          first_byte_ms: z.number().nullable(),
        }),
      ),
    }),
  },
} as const satisfies Record<string, Endpoint>;
