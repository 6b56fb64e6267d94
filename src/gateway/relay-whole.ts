import { refusal } from "../domain/errors.ts";
import type { Answer, AnswerConsumer, UpstreamFailure } from "../upstream/answer.ts";
import { fail, NO_CONTENT, stopped } from "./endings.ts";
import { failOver, faultOfFailure, faultOfStatus, NOT_AN_ANSWER } from "./failover.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { grantHeaders } from "./grant.ts";
import { commonHeaders, timing } from "./headers.ts";
import { failureRefusal, judge } from "./judge.ts";
import type { Whole } from "./passage.ts";
import type { Stop } from "./running.ts";

type Collected = { bytes: Buffer } | { failure: UpstreamFailure } | { tooLarge: true } | { stop: Stop };

/** What is being relayed, and what the upstream took until its head. */
export type Relay = { flight: Flight; answer: Answer; upstreamMs: number };

/** An answer in one piece: read whole, metered, settled, and then given on as it came. */
export function relayWhole(relay: Relay, gate: Gate): Response | null | Promise<Response | null> {
  const collector = new Collector(relay, gate.limits.answerBytesMax);
  const collected = collector.start();
  return collected === null ? respondLater(relay, collector, gate) : respond(relay, collected, gate);
}

function respondLater(relay: Relay, collector: Collector, gate: Gate): Promise<Response | null> {
  return new Promise(resolve => collector.wait(late => resolve(respond(relay, late, gate))));
}

/** Null where another upstream is asked instead. */
function respond(relay: Relay, collected: Collected, gate: Gate): Response | null {
  const { flight, answer } = relay;
  const { way } = flight;
  const { model } = way.request;
  if ("stop" in collected) return stopped(flight, collected.stop, gate);
  if ("tooLarge" in collected) {
    gate.log("warn", "upstream.answer_too_large", about(relay));
    return fail(flight, refusal("upstream_failed", { model }), gate);
  }
  if ("failure" in collected) {
    gate.log("warn", "upstream.failed", { ...about(relay), why: collected.failure.message });
    if (failOver(flight, faultOfFailure(collected.failure), gate)) return null;
    return fail(flight, failureRefusal(collected.failure, model), gate);
  }
  const verdict = judge(answer, model, gate.nowMs);
  if (verdict.kind === "failed") {
    gate.log("warn", "upstream.refused", about(relay));
    if (failOver(flight, faultOfStatus(answer, gate.nowMs()), gate)) return null;
    return fail(flight, verdict.refusal, gate);
  }
  if (verdict.kind === "clients-fault") {
    if (gate.echoesCredential(way.upstream, collected.bytes)) {
      gate.log("error", "upstream.echoes_credential", about(relay));
      return fail(flight, refusal("upstream_failed", { model }), gate);
    }
    const complaint = flight.passage.complaint(collected.bytes);
    if (complaint === null) {
      gate.log("warn", "upstream.refused", about(relay));
      return fail(flight, refusal("upstream_failed", { model }), gate);
    }
    flight.void({ status: answer.status, reason: "request_invalid" });
    return passOn(relay, complaint, null);
  }
  const whole = flight.passage.whole(collected.bytes);
  if (whole !== null) return deliver(relay, whole);
  gate.log("warn", "upstream.not_an_answer", about(relay));
  if (failOver(flight, NOT_AN_ANSWER, gate)) return null;
  return fail(flight, refusal("upstream_failed", { model }), gate);
}

function about({ flight: { call, way }, answer }: Relay) {
  return { request: call.id, upstream: way.upstream.name, status: answer.status };
}

function deliver(relay: Relay, { bytes, contentType, read }: Whole): Response {
  const { flight, answer } = relay;
  const { usage, bad } = read;
  const content = usage === null ? read.said() : NO_CONTENT;
  const metered = { reported: usage, bad };
  flight.settle({ status: answer.status, reason: null, usage: metered, content, isWhole: true });
  return passOn(relay, bytes, contentType);
}

function passOn(relay: Relay, bytes: Uint8Array, contentType: string | null): Response {
  const { flight, answer, upstreamMs } = relay;
  const headers = commonHeaders(flight.call);
  headers["content-type"] = contentType ?? answer.headers.get("content-type") ?? "application/json";
  headers["server-timing"] = timing(flight.elapsedMs, upstreamMs);
  grantHeaders(flight.way, flight.admitted, headers);
  // The rest of what the upstream did not want to read is not read here either.
  if (!flight.hasAsked) headers["connection"] = "close";
  return answered(bytes as Uint8Array<ArrayBuffer>, answer.status, headers);
}

/** Headers that are added one by one cost half of those that are given as an object. */
function answered(
  bytes: Uint8Array<ArrayBuffer>,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  const response = status === 200 ? new Response(bytes) : new Response(bytes, { status });
  const own = response.headers;
  for (const name in headers) own.append(name, headers[name] ?? "");
  return response;
}

/** Reads an answer to its end. A short one is whole as soon as it is looked at. */
class Collector implements AnswerConsumer {
  readonly #parts: Uint8Array[] = [];
  #size = 0;
  #collected: Collected | null = null;
  #waiting: ((collected: Collected) => void) | null = null;

  constructor(
    readonly relay: Relay,
    readonly bytesMax: number,
  ) {}

  start(): Collected | null {
    const { flight, answer } = this.relay;
    if (flight.stopped !== null) this.#stop(flight.stopped);
    else answer.read(this);
    return this.#collected;
  }

  /** For what `start` did not find whole. */
  wait(waiting: (collected: Collected) => void): void {
    this.#waiting = waiting;
    this.relay.flight.onStop = stop => this.#stop(stop);
  }

  #stop(stop: Stop): void {
    this.relay.answer.abort();
    this.#finish({ stop });
  }

  onBytes(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size <= this.bytesMax) {
      this.#parts.push(bytes);
      return;
    }
    this.relay.answer.abort();
    this.#finish({ tooLarge: true });
  }

  onEnd(): void {
    this.#finish({ bytes: joined(this.#parts) });
  }

  onFailure(failure: UpstreamFailure): void {
    this.#finish({ failure });
  }

  #finish(collected: Collected): void {
    if (this.#collected !== null) return;
    this.#collected = collected;
    this.#waiting?.(collected);
  }
}

function joined(parts: Uint8Array[]): Buffer {
  const [only] = parts;
  if (parts.length !== 1 || only === undefined) return Buffer.concat(parts);
  // Asking for the memory behind a view makes another object, and what a socket gives is a Buffer already.
  return Buffer.isBuffer(only) ? only : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
