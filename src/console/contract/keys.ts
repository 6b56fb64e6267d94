import { z } from "zod";
import { limitsView } from "./account.ts";
import type { Endpoint } from "./endpoint.ts";
import { done, id, instant, language, multiplier, usd, usdGiven } from "./form.ts";
import { billing, dialect } from "./groups.ts";

export const keyState = z.enum(["active", "disabled", "expired", "deleted"]);

export const key = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Its beginning and its last four characters. */
  preview: z.string(),
  state: keyState,
  group: z.strictObject({ id: z.string(), name: z.string(), enabled: z.boolean(), multiplier, billing }),
  spent_usd: usd,
  held_usd: usd,
  quota_usd: usd.nullable(),
  /** Its own; what its group or account sets is not repeated here. */
  limits: limitsView,
  expires_at: instant.nullable(),
  created_at: instant,
  last_used: z.strictObject({ at: instant, tool: z.string(), address: z.string() }).nullable(),
  /** Requests running now. */
  running: z.number().int(),
  /** Whether a sealed copy is kept, for one-click import. */
  can_import: z.boolean(),
  /** The string before the last rotation, while it still works. */
  old_string_until: instant.nullable(),
});

const count = (max: number) => z.number().int().min(1).max(max);

/** What may be changed later. Null takes a limit away. */
const settings = {
  quota_usd: usdGiven.nullable().optional(),
  requests_per_minute: count(1_000_000).nullable().optional(),
  tokens_per_minute: count(1_000_000_000).nullable().optional(),
  concurrency: count(100_000).nullable().optional(),
  spend_per_day_usd: usdGiven.nullable().optional(),
  spend_per_week_usd: usdGiven.nullable().optional(),
  spend_per_month_usd: usdGiven.nullable().optional(),
  expires_at: instant.nullable().optional(),
};

export const newKey = z.strictObject({
  name: z.string(),
  /** The id of a group. */
  group: id,
  ...settings,
  /** Only for a string that some client fixes; a generated one is better. */
  custom_key: z.string().max(256).optional(),
});

export const madeKey = z.strictObject({
  key,
  /** The string, this one time. */
  string: z.string(),
});

/** One thing to do in a client: a command, a file, or fields to fill in. */
export const setupPiece = z.strictObject({
  title: z.string(),
  /** Null: the same everywhere. */
  shell: z.enum(["bash", "powershell", "cmd"]).nullable(),
  /** Where it belongs, such as ~/.codex/config.toml. */
  file: z.string().nullable(),
  /** For the colours: bash, powershell, cmd, toml, json, yaml, python, typescript, text. */
  language: z.string(),
  /** `{{key}}` stands for the string of the key. */
  text: z.string(),
});

export const setupClient = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["terminal", "editor", "app", "code"]),
  dialect,
  /** What it has to be given, with or without /v1. */
  base_url: z.string(),
  pieces: z.array(setupPiece),
  /** What to know before: another key in the same client, an address that must be public. */
  warnings: z.array(z.string()),
  notes: z.array(z.string()),
});

export const importLink = z.strictObject({
  app: z.string(),
  name: z.string(),
  url: z.string(),
  note: z.string().nullable(),
});

export const keyEndpoints = {
  "GET /keys": {
    access: "session",
    summary: "The account's keys",
    answer: z.strictObject({ keys: z.array(key) }),
  },
  "POST /keys": {
    access: "session",
    summary: "Makes a key; its string is in this answer alone",
    body: newKey,
    answer: madeKey,
  },
  "GET /keys/{id}": { access: "session", summary: "One key", answer: key },
  "PATCH /keys/{id}": {
    access: "session",
    summary: "Changes name, group, quota, limits or expiry",
    body: z.strictObject({ name: z.string().optional(), group: id.optional(), ...settings }),
    answer: key,
  },
  "POST /keys/{id}/disable": {
    access: "session",
    summary: "Refuses the key from now on",
    body: z.strictObject({}),
    answer: key,
  },
  "POST /keys/{id}/enable": {
    access: "session",
    summary: "Takes the key again",
    body: z.strictObject({}),
    answer: key,
  },
  "POST /keys/{id}/rotate": {
    access: "recent",
    summary: "Gives the key a new string; the old one dies now or after a grace",
    body: z.strictObject({
      grace_seconds: z
        .number()
        .int()
        .min(0)
        .max(30 * 86_400),
    }),
    answer: madeKey,
  },
  "DELETE /keys/{id}": { access: "session", summary: "Deletes the key, for good", answer: done },
  "GET /keys/{id}/setup": {
    access: "session",
    summary: "How each client is set up with this key",
    query: z.strictObject({ model: z.string().max(256).optional(), language: language.optional() }),
    answer: z.strictObject({
      models: z.array(z.string()),
      model: z.string().nullable(),
      clients: z.array(setupClient),
    }),
  },
  "POST /keys/{id}/imports": {
    access: "session",
    summary:
      "Links that set a client up in one click: from the string just made, or from the sealed copy after a recent sign-in",
    body: z.strictObject({
      model: z.string().max(256).optional(),
      string: z.string().max(256).optional(),
      language: language.optional(),
    }),
    answer: z.strictObject({ links: z.array(importLink) }),
  },
} as const satisfies Record<string, Endpoint>;
