import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { done, id, instant, pageQuery } from "../form.ts";

/** One change: who, when, from where, and every field before and after; secrets left out. */
export const auditEntry = z.strictObject({
  number: z.number().int(),
  at: instant,
  by: z.string(),
  /** Where it came through. */
  through: z.enum(["console", "token", "command line", "apply", "start"]),
  address: z.string().nullable(),
  noun: z.string(),
  name: z.string(),
  id: z.string().nullable(),
  action: z.string(),
  fields: z.array(z.strictObject({ field: z.string(), before: z.string(), after: z.string() })),
});

const auditFilter = {
  by: z.string().max(255).optional(),
  noun: z.string().max(32).optional(),
  name: z.string().max(255).optional(),
  from: instant.optional(),
  to: instant.optional(),
};

export const operatorToken = z.strictObject({
  id: z.string(),
  name: z.string(),
  preview: z.string(),
  /** `read`, or `write` for all that needs no recent sign-in, or `write-all`. */
  scope: z.enum(["read", "write", "write-all"]),
  by: z.string(),
  created_at: instant,
  expires_at: instant,
  last_used_at: instant.nullable(),
});

export const setting = z.strictObject({
  name: z.string(),
  value: z.string(),
  default: z.string(),
  from: z.enum(["environment", "console", "default"]),
  /** The variable that fixes it, where the environment does or can. */
  variable: z.string().nullable(),
  kind: z.enum(["text", "url", "flag", "whole", "usd", "choice", "secret", "colour", "image"]),
  choices: z.array(z.string()),
  is_set: z.boolean(),
});

export const webhook = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  created_at: instant,
  last_delivery: z.strictObject({ at: instant, ok: z.boolean() }).nullable(),
});

export const delivery = z.strictObject({
  id: z.string(),
  event: z.string(),
  at: instant,
  tries: z.number().int(),
  state: z.enum(["waiting", "delivered", "given_up"]),
  status: z.number().int().nullable(),
  problem: z.string().nullable(),
  next_try_at: instant.nullable(),
  body: z.string(),
});

const events = z
  .array(
    z.enum([
      "balance.low",
      "credential.rejected",
      "breaker.opened",
      "key.created",
      "key.deleted",
      "spend.alert",
    ]),
  )
  .min(1);

export const auditEndpoints = {
  "GET /operator/audit": {
    access: "operator",
    summary: "Every change, newest first",
    query: z.strictObject({ ...auditFilter, ...pageQuery }),
    answer: z.strictObject({
      entries: z.array(auditEntry),
      next: z.string().nullable(),
      /** `checking`: one that is long and was not walked through yet since the start. */
      chain: z.enum(["whole", "broken", "checking"]),
    }),
  },
  "GET /operator/audit/names": {
    access: "operator",
    summary: "What the audit can be filtered by: who has changed something, and kinds of things",
    answer: z.strictObject({ by: z.array(z.string()), nouns: z.array(z.string()) }),
  },
  "GET /operator/audit/export": {
    access: "operator",
    summary: "The entries as a file",
    query: z.strictObject({ ...auditFilter, format: z.enum(["csv", "json"]) }),
    answer: null,
  },
} as const satisfies Record<string, Endpoint>;

export const tokenEndpoints = {
  "GET /operator/tokens": {
    access: "operator",
    summary: "Operator tokens for this API",
    answer: z.strictObject({ tokens: z.array(operatorToken) }),
  },
  "POST /operator/tokens": {
    access: "operator-recent",
    summary: "Makes a token; its string is in this answer alone",
    body: z.strictObject({
      name: z.string().min(1).max(100),
      scope: operatorToken.shape.scope,
      days: z.number().int().min(1).max(366),
    }),
    answer: z.strictObject({ token: operatorToken, string: z.string() }),
  },
  "DELETE /operator/tokens/{id}": { access: "operator", summary: "Ends a token", answer: done },
} as const satisfies Record<string, Endpoint>;

export const recordEndpoints = {
  "GET /operator/settings": {
    access: "operator",
    summary: "Every setting and where it comes from",
    answer: z.strictObject({ settings: z.array(setting) }),
  },
  "PATCH /operator/settings": {
    access: "operator-recent",
    summary: "Changes settings; null gives a default back",
    body: z.strictObject({ settings: z.record(z.string().max(64), z.string().max(100_000).nullable()) }),
    answer: z.strictObject({ settings: z.array(setting) }),
  },
  "POST /operator/settings/mail-test": {
    access: "operator-recent",
    summary: "Sends a test e-mail to the operator",
    body: z.strictObject({}),
    answer: z.strictObject({ problem: z.string().nullable() }),
  },
  "GET /operator/webhooks": {
    access: "operator",
    summary: "Webhooks",
    answer: z.strictObject({ webhooks: z.array(webhook) }),
  },
  "POST /operator/webhooks": {
    access: "operator-recent",
    summary: "Makes a webhook; its signing secret is in this answer alone",
    body: z.strictObject({ url: z.string().max(2048), events }),
    answer: z.strictObject({ webhook, secret: z.string() }),
  },
  "PATCH /operator/webhooks/{id}": {
    access: "operator-recent",
    summary: "Changes a webhook",
    body: z.strictObject({
      url: z.string().max(2048).optional(),
      events: events.optional(),
      enabled: z.boolean().optional(),
    }),
    answer: webhook,
  },
  "DELETE /operator/webhooks/{id}": { access: "operator-recent", summary: "Removes a webhook", answer: done },
  "POST /operator/webhooks/{id}/test": {
    access: "operator",
    summary: "Sends a test event now",
    body: z.strictObject({}),
    answer: delivery,
  },
  "GET /operator/webhooks/{id}/deliveries": {
    access: "operator",
    summary: "What was sent, newest first",
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ deliveries: z.array(delivery), next: z.string().nullable() }),
  },
  "POST /operator/webhooks/{id}/deliveries/{delivery}/again": {
    access: "operator",
    summary: "Sends it again",
    body: z.strictObject({}),
    answer: delivery,
  },
} as const satisfies Record<string, Endpoint>;

export const tryEndpoints = {
  "POST /try": {
    access: "recent",
    summary:
      "Sends a request with one of the caller's own keys, by its sealed copy, and streams the gateway's answer back, which has the header x-answered-by",
    body: z.strictObject({
      key: id,
      dialect: z.enum(["chat", "responses", "messages"]),
      body: z.string().max(60_000),
    }),
    answer: null,
  },
} as const satisfies Record<string, Endpoint>;
