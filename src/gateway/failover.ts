import { shortId, type Upstream } from "../domain/catalogue.ts";
import type { Id } from "../domain/ids.ts";
import type { Answer, UpstreamFailure } from "../upstream/answer.ts";
import type { Failure } from "../upstream/health.ts";
import { pickUpstream } from "../upstream/pick.ts";
import { pickCredential } from "../upstream/pick-credential.ts";
import { retryAfter } from "../upstream/retry-after.ts";
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

/**
 * The upstream has failed: it is written down, and the flight is given another way if there is one. False: it ends here.
 * Only before the first byte; the hold stays the same, and so does the charge.
 */
export function failOver(flight: Flight, fault: Fault, gate: Gate): boolean {
  const { call, way } = flight;
  flight.failed(fault);
  if (!fault.mayRepeat || !flight.canRepeat || flight.attempts.length >= MORE_ATTEMPTS_MAX) return false;
  const isTried = !hasAnotherCredential(flight, fault, gate);
  const next = pickWay(flight, isTried ? [...flight.tried, way.upstream] : flight.tried, gate);
  if (next === null || !gate.retries.take()) return false;
  gate.log("info", "upstream.passed_over", {
    request: call.id,
    upstream: way.upstream.name,
    next: next.upstream.name,
    why: fault.why,
  });
  const credential = way.credential === null ? {} : { credential: shortId(way.credential.id) };
  const ms = elapsedMs(call) - flight.sentAtMs;
  flight.reroute(next, { upstream: way.upstream.name, ...credential, why: fault.why, ms }, isTried);
  return true;
}

/** The fault was the credential's, and the upstream has one that is well. */
function hasAnotherCredential({ way, model }: Flight, fault: Fault, { health, nowMs }: Gate): boolean {
  const { upstream, credential } = way;
  if (!fault.isCredential && fault.isThrottle !== true) return false;
  const others = upstream.credentials.filter(({ id }) => id !== credential?.id);
  const isWell = (id: Id<"crd">) =>
    health.credentialRest({ upstream: upstream.id, credential: id }, model, nowMs()) === null;
  return others.some(({ id }) => isWell(id));
}

/**
 * Between the choice and now the hold was taken: the upstream may have been given a rest, another request may be
 * trying it out, of which there should be one, or it has as many as it takes. False: so has everybody.
 */
export function stepAside(flight: Flight, gate: Gate): boolean {
  const { health } = gate;
  const { upstream, credential } = flight.way;
  const { model } = flight;
  const nowMs = gate.nowMs();
  const isFull = health.isFull(upstream);
  if (!isFull && health.restOf(upstream, model, nowMs) === null) {
    const place = credential === null ? null : { upstream: upstream.id, credential: credential.id };
    if (place !== null && health.credentialRest(place, model, nowMs) !== null) {
      flight.way = {
        ...flight.way,
        credential: pickCredential(upstream, { model, health, nowMs, affinity: null }),
      };
    }
    return true;
  }
  const way = pickWay(flight, flight.tried, gate);
  if (way !== null && way.upstream.id !== upstream.id) flight.way = way;
  return way !== null || !isFull;
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

export function faultOfStatus({ status, headers }: Pick<Answer, "status" | "headers">, nowMs: number): Fault {
  // Or the operator's own balance there is used up.
  const isCredential = status === 401 || status === 402 || status === 403;
  const mayRepeat = isCredential || status === 408 || status === 429 || status >= 500;
  const isThrottle = status === 429;
  const retryAfterMs = isThrottle || status >= 500 ? retryAfter(headers, nowMs) : null;
  const isForModel = status === 403;
  return { why: `status ${status}`, retryAfterMs, isCredential, isForModel, isThrottle, mayRepeat };
}
