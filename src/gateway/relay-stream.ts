import { type Refusal, refusal } from "../domain/errors.ts";
import type { Tap } from "../protocols/protocol.ts";
import { type Answer, type AnswerConsumer, UpstreamFailure } from "../upstream/answer.ts";
import type { Tokens } from "./count-tokens.ts";
import { type DirectSink, directStream } from "./direct-stream.ts";
import { STATUS_LEFT, stopped } from "./endings.ts";
import { type Fault, failOver, faultOfFailure, NOT_AN_ANSWER } from "./failover.ts";
import type { Flight, FlightEnd } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { grantHeaders } from "./grant.ts";
import { GrowingHold } from "./growing-hold.ts";
import { commonHeaders, timing } from "./headers.ts";
import { failureRefusal } from "./judge.ts";
import { launch } from "./launch.ts";
import { LateAnswer } from "./patience.ts";
import { render } from "./refuse.ts";
import type { Relay } from "./relay-whole.ts";
import type { Stop } from "./running.ts";

const KEEP_ALIVE = Buffer.from(": keep-alive\n\n");
/** It is looked at a few times a second, so that no silence reaches the 15 s that are promised. */
const KEEP_ALIVE_MS = 12_000;
/**
 * A crash gives away at most what was delivered in 2 s, the way to the disk included. It is looked at every 200 ms, and
 * a look that comes a little early must not put it off to the next.
 */
const CHECKPOINT_MS = 1_500;
/** How long an upstream may take to close after its last word before its connection is given up. */
const CLOSING_MS_MAX = 1_000;

/** An answer as it comes: bytes go on as they arrive, a stalled reader pauses the upstream, every end is settled. */
export function relayStream(relay: Relay, gate: Gate): Response {
  const { call } = relay.flight;
  // Stopped while its hold was on the way to the disk: the stream of a client that has left is never pulled.
  if (relay.flight.stopped !== null) {
    relay.answer.abort();
    return stopped(relay.flight, relay.flight.stopped, gate);
  }
  // Whoever leaves before the stream is first pulled is settled all the same.
  relay.flight.onStop = stop => {
    relay.answer.abort();
    stopped(relay.flight, stop, gate);
  };
  const body = directStream(
    sink => new Promise(resolve => new StreamRelay(relay, gate, sink, resolve).start()),
  );
  const headers = commonHeaders(call);
  headers["content-type"] = "text/event-stream; charset=utf-8";
  headers["cache-control"] = "no-store";
  headers["x-accel-buffering"] = "no";
  headers["server-timing"] = timing(relay.flight.elapsedMs, relay.upstreamMs);
  grantHeaders(relay.flight.way, relay.flight.admitted, headers);
  return new Response(body, { headers });
}

class StreamRelay implements AnswerConsumer {
  readonly flight: Flight;
  answer: Answer;
  #tap: Tap;
  /** Comments aside, something has gone to the client. */
  #hasPassed = false;
  readonly #hold: GrowingHold;
  readonly #resume = () => {
    this.#stalled = false;
    this.#lastWord?.();
    if (!this.#waits) this.answer.resume();
  };
  /** For a longer hold. */
  #waits = false;
  /** The end of an answer whose reader is behind: it comes when the reader has caught up. */
  #lastWord: (() => void) | null = null;
  #over = false;
  #stalled = false;
  #wroteAtMs: number;
  #checkpointAtMs: number;

