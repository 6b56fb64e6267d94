import { NO_USAGE, type Usage } from "../domain/usage.ts";
import { inputTokensGuess, textTokensGuess } from "../pricing/estimate.ts";
import { cost } from "../pricing/price.ts";
import type { Admitted, Settlement } from "../store/store.ts";
import type { Exchange } from "../upstream/answer.ts";
import { type Call, elapsedMs } from "./call.ts";
import type { Gate } from "./gate.ts";
import type { Way } from "./resolve.ts";
import type { RunningRequest, Stop } from "./running.ts";

/** How a flight ended. Without a reported usage, what was delivered is counted and marked as an estimate. */
export type FlightEnd = {
  status: number;
  reason: string | null;
  usage: { reported: Usage | null; bad: boolean };
  contentBytes: number;
};

type Resolved = Pick<Settlement, "state" | "status" | "reason" | "usage" | "cost" | "source">;

export type FlightParts = { call: Call; way: Way; admitted: Admitted; exchange: Exchange };

/** An admitted request on its way: how it can be stopped, what it may cost, and that it is settled exactly once. */
export class Flight implements RunningRequest {
  readonly call: Call;
  readonly way: Way;
  readonly admitted: Admitted;
  readonly exchange: Exchange;
  /** Set by whoever is waiting for the upstream at the moment. */
  onStop: (stop: Stop) => void;
  onTick: ((nowMs: number) => void) | null = null;
  stopped: Stop | null = null;
  readonly #gate: Gate;
  readonly #leave = () => this.stop({ kind: "left" });
  #firstByteMs: number | null = null;
  #isListening = false;
  #settled = false;

  constructor({ call, way, admitted, exchange }: FlightParts, gate: Gate) {
    this.call = call;
    this.way = way;
    this.admitted = admitted;
    this.exchange = exchange;
    this.#gate = gate;
    this.onStop = () => exchange.abort();
    gate.running.add(this);
  }

  /** Whoever left before this is found to have left now. */
  stay(): void {
    const { http } = this.call;
    this.#isListening = true;
    this.#gate.keepOpen(http);
    http.signal.addEventListener("abort", this.#leave);
    if (http.signal.aborted) this.#leave();
  }

  get id() {
    return this.call.id;
  }
  get keyId() {
    return this.admitted.keyId;
  }
  get expiresAtMs() {
    return this.admitted.expiresAtMs;
  }
  get model() {
    return this.way.request.model;
  }
  get startedAtMs() {
    return this.call.startedAtMs;
  }

  stop(stop: Stop): void {
    if (this.stopped !== null || this.#settled) return;
    this.stopped = stop;
    this.onStop(stop);
  }

  tick(nowMs: number): void {
    this.onTick?.(nowMs);
  }

  firstByte(): void {
    this.#firstByteMs ??= elapsedMs(this.call);
  }

  settle({ status, reason, usage: { reported, bad }, contentBytes }: FlightEnd): void {
    const usage = reported ?? this.#delivered(contentBytes);
    const source = bad ? "clamped" : reported === null ? "estimated" : "reported";
    this.#resolve({ state: "settled", status, reason, usage, cost: this.#price(usage), source });
  }

  /** Nothing of use was delivered: nothing is charged. */
  void({ status, reason }: { status: number; reason: string }): void {
    this.#resolve({ state: "voided", status, reason, usage: NO_USAGE, cost: 0n, source: null });
  }

  checkpoint(contentBytes: number): void {
    if (this.#settled) return;
    const usage = this.#delivered(contentBytes);
    this.#gate.store.checkpoint({ id: this.call.id, usage, cost: this.#price(usage) });
  }

  #resolve({ state, status, reason, usage, cost, source }: Resolved): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#gate.running.remove(this);
    if (this.#isListening) this.call.http.signal.removeEventListener("abort", this.#leave);
    this.#gate.store.settle({
      id: this.call.id,
      state,
      status,
      reason,
      upstream: this.way.upstream.name,
      usage,
      cost,
      source,
      firstByteMs: this.#firstByteMs,
      durationMs: elapsedMs(this.call),
    });
  }

  #delivered(contentBytes: number): Usage {
    const { bytes, dataBytes, dataParts } = this.way.request;
    const input = inputTokensGuess({ bytes: bytes.length, dataBytes, dataParts });
    return {
      ...NO_USAGE,
      input,
      output: Math.min(textTokensGuess(contentBytes), this.admitted.outputTokens),
    };
  }

  #price(usage: Usage): bigint {
    return cost(usage, this.way.price, this.admitted.multiplier);
  }
}
