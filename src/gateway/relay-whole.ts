import { refusal } from "../domain/errors.ts";
import type { Usage } from "../domain/usage.ts";
import { scanObject, spliceFields } from "../protocols/json-object.ts";
import { ContentMeter } from "../protocols/openai-chat/content-bytes.ts";
import { peekChatUsage } from "../protocols/openai-chat/peek-usage.ts";
import { readChatUsage } from "../protocols/openai-chat/read-usage.ts";
import type { Answer, AnswerConsumer, UpstreamFailure } from "../upstream/answer.ts";
import { fail, NO_CONTENT, stopped } from "./endings.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { grantHeaders } from "./grant.ts";
import { commonHeaders, timing } from "./headers.ts";
import { failureRefusal, judge } from "./judge.ts";
import type { Stop } from "./running.ts";

/** The answer is at hand, so all that a usual one says is counted. */
const SAMPLE_BYTES_MAX = 1_048_576;

type Collected = { bytes: Buffer } | { failure: UpstreamFailure } | { tooLarge: true } | { stop: Stop };

/** What is being relayed, and what the upstream took until its head. */
export type Relay = { flight: Flight; answer: Answer; upstreamMs: number };

/** An answer in one piece: read whole, metered, settled, and then given on as it came. */
export function relayWhole(relay: Relay, gate: Gate): Response | Promise<Response> {
  const collector = new Collector(relay, gate.limits.answerBytesMax);
  const collected = collector.start();
  if (collected !== null) return respond(relay, collected, gate);
  return new Promise(resolve => collector.wait(late => resolve(respond(relay, late, gate))));
}

function respond(relay: Relay, collected: Collected, gate: Gate): Response {
  const { flight, answer } = relay;
  const { call, way } = flight;
  const about = { request: call.id, upstream: way.upstream.name, status: answer.status };
  const { model } = way.request;
  if ("stop" in collected) return stopped(flight, collected.stop, gate);
  if ("tooLarge" in collected) {
    gate.log("warn", "upstream.answer_too_large", about);
    return fail(flight, refusal("upstream_failed", { model }), gate);
  }
  if ("failure" in collected) {
    gate.log("warn", "upstream.failed", { ...about, why: collected.failure.message });
    return fail(flight, failureRefusal(collected.failure, model), gate);
  }
  const verdict = judge(answer, model);
  if (verdict.kind === "failed") {
    gate.log("warn", "upstream.refused", about);
    return fail(flight, verdict.refusal, gate);
  }
  if (verdict.kind === "clients-fault") {
    if (gate.echoesCredential(way.upstream, collected.bytes)) {
      gate.log("error", "upstream.echoes_credential", about);
      return fail(flight, refusal("upstream_failed", { model }), gate);
    }
    flight.void({ status: answer.status, reason: "request_invalid" });
    return passOn(relay, collected.bytes);
  }
  const quick = peekChatUsage(collected.bytes);
  if (quick !== null) return deliver(relay, collected.bytes, { reported: quick, bad: false });
  const body = parse(collected.bytes);
  if (body === null || body["error"] !== undefined) {
    gate.log("warn", "upstream.not_an_answer", about);
    return fail(flight, refusal("upstream_failed", { model }), gate);
  }
  const reported = readChatUsage(body["usage"]);
  const bad = reported === null && typeof body["usage"] === "object" && body["usage"] !== null;
  return deliver(relay, collected.bytes, { reported, bad });
}

function deliver(relay: Relay, bytes: Buffer, usage: { reported: Usage | null; bad: boolean }): Response {
  const { flight, answer } = relay;
  const content = usage.reported === null ? metered(bytes) : NO_CONTENT;
  flight.firstByte();
  flight.settle({ status: answer.status, reason: null, usage, content });
  return passOn(relay, renamed(flight, bytes));
}

function metered(bytes: Buffer): ContentMeter {
  const content = new ContentMeter(SAMPLE_BYTES_MAX);
  content.read(bytes);
  return content;
}

function passOn({ flight, answer, upstreamMs }: Relay, bytes: Uint8Array): Response {
  const headers = commonHeaders(flight.call);
  headers["content-type"] = answer.headers.get("content-type") ?? "application/json";
  headers["server-timing"] = timing(flight.call, upstreamMs);
  grantHeaders(flight.way, flight.admitted, headers);
  return new Response(bytes as Uint8Array<ArrayBuffer>, { status: answer.status, headers });
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
    flight.onStop = stop => {
      answer.abort();
      this.#finish({ stop });
    };
    if (flight.stopped !== null) flight.onStop(flight.stopped);
    else answer.read(this);
    return this.#collected;
  }

  wait(waiting: (collected: Collected) => void): void {
    this.#waiting = waiting;
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
  if (parts.length === 1 && only !== undefined)
    return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
  return Buffer.concat(parts);
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The client reads the name it asked for, where the upstream knows the model by another. */
function renamed({ way }: Flight, bytes: Buffer): Uint8Array {
  if (way.upstreamModel === way.request.model) return bytes;
  const scan = scanObject(bytes, Number.MAX_SAFE_INTEGER);
  if (!scan.fields.some(field => field.name === "model")) return bytes;
  return spliceFields(bytes, scan, new Map([["model", JSON.stringify(way.request.model)]]));
}
