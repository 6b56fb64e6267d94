import { expect } from "bun:test";
import type { ChatAnswer, Refused } from "./harness-client.ts";
import { UPSTREAM_CREDENTIAL, UPSTREAM_NAME } from "./harness-rig.ts";

/** What holds of every refusal, whatever it refuses. */

export type Expected = {
  status: number;
  reason: string;
  type: string;
  code: string | null;
  cause: string;
};

const KEY = { status: 401, type: "invalid_request_error", code: "invalid_api_key" };
const GROUP = { status: 403, type: "invalid_request_error", code: "model_not_found" };
const POCKET = { status: 402, type: "insufficient_quota", code: "insufficient_quota" };
const LIMIT = { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" };
const PATH = { status: 404, type: "invalid_request_error", code: "unknown_url" };
const REQUEST = { status: 400, type: "invalid_request_error", code: null };
const SERVER = { status: 503, type: "server_error", code: null };

/** The contract's table, in the OpenAI style, written down a second time. */
export const TABLE: Readonly<Record<string, Omit<Expected, "reason">>> = {
  key_missing: { ...KEY, cause: "incomplete_key" },
  key_malformed: { ...KEY, cause: "incomplete_key" },
  key_is_provider_key: { ...KEY, cause: "incomplete_key" },
  key_unknown: { ...KEY, cause: "incomplete_key" },
  key_disabled: { ...KEY, cause: "key_state" },
  key_expired: { ...KEY, cause: "key_state" },
  key_deleted: { ...KEY, cause: "key_state" },
  key_replaced: { ...KEY, cause: "key_state" },
  account_disabled: { ...KEY, cause: "key_state" },
  group_disabled: { ...GROUP, cause: "group_unavailable" },
  group_not_allowed: { ...GROUP, cause: "group_unavailable" },
  model_not_in_group: { ...GROUP, cause: "group_unavailable" },
  model_unpriced: { ...GROUP, cause: "group_unavailable" },
  balance_exhausted: { ...POCKET, cause: "balance_or_quota" },
  subscription_exhausted: { ...POCKET, cause: "balance_or_quota" },
  key_quota_exhausted: { ...POCKET, cause: "balance_or_quota" },
  account_limit_exhausted: { ...POCKET, cause: "balance_or_quota" },
  rate_limited: { ...LIMIT, cause: "limits" },
  concurrency_limited: { ...LIMIT, cause: "limits" },
  wrong_base_url: { ...PATH, cause: "wrong_base_url" },
  not_found: { ...PATH, cause: "request" },
  request_invalid: { ...REQUEST, cause: "request" },
  body_too_large: { ...REQUEST, status: 413, cause: "request" },
  unsupported_media_type: { ...REQUEST, status: 415, cause: "request" },
  no_upstream: { ...SERVER, cause: "upstream" },
  store_unavailable: { ...SERVER, cause: "gateway" },
  draining: { ...SERVER, cause: "gateway" },
  gateway_overloaded: { ...SERVER, cause: "gateway" },
};

const FINAL = [401, 402, 403, 404, 405, 413];

/** In the OpenAI style; `secrets` are the strings that the caller sent and must not read again. */
export function expectRefused(seen: ChatAnswer, reason: string, secrets: readonly string[] = []): Refused {
  const { error } = seen;
  if (error === null) throw new Error(`${seen.status}, and no refusal: ${seen.text.slice(0, 200)}`);
  const { status, ...wire } = TABLE[reason] ?? { status: 0 };
  expect({ ...error, status: seen.status }).toMatchObject({ reason, ...wire, status });
  expect(error.request_id).toBe(seen.requestId);
  expectSentences(error, [...secrets, UPSTREAM_NAME, UPSTREAM_CREDENTIAL]);
  expectHeaders(seen);
  return error;
}

export function expectSentences(
  { message, remedy }: { message: string; remedy: string },
  secrets: readonly string[],
): void {
  for (const sentence of [message, remedy]) {
    expect(sentence).toMatch(/^[A-Z“].*\.$/s);
    expect(sentence).not.toMatch(/\{\w+\}|undefined|null|NaN|\[object/);
    for (const secret of secrets) expect(sentence).not.toContain(secret);
  }
}

export function expectHeaders({ status, headers, requestId }: ChatAnswer): void {
  expect(requestId).toMatch(/^req_[0-9a-z]{20,}$/);
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("x-should-retry")).toBe(FINAL.includes(status) ? "false" : null);
  if (status === 429 || status === 503) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  else expect(headers.get("retry-after")).toBe(null);
  const limits = ["limit", "remaining", "reset"].map(word =>
    [...headers.keys()].some(name => name.startsWith(`x-ratelimit-${word}-`)),
  );
  expect(limits).toEqual(Array(3).fill(status === 429));
}
