import type { DemoFrame } from "./demo-play.ts";
import type { DemoRefusal } from "./demo-settings.ts";
import type { DemoPath } from "./demo-task.ts";

export type DemoFailure = DemoRefusal & { code: string | null };

/** An error in the words of whoever owns the path. */
export function* writeError(failure: DemoFailure, path: DemoPath): Generator<DemoFrame> {
  const body = path === "messages" || path === "count_tokens" ? messagesError(failure) : openAiError(failure);
  yield { text: JSON.stringify(body), isToken: false };
}

function openAiError({ message, status, param, code }: DemoFailure): object {
  return { error: { message, type: openAiType(status), param, code } };
}

function openAiType(status: number): string {
  if (status >= 500) return "server_error";
  return status === 429 ? "rate_limit_error" : "invalid_request_error";
}

function messagesError({ message, status }: DemoFailure): object {
  return { type: "error", error: { type: messagesType(status), message }, request_id: "req_demo" };
}

const MESSAGES_TYPES: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

function messagesType(status: number): string {
  return MESSAGES_TYPES.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
}
