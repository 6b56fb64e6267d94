import { z } from "zod";
import { ledgerLine, limitsView, subscription } from "../account.ts";
import type { Endpoint } from "../endpoint.ts";
import { done, id, instant, pageQuery, role, usd, usdGiven } from "../form.ts";
import { key } from "../keys.ts";
import { person } from "../people.ts";

export const accountDetail = z.strictObject({
  account: person,
  held_usd: usd,
  limits: limitsView,
  subscriptions: z.array(subscription),
  sessions: z.number().int(),
  has_password: z.boolean(),
  has_second_factor: z.boolean(),
  /** What it was charged in the last thirty days. */
  spent_usd: usd,
});

const reason = z.string().min(1).max(500);
const count = (max: number) => z.number().int().min(1).max(max).nullable().optional();

export const code = z.strictObject({
  id: z.string(),
  preview: z.string(),
  amount_usd: usd,
  note: z.string(),
  created_at: instant,
  expires_at: instant.nullable(),
  redeemed_at: instant.nullable(),
  redeemed_by: z.string().nullable(),
});

export const operatorAccountEndpoints = {
  "GET /operator/accounts/{id}": { access: "operator", summary: "One account", answer: accountDetail },
  "PATCH /operator/accounts/{id}": {
    access: "operator-recent",
    summary: "Changes role, state or limits; a disabled account's keys stop at once",
    body: z.strictObject({
      role: role.optional(),
      enabled: z.boolean().optional(),
      requests_per_minute: count(1_000_000),
      tokens_per_minute: count(1_000_000_000),
      concurrency: count(100_000),
      spend_per_day_usd: usdGiven.nullable().optional(),
      spend_per_week_usd: usdGiven.nullable().optional(),
      spend_per_month_usd: usdGiven.nullable().optional(),
    }),
    answer: accountDetail,
  },
  "POST /operator/accounts/{id}/balance": {
    access: "operator-recent",
    summary: "Credits, or debits where the amount has a minus, with a reason that the ledger keeps",
    body: z.strictObject({
      amount_usd: z.string().regex(/^-?\d{1,9}(\.\d{1,9})?$/, "must be an amount in USD such as 5 or -0.25"),
      reason,
      /** Sent again under the same name, it moves nothing again. */
      once: z.string().min(1).max(200),
    }),
    answer: accountDetail,
  },
  "POST /operator/accounts/{id}/subscriptions": {
    access: "operator",
    summary: "Gives a plan, or moves its end",
    body: z.strictObject({ plan: id, until: instant.nullable() }),
    answer: accountDetail,
  },
  "DELETE /operator/accounts/{id}/subscriptions/{subscription}": {
    access: "operator",
    summary: "Ends a subscription",
    answer: accountDetail,
  },
  "POST /operator/accounts/{id}/sign-out": {
    access: "operator-recent",
    summary: "Ends every session of the account",
    body: z.strictObject({}),
    answer: done,
  },
  "GET /operator/accounts/{id}/keys": {
    access: "operator",
    summary: "The account's keys",
    answer: z.strictObject({ keys: z.array(key) }),
  },
  "POST /operator/accounts/{id}/keys/{key}/{change}": {
    access: "operator-recent",
    summary: "Disables, enables or deletes a key: `change` is disable, enable or delete",
    body: z.strictObject({}),
    answer: z.strictObject({ keys: z.array(key) }),
  },
  "GET /operator/accounts/{id}/ledger": {
    access: "operator",
    summary: "The account's ledger, newest first",
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ lines: z.array(ledgerLine), next: z.string().nullable() }),
  },
  "POST /operator/accounts/many": {
    access: "operator-recent",
    summary: "The same change for several accounts: all of it or none",
    body: z.strictObject({
      ids: z.array(id).min(1).max(500),
      change: z.discriminatedUnion("what", [
        z.strictObject({ what: z.literal("enable") }),
        z.strictObject({ what: z.literal("disable") }),
        z.strictObject({
          what: z.literal("credit"),
          amount_usd: usdGiven,
          reason,
          once: z.string().min(1).max(150),
        }),
        z.strictObject({ what: z.literal("subscribe"), plan: id, until: instant.nullable() }),
      ]),
    }),
    answer: z.strictObject({ changed: z.number().int() }),
  },
  "GET /operator/codes": {
    access: "operator",
    summary: "Redemption codes, newest first",
    query: z.strictObject({ ...pageQuery, state: z.enum(["open", "redeemed", "expired"]).optional() }),
    answer: z.strictObject({ codes: z.array(code), next: z.string().nullable() }),
  },
  "POST /operator/codes": {
    access: "operator-recent",
    summary: "Makes a batch of codes; they are in this answer alone",
    body: z.strictObject({
      count: z.number().int().min(1).max(1_000),
      amount_usd: usdGiven,
      note: z.string().max(200),
      expires_at: instant.nullable().optional(),
    }),
    answer: z.strictObject({ codes: z.array(z.strictObject({ id: z.string(), code: z.string() })) }),
  },
  "DELETE /operator/codes/{id}": {
    access: "operator-recent",
    summary: "Takes back a code that nobody has redeemed",
    answer: done,
  },
} as const satisfies Record<string, Endpoint>;
