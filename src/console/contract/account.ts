import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import {
  done,
  instant,
  language,
  pageQuery,
  password,
  role,
  theme,
  token,
  usd,
  usdGiven,
  webAuthn,
} from "./form.ts";

export const subscription = z.strictObject({
  id: z.string(),
  plan: z.string(),
  groups: z.array(z.string()),
  window: z.enum(["day", "week", "month", "total"]),
  quota_usd: usd,
  left_usd: usd,
  /** When the window begins anew; null where it never does. */
  resets_at: instant.nullable(),
  until: instant.nullable(),
  is_over: z.boolean(),
});

export const limitsView = z.strictObject({
  requests_per_minute: z.number().int().nullable(),
  tokens_per_minute: z.number().int().nullable(),
  concurrency: z.number().int().nullable(),
  spend_per_day_usd: usd.nullable(),
  spend_per_week_usd: usd.nullable(),
  spend_per_month_usd: usd.nullable(),
});

export const account = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  created_at: instant,
  balance_usd: usd,
  /** Held for requests that run. */
  held_usd: usd,
  low_balance_usd: usd.nullable(),
  balance_is_low: z.boolean(),
  subscriptions: z.array(subscription),
  limits: limitsView,
  language: language.nullable(),
  theme,
  has_password: z.boolean(),
  totp: z.strictObject({ is_on: z.boolean(), recovery_codes_left: z.number().int() }),
  passkeys: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      created_at: instant,
      last_used_at: instant.nullable(),
    }),
  ),
  /** Whether the house's sign-in service is connected: by the link of `GET /sign-in/oidc`, while signed in. */
  oidc: z.strictObject({ is_connected: z.boolean() }),
});

export const ledgerLine = z.strictObject({
  id: z.string(),
  at: instant,
  kind: z.enum(["credit", "debit", "charge", "refund", "redemption"]),
  amount_usd: usd,
  /** `balance`, or the plan's name. */
  pocket: z.string(),
  request_id: z.string().nullable(),
  by: z.string(),
  why: z.string(),
});

export const accountEndpoints = {
  "GET /account": {
    access: "session",
    summary: "The account: pockets, limits, ways to sign in",
    answer: account,
  },
  "PATCH /account": {
    access: "session",
    summary: "Changes name, language, theme or the low-balance warning",
    body: z.strictObject({
      name: z.string().max(100).optional(),
      language: language.nullable().optional(),
      theme: theme.optional(),
      low_balance_usd: usdGiven.nullable().optional(),
    }),
    answer: account,
  },
  "POST /account/password": {
    access: "recent",
    summary: "Sets a new password; every other place is signed out",
    body: z.strictObject({ password }),
    answer: done,
  },
  "POST /account/totp": {
    access: "recent",
    summary: "Begins two-factor: a secret for the authenticator app, not yet in force",
    body: z.strictObject({}),
    answer: z.strictObject({ ticket: token, secret: z.string(), uri: z.string() }),
  },
  "POST /account/totp/confirm": {
    access: "recent",
    summary: "Puts two-factor in force by a first code; the recovery codes are shown once",
    body: z.strictObject({ ticket: token, code: z.string().min(6).max(10) }),
    answer: z.strictObject({ recovery_codes: z.array(z.string()) }),
  },
  "DELETE /account/totp": { access: "recent", summary: "Ends two-factor", answer: done },
  "POST /account/totp/recovery-codes": {
    access: "recent",
    summary: "New recovery codes, shown once; those before work no longer",
    body: z.strictObject({}),
    answer: z.strictObject({ recovery_codes: z.array(z.string()) }),
  },
  "POST /account/passkeys/options": {
    access: "recent",
    summary: "What the browser needs to make a passkey",
    body: z.strictObject({}),
    answer: z.strictObject({ ticket: token, options: webAuthn }),
  },
  "POST /account/passkeys": {
    access: "recent",
    summary: "Keeps a passkey",
    body: z.strictObject({ ticket: token, name: z.string().min(1).max(100), response: webAuthn }),
    answer: done,
  },
  "DELETE /account/passkeys/{id}": { access: "recent", summary: "Forgets a passkey", answer: done },
  "DELETE /account/oidc": {
    access: "recent",
    summary: "Disconnects the house's sign-in service",
    answer: done,
  },
  "GET /account/ledger": {
    access: "session",
    summary: "Every change of the balance and every charge, newest first",
    query: z.strictObject(pageQuery),
    answer: z.strictObject({ lines: z.array(ledgerLine), next: z.string().nullable() }),
  },
  "POST /account/redeem": {
    access: "session",
    summary: "Redeems a code",
    body: z.strictObject({ code: z.string().min(4).max(128) }),
    answer: z.strictObject({ amount_usd: usd, balance_usd: usd }),
  },
} as const satisfies Record<string, Endpoint>;
