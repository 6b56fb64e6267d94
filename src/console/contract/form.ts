import { z } from "zod";

/** The forms that many endpoints share. Money is decimal USD as text, exact; times are ISO 8601 in UTC. */

const USD_PATTERN = /^\d{1,9}(\.\d{1,9})?$/;

export const usd = z.string().regex(/^-?\d+(\.\d{1,9})?$/);
/** An amount that somebody enters. */
export const usdGiven = z.string().regex(USD_PATTERN, "must be an amount in USD such as 5 or 0.25");
/** USD per million tokens, or per call where it says so. */
export const price = z.string().regex(/^\d+(\.\d{1,16})?$/);
/** What a group's price is multiplied by, such as 0.6. */
export const multiplier = z.string().regex(/^\d+(\.\d{1,4})?$/);
export const instant = z.iso.datetime();
export const id = z.string().min(1).max(64);
export const language = z.enum(["en", "zh"]);
export const theme = z.enum(["system", "light", "dark"]);
export const role = z.enum(["holder", "operator"]);
export const email = z.string().min(3).max(255);
export const password = z.string().min(1).max(1024);
/** A single-use token of a link or of a half-done sign-in. */
export const token = z.string().min(16).max(128);
/** What a browser's WebAuthn call gives or takes: checked by the library that reads it. */
export const webAuthn = z.record(z.string(), z.unknown());

/** Keyset paging: `before` is the `next` of the page before. */
export const pageQuery = {
  before: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
};

export const done = z.strictObject({ done: z.literal(true) });

/** Every refusal of the console's API. `message` is a sentence; `fields` says what is wrong with which field. */
export const problem = z.strictObject({
  error: z.strictObject({
    code: z.enum([
      "invalid",
      "not_signed_in",
      "recent_sign_in_needed",
      "not_allowed",
      "cross_site",
      "not_found",
      "method_not_allowed",
      "conflict",
      "too_large",
      "unsupported_media_type",
      "throttled",
      "wrong_sign_in",
      "link_invalid",
      "unavailable",
      "failed",
    ]),
    message: z.string(),
    fields: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
    retry_after_seconds: z.number().int().optional(),
    request_id: z.string(),
  }),
});
