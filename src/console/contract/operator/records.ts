import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { done, id, instant, pageQuery } from "../form.ts";

/** One change: who, when, from where, and every field before and after; secrets left out. */
export const auditEntry = z.strictObject({
  number: z.number().int(),
  at: instant,
  by: z.string(),
  /** Where it came through. */
  through: z.enum(["console", "token", "command line", "apply", "start", "house"]),
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