  constructor(
    relay: Relay,
    readonly gate: Gate,
    readonly sink: DirectSink,
    readonly done: () => void,
  ) {
    this.flight = relay.flight;
    this.answer = relay.answer;
    this.#tap = this.flight.passage.tap();
    this.#hold = new GrowingHold(relay.flight, gate, {
      wait: () => {
        this.#waits = true;
        this.answer.pause();
      },
      goOn: () => {
        this.#waits = false;
        if (!this.#stalled) this.answer.resume();
      },
      end: reason => this.#endAtLength(reason),
    });
    // The upstream may have taken long to begin, and the client has heard nothing since it asked.
    this.#wroteAtMs = this.flight.call.startedAtMs;
    this.#checkpointAtMs = gate.nowMs();
  }

  start(): void {
    const { flight, answer } = this;
    flight.onStop = stop => this.#stop(stop);
    flight.onTick = nowMs => this.#tick(nowMs);
    if (flight.stopped === null) answer.read(this);
    else this.#stop(flight.stopped);
  }

  onBytes(bytes: Uint8Array): void {
    if (this.#over) return;
    const passing = this.#tap.feed(bytes);
    if (passing !== null) {
      this.flight.firstByte();
      this.#hasPassed = true;
      this.#wroteAtMs = this.gate.nowMs();
      this.#write(passing);
    }
    if (this.#tap.failed) {
      this.answer.abort();
      this.onFailure(new UpstreamFailure("protocol", "the upstream reported an error in its stream"));
    } else if (this.#tap.ended) {
      this.#finish({ status: 200, reason: null });
      setTimeout(() => this.answer.abort(), CLOSING_MS_MAX).unref();
    } else if (this.#tap.isOverlong) {
      this.answer.abort();
      if (this.#asksAnother(NOT_AN_ANSWER)) return;
      this.#finishWith(refusal("upstream_failed", { model: this.flight.way.request.model }));
    } else if (passing !== null) {
      this.flight.answers();
      this.#hold.delivered(this.#tap.content);
    }
  }

  onEnd(): void {
    if (this.#over) return;
    const rest = this.#tap.rest();
    if (rest !== null) this.#write(rest);
    if (this.#tap.failed && rest === null && this.#asksAnother(NOT_AN_ANSWER)) return;
    if (this.#tap.failed)
      this.#finishWith(refusal("upstream_failed", { model: this.flight.way.request.model }));
    else this.#finish({ status: 200, reason: null });
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#over) return;
    const { call, way } = this.flight;
    this.gate.log("warn", "upstream.cut", {
      request: call.id,
      upstream: way.upstream.name,
      why: failure.message,
    });
    if (this.#asksAnother(faultOfFailure(failure))) return;
    this.#finishWith(failureRefusal(failure, way.request.model));
  }

  /** Only comments have gone to the client, so it need not know which upstream answers. */
  #asksAnother(fault: Fault): boolean {
    const { flight, gate } = this;
    if (this.#hasPassed || this.#stalled || !failOver(flight, fault, gate)) return false;
    flight.onStop = stop => this.#stop(stop);
    flight.onTick = nowMs => this.#tick(nowMs);
    flight.send(launch(flight, gate));
    this.answer = new LateAnswer(flight.exchange, flight.model);
    this.#tap = flight.passage.tap();
    this.answer.read(this);
    return true;
  }

  #stop(stop: Stop): void {
    this.answer.abort();
    if (stop.kind === "left") this.#finish({ status: STATUS_LEFT, reason: "client_left" });
    else this.#finishWith(stop.refusal);
  }

  #tick(nowMs: number): void {
    if (!this.#stalled && nowMs - this.#wroteAtMs >= KEEP_ALIVE_MS) {
      this.#wroteAtMs = nowMs;
      this.#write(KEEP_ALIVE);
    }
    if (nowMs - this.#checkpointAtMs < CHECKPOINT_MS) return;
    this.#checkpointAtMs = nowMs;
    this.flight.checkpoint(this.#tap.content.bytes, this.#hold.heldTokens);
  }

  #write(bytes: Uint8Array): void {
    let written: number | Promise<number>;
    try {
      written = this.sink.write(bytes);
      this.sink.flush();
    } catch {
      // The connection is gone and its signal is still on the way.
      this.#stop({ kind: "left" });
      return;
    }
    if (!(written instanceof Promise)) return;
    // The client reads slower than the upstream writes: hold the upstream back until it has caught up.
    this.#stalled = true;
    this.answer.pause();
    written.then(this.#resume, this.#resume);
  }

  /** No more can be held: the answer ends as if the model had reached its limit, which for this pocket it has. */
  #endAtLength(reason: string): void {
    if (this.#over) return;
    this.answer.abort();
    void this.flight.countTokens(this.#tap.content).then(tokens => {
      if (this.#stalled) this.#lastWord = () => this.#writeEnd(reason, tokens);
      else this.#writeEnd(reason, tokens);
    });
  }

  #writeEnd(reason: string, { input, output }: Tokens): void {
    if (this.#over) return;
    const { heldTokens } = this.#hold;
    this.#write(this.#tap.lengthEnd({ input, output: Math.min(output, heldTokens) }));
    this.#finish({ status: 200, reason, outputTokensMax: heldTokens });
  }

  /** An error that comes when the stream has begun is its last event, and no false success follows it. */
  #finishWith(refused: Refusal): void {
    if (this.#over) return;
    const { call } = this.flight;
    const { body, status } = render(refused, { dialect: call.dialect, requestId: call.id });
    if (!this.#stalled) this.#write(this.#tap.failureEnd(body));
    this.#finish({ status, reason: refused.reason });
  }

  #finish(end: Pick<FlightEnd, "status" | "reason" | "outputTokensMax">): void {
    if (this.#over) return;
    this.#over = true;
    const { usage, isFinal, bad } = this.#tap.reported();
    // A stream that was cut may have reported only what it had used at its beginning.
    const reported = end.reason === null || isFinal ? usage : null;
    this.flight.settle({ ...end, usage: { reported, bad }, content: this.#tap.content });
    try {
      this.sink.close();
    } catch {
      // Closed already, by a client that left.
    }
    this.done();
  }
}
