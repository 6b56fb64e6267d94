import type { Answer, AnswerConsumer, UpstreamFailure } from "../upstream/answer.ts";
import { type DirectSink, directStream } from "./direct-stream.ts";
import { NO_CONTENT, STATUS_LEFT, stopped } from "./endings.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { grantHeaders } from "./grant.ts";
import { commonHeaders, timing } from "./headers.ts";
import { failureRefusal } from "./judge.ts";
import { render } from "./refuse.ts";
import type { Relay } from "./relay-whole.ts";
import type { Stop } from "./running.ts";

/** Nothing in the bytes tells of usage. */
const NO_REPORT = { reported: null, bad: false };
const CHECKPOINT_MS = 1_500;

/**
 * Bytes that are neither text nor events, such as sound: they go on as they arrive, and nothing is put among them. Where
 * they cannot be finished the connection is cut, so that nobody takes half a file for a whole one.
 */
export function relayRaw(relay: Relay, gate: Gate): Response {
  const { flight, answer, upstreamMs } = relay;
  // Whoever leaves before the stream is first pulled is settled all the same.
  flight.onStop = stop => {
    answer.abort();
    stopped(flight, stop, gate);
  };
  const body = directStream(
    sink => new Promise((resolve, reject) => new RawRelay(relay, gate, { sink, resolve, reject }).start()),
  );
  const headers = commonHeaders(flight.call);
  headers["content-type"] = answer.headers.get("content-type") ?? "application/octet-stream";
  headers["cache-control"] = "no-store";
  headers["x-accel-buffering"] = "no";
  headers["server-timing"] = timing(flight.elapsedMs, upstreamMs);
  grantHeaders(flight.way, flight.admitted, headers);
  return new Response(body, { status: answer.status, headers });
}

type Outlet = { sink: DirectSink; resolve: () => void; reject: (error: Error) => void };

class RawRelay implements AnswerConsumer {
  readonly #flight: Flight;
  readonly #answer: Answer;
  readonly #gate: Gate;
  readonly #outlet: Outlet;
  readonly #resume = () => this.#answer.resume();
  #isOver = false;
  #checkpointAtMs: number;

  constructor({ flight, answer }: Relay, gate: Gate, outlet: Outlet) {
    this.#flight = flight;
    this.#answer = answer;
    this.#gate = gate;
    this.#outlet = outlet;
    this.#checkpointAtMs = gate.nowMs();
  }

  start(): void {
    const flight = this.#flight;
    flight.onStop = stop => this.#stop(stop);
    flight.onTick = nowMs => this.#tick(nowMs);
    if (flight.stopped === null) this.#answer.read(this);
    else this.#stop(flight.stopped);
  }

  onBytes(bytes: Uint8Array): void {
    if (this.#isOver) return;
    this.#flight.firstByte();
    this.#flight.answers();
    let written: number | Promise<number>;
    try {
      written = this.#outlet.sink.write(bytes);
      this.#outlet.sink.flush();
    } catch {
      // The connection is gone and its signal is still on the way.
      this.#stop({ kind: "left" });
      return;
    }
    if (!(written instanceof Promise)) return;
    // The client reads slower than the upstream writes: hold the upstream back until it has caught up.
    this.#answer.pause();
    written.then(this.#resume, this.#resume);
  }

  onEnd(): void {
    if (!this.#end({ status: 200, reason: null })) return;
    try {
      this.#outlet.sink.close();
    } catch {
      // Closed already, by a client that left.
    }
    this.#outlet.resolve();
  }

  onFailure(failure: UpstreamFailure): void {
    const { call, way } = this.#flight;
    const about = { request: call.id, upstream: way.upstream.name, why: failure.message };
    if (!this.#isOver) this.#gate.log("warn", "upstream.cut", about);
    const refused = failureRefusal(failure, way.request.model);
    const { status } = render(refused, { dialect: call.dialect, requestId: call.id });
    this.#cut({ status, reason: refused.reason });
  }

  #stop(stop: Stop): void {
    this.#answer.abort();
    if (stop.kind === "left") {
      this.#cut({ status: STATUS_LEFT, reason: "client_left" });
      return;
    }
    const { call } = this.#flight;
    const { status } = render(stop.refusal, { dialect: call.dialect, requestId: call.id });
    this.#cut({ status, reason: stop.refusal.reason });
  }

  #tick(nowMs: number): void {
    if (nowMs - this.#checkpointAtMs < CHECKPOINT_MS) return;
    this.#checkpointAtMs = nowMs;
    this.#flight.checkpoint(0, this.#flight.admitted.heldTokens);
  }

  /** A stream that throws is closed without its end. */
  #cut(end: { status: number; reason: string }): void {
    if (this.#end(end)) this.#outlet.reject(new Error(end.reason));
  }

  #end(end: { status: number; reason: string | null }): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#flight.settle({ ...end, usage: NO_REPORT, content: NO_CONTENT });
    return true;
  }
}
