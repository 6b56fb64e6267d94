import { type Refusal, refusal } from "../domain/errors.ts";
import type { UpstreamFailure } from "../upstream/answer.ts";
import { retryAfter } from "../upstream/retry-after.ts";

/** What an upstream's failure is to the client: our sentence, never the upstream's. */
export function failureRefusal(failure: UpstreamFailure, model: string): Refusal {
  const timedOut =
    failure.kind === "first-byte-timeout" ||
    failure.kind === "idle-timeout" ||
    failure.kind === "connect-timeout";
  return refusal(timedOut ? "upstream_timeout" : "upstream_failed", { model });
}

/** A 4xx about the request itself is the client's to read; every other failure is the operator's matter. */
export type Verdict = { kind: "good" } | { kind: "clients-fault" } | { kind: "failed"; refusal: Refusal };

const GOOD: Verdict = { kind: "good" };
const OVERLOAD_SECONDS = 5;

export function judge(
  answer: { status: number; headers: ReadonlyMap<string, string> },
  model: string,
  nowMs: () => number = () => 0,
): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) return GOOD;
  if (status === 400 || status === 422) return { kind: "clients-fault" };
  if (status === 429 || status === 503 || status === 529) {
    const givenMs = retryAfter(answer.headers, nowMs());
    const seconds = givenMs === null ? OVERLOAD_SECONDS : Math.ceil(givenMs / 1_000);
    return { kind: "failed", refusal: refusal("upstream_overloaded", { model, seconds }) };
  }
  const timedOut = status === 408 || status === 504;
  return { kind: "failed", refusal: refusal(timedOut ? "upstream_timeout" : "upstream_failed", { model }) };
}
