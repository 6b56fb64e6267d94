import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";

export const house = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** What an OpenAI-style client is given; it ends in /v1 and no path is ever added to it. */
  openai_base_url: z.string(),
  /** What a messages-style client is given. */
  messages_address: z.string(),
  /** Whether anybody may make an account. */
  registration: z.boolean(),
  /** Whether nobody has set it up yet: the link for it was printed at start. */
  needs_setup: z.boolean(),
  /** The name of the sign-in service of the house, where it has one. */
  oidc: z.string().nullable(),
  sealed_copies: z.boolean(),
  /** Whether holders sign in by password; operators always may. */
  password_sign_in: z.boolean(),
  passkeys: z.boolean(),
  /** Whether the house can send e-mail. */
  mail: z.boolean(),
  /** For whoever has not chosen. */
  language: z.enum(["auto", "en", "zh"]),
  /** Its own colour, for light and for dark pages; null where it has none. */
  accent: z.strictObject({ light: z.string(), dark: z.string() }).nullable(),
  /** Where its own picture is; null where it has none. */
  logo: z.string().nullable(),
});

export const checkStep = z.strictObject({
  step: z.enum([
    "base_url",
    "key_whole",
    "key_known",
    "key_state",
    "account",
    "group",
    "model",
    "limits",
    "key_quota",
    "account_limits",
    "balance",
    "upstream",
  ]),
  /** `not_reached`: something before it has to be put right first. */
  outcome: z.enum(["ok", "failed", "not_reached"]),
  /** A reason of docs/errors.md, where it failed. */
  reason: z.string().nullable(),
  cause: z.string().nullable(),
  message: z.string().nullable(),
  remedy: z.string().nullable(),
  /** The value to enter instead, where there is one. */
  enter: z.string().nullable(),
});

export const checkForm = z.strictObject({
  base_url: z.string().max(2048),
  key: z.string().max(4096),
  model: z.string().max(256),
  /** Which kind of client the address is for. */
  style: z.enum(["openai", "messages"]),
});

export const checkResult = z.strictObject({ steps: z.array(checkStep) });

export const houseEndpoints = {
  "GET /house": { access: "open", summary: "What this house is and how clients reach it", answer: house },
  "GET /house/logo": {
    access: "open",
    summary: "The picture of this house; an address with `v` never changes its meaning",
    query: z.strictObject({ v: z.string().max(64).optional() }),
    answer: null,
  },
  "GET /openapi.json": { access: "open", summary: "This API as an OpenAPI document", answer: null },
  "POST /csp-report": {
    access: "open",
    summary: "Where a browser reports what the content security policy has stopped",
    answer: null,
  },
  "POST /check": {
    access: "open",
    summary: "Checks a client's base URL, key and model step by step; nothing is stored",
    body: checkForm,
    answer: checkResult,
  },
} as const satisfies Record<string, Endpoint>;
