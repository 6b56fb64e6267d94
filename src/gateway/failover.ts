import type { Upstream } from "../domain/catalogue.ts";
import type { Answer, UpstreamFailure } from "../upstream/answer.ts";
import type { Failure } from "../upstream/health.ts";
import { pickUpstream } from "../upstream/pick.ts";
import { elapsedMs } from "./call.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { routeTo, type Way } from "./resolve.ts";

/** What went wrong at an upstream, before the client had a byte. */
export type Fault = Failure & {
  /** Another upstream may do better. */
  mayRepeat: boolean;
};

/** Beside the first. */
const MORE_ATTEMPTS_MAX = 2;
const RETRY_AFTER_SECONDS_MAX = 3_600;

/**
 * The upstream has failed: it is written down, and the flight is given another way if there is one. False: it ends here.
 * Only before the first byte; the hold stays the same, and so does the charge.
 */
export function failOver(flight: Flight, fault: Fault, gate: Gate): boolean {
  const { call, way } = flight;
  flight.failed(fault);
  if (fault.isCredential) {
    gate.log("error", "upstream.credential_refused", { upstream: way.upstream.name, why: fault.why });
  }
  if (!fault.mayRepeat || !flight.canRepeat || flight.attempts.length >= MORE_ATTEMPTS_MAX) return false;
  const next = pickWay(flight, [...flight.tried, way.upstream], gate);
  if (next === null || !gate.retries.take()) return false;
  gate.log("info", "upstream.passed_over", {
    request: call.id,
    upstream: way.upstream.name,
    next: next.upstream.name,
    why: fault.why,
  });
  flight.reroute(next, {
    upstream: way.upstream.name,
    why: fault.why,
    ms: elapsedMs(call) - flight.sentAtMs,
  });
  return true;
}

/**
 * Between the choice and now the hold was taken: the upstream may have been given a rest, or another request may be
 * trying it out, of which there should be one.
 */
export function stepAside(flight: Flight, gate: Gate): void {
  const { id } = flight.way.upstream;
  if (gate.health.rest(id, flight.model, gate.nowMs()) === null) return;
  const way = pickWay(flight, flight.tried, gate);
  if (way !== null && way.upstream.id !== id) flight.way = way;
}

function pickWay({ call, way }: Flight, tried: readonly Upstream[], gate: Gate): Way | null {
  const { request } = way;
  const passed = [...tried];
  for (;;) {
    const picked = pickUpstream(gate.catalogue().upstreams, {
      model: request.model,
      operation: call.operation,
      random: gate.random,
      health: gate.health,
      nowMs: gate.nowMs(),
      affinity: null,
      tried: passed,
    });
    if (picked === null) return null;
    const route = routeTo(picked, request, call.operation);
    if (!("problem" in route)) return { ...way, ...route };
    // What was asked cannot be said in its dialect.
    passed.push(picked.upstream);
  }
}

/** Whatever it was, the upstream did not say anything of use. */
export function faultOfFailure(failure: UpstreamFailure): Fault {
  return { why: failure.message, retryAfterMs: null, isCredential: false, mayRepeat: true };
}

export const NOT_AN_ANSWER: Fault = {
  why: "what it sent is no answer",
  retryAfterMs: null,
  isCredential: false,
  mayRepeat: true,
};

export function faultOfStatus({ status, headers }: Pick<Answer, "status" | "headers">): Fault {
  // Or the operator's own balance there is used up.
  const isCredential = status === 401 || status === 402 || status === 403;
  const mayRepeat = isCredential || status === 408 || status === 429 || status >= 500;
  const given = Number(headers.get("retry-after") ?? "");
  const isGiven = (status === 429 || status >= 500) && Number.isFinite(given) && given > 0;
  const retryAfterMs = isGiven ? 1_000 * Math.min(given, RETRY_AFTER_SECONDS_MAX) : null;
  return { why: `status ${status}`, retryAfterMs, isCredential, mayRepeat };
}
