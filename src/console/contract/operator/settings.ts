import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** Written as the environment writes it; a secret's value is always empty, and `is_set` says whether there is one. */
export const setting = z.strictObject({
  name: z.string(),
  value: z.string(),
  default: z.string(),
  from: z.enum(["environment", "console", "default"]),
  /** The variable that fixes it, where the environment does or could. */
  variable: z.string().nullable(),
  kind: z.enum(["text", "url", "switch", "whole", "usd", "choice", "secret", "colour", "image"]),
  choices: z.array(z.string()),
  is_set: z.boolean(),
});

const all = z.strictObject({ settings: z.array(setting) });

export const settingEndpoints = {
  "GET /operator/settings": {
    access: "operator",
    summary: "Every setting and where it comes from",
    answer: all,
  },
  "PATCH /operator/settings": {
    access: "operator-recent",
    summary: "Changes settings, all or none; null gives a default back",
    bytesMax: 160 * 1024,
    body: z.strictObject({
      settings: z.record(z.string().max(64), z.string().max(100_000).nullable()),
      /** Sealed copies that are kept are removed where they are switched off: how many was told before. */
      remove_sealed_copies: z.boolean().optional(),
    }),
    answer: all,
  },
  "GET /operator/settings/sealed-copies": {
    access: "operator",
    summary: "How many keys have a sealed copy",
    answer: z.strictObject({ keys: z.number().int() }),
  },
  "POST /operator/settings/sign-in-test": {
    access: "operator-recent",
    summary: "Asks the OpenID Connect issuer for what it says about itself; a problem says what to change",
    body: z.strictObject({}),
    answer: z.strictObject({ issuer: z.string(), problem: z.string().nullable() }),
  },
} as const satisfies Record<string, Endpoint>;

/** Of e-mail, whose handler stands elsewhere. */
export const mailTestEndpoints = {
  "POST /operator/settings/mail-test": {
    access: "operator-recent",
    summary: "Sends a test e-mail to the operator who asks; a problem says what to change",
    body: z.strictObject({}),
    answer: z.strictObject({ to: z.string(), problem: z.string().nullable() }),
  },
} as const satisfies Record<string, Endpoint>;
