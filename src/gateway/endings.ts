import { type Refusal, refusal } from "../domain/errors.ts";
import { StoreFailure } from "../store/store.ts";
import { UploadFailure, UpstreamFailure } from "../upstream/answer.ts";
import { failOver, faultOfFailure } from "./failover.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { failureRefusal } from "./judge.ts";
import { Untranslatable } from "./launch.ts";
import { refuse } from "./refuse.ts";
import type { Stop } from "./running.ts";

/** Nothing was reported, because nothing was finished. */
const NO_REPORT = { reported: null, bad: false };
export const NO_CONTENT = { bytes: 0, sample: new Uint8Array() };
/** What proxies log for a client that did not wait. */
export const STATUS_LEFT = 499;

/** Ends a request that delivered nothing: no charge, our own sentence. */
export function fail(flight: Flight, refused: Refusal, gate: Gate): Response {
  const response = refuse(flight.call, refused, gate);
  flight.void({ status: response.status, reason: refused.reason });
  return response;
}

/**
 * Ended from outside. The upstream was at work, so its input is billed, as the published rule says; but not where the
 * request had not reached it whole.
 */
export function stopped(flight: Flight, stop: Stop, gate: Gate): Response {
  if (stop.kind === "left") {
    const end = { status: STATUS_LEFT, reason: "client_left" };
    if (flight.hasAsked) flight.settle({ ...end, usage: NO_REPORT, content: NO_CONTENT });
    else flight.void(end);
    return new Response(null, { status: STATUS_LEFT });
  }
  const { reason } = stop.refusal;
  // The hold did not become durable, so there is nothing to charge.
  if (reason === "store_unavailable" || !flight.hasAsked) return fail(flight, stop.refusal, gate);
  const response = refuse(flight.call, stop.refusal, gate);
  flight.settle({ status: response.status, reason, usage: NO_REPORT, content: NO_CONTENT });
  return response;
}

/**
 * Something threw before the client had a byte: the upstream failed, or the hold did not become durable. Null where
 * another upstream is asked instead.
 */
export function broken(flight: Flight, error: unknown, gate: Gate): Response | null {
  const { call, way } = flight;
  if (flight.stopped !== null) return stopped(flight, flight.stopped, gate);
  flight.exchange.abort();
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof Untranslatable) return untranslatable(flight, error, gate);
  if (error instanceof UploadFailure) {
    return error.refusal === null
      ? stopped(flight, { kind: "left" }, gate)
      : fail(flight, error.refusal, gate);
  }
  if (error instanceof UpstreamFailure) {
    gate.log("warn", "upstream.failed", { request: call.id, upstream: way.upstream.name, why });
    if (failOver(flight, faultOfFailure(error), gate)) return null;
    return fail(flight, failureRefusal(error, way.request.model), gate);
  }
  gate.log("error", "request.failed", { request: call.id, why });
  return fail(flight, refusal(error instanceof StoreFailure ? "store_unavailable" : "gateway_failed"), gate);
}

/** Where another upstream could read it and failed, that this one cannot is no fault of the client's. */
function untranslatable(flight: Flight, { problem }: Untranslatable, gate: Gate): Response {
  flight.unasked();
  const { model } = flight.way.request;
  const isFirst = flight.attempts.length === 0;
  return fail(
    flight,
    isFirst ? refusal("request_invalid", problem) : refusal("upstream_failed", { model }),
    gate,
  );
}
