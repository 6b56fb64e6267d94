import type { ResponseError } from "openai/resources/responses/responses";
import { objectOf, textOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";

/**
 * The error of a response that failed; the body is the refusal. The code decides what Codex does. After `server_error`
 * and `rate_limit_exceeded` it asks again, which is right where an upstream failed. What asking again cannot mend is
 * `invalid_prompt`: it ends the turn and prints the message, where for codes that say more it has texts of its own.
 */
export function writeResponseError(body: Json): ResponseError {
  const { type, message } = objectOf(body["error"]);
  return { code: codeOf(type), message: textOf(message) };
}

function codeOf(type: unknown): ResponseError["code"] {
  if (type === "server_error") return "server_error";
  return type === "rate_limit_error" ? "rate_limit_exceeded" : "invalid_prompt";
}
