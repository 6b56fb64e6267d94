import { NO_USAGE, type Usage, type UsageSource } from "../domain/usage.ts";
import { textTokensGuess } from "../pricing/estimate.ts";
import { cost } from "../pricing/price.ts";
import type { Admitted } from "../store/store.ts";
import type { Exchange } from "../upstream/answer.ts";
import { type Call, elapsedMs } from "./call.ts";
import type { Gate } from "./gate.ts";
import type { Way } from "./resolve.ts";
import type { RunningRequest, Stop } from "./running.ts";

/** An admitted request on its way: what it may cost, how it can be stopped, and that it is settled exactly once. */
export type Flight = {
  call: Call;
  way: Way;
  admitted: Admitted;
  exchange: Exchange;
  /** Set by whoever is waiting for the upstream at the moment. */
  onStop: (stop: Stop) => void;
  onTick: (nowMs: number) => void;
  stopped: () => Stop | null;
  firstByte: () => void;
  settle: (end: FlightEnd) => void;
  checkpoint: (contentBytes: number) => void;
};

/** How it ended. Without a reported usage, what was delivered is counted here and marked as an estimate. */
export type FlightEnd = {
  status: number;
  reason: string | null;
  usage: { reported: Usage | null; bad: boolean };
  contentBytes: number;
  /** Nothing of use was delivered: nothing is charged. */
  voided?: boolean;
};

export function fly(parts: Pick<Flight, "call" | "way" | "admitted" | "exchange">, gate: Gate): Flight {
  const { call, way, admitted, exchange } = parts;
  let stopped: Stop | null = null;
  let firstByteMs: number | null = null;
  let settled = false;

  const delivered = (contentBytes: number): Usage => {
    const output = Math.min(textTokensGuess(contentBytes), admitted.outputTokens);
    const { bytes, dataBytes } = way.request;
    return { ...NO_USAGE, input: textTokensGuess(bytes.length - dataBytes), output };
  };
  const price = (usage: Usage) => cost(usage, way.price, admitted.multiplier);

  function settle({
    status,
    reason,
    usage: { reported, bad },
    contentBytes,
    voided = false,
  }: FlightEnd): void {
    if (settled) return;
    settled = true;
    gate.running.remove(running);
    call.http.signal.removeEventListener("abort", leave);
    const usage = voided ? NO_USAGE : (reported ?? delivered(contentBytes));
    const source: UsageSource | null = voided
      ? null
      : bad
        ? "clamped"
        : reported === null
          ? "estimated"
          : "reported";
    gate.store.settle({
      id: call.id,
      state: voided ? "voided" : "settled",
      status,
      reason,
      upstream: way.upstream.name,
      usage,
      cost: voided ? 0n : price(usage),
      source,
      firstByteMs,
      durationMs: elapsedMs(call),
    });
  }

  const flight: Flight = {
    ...parts,
    onStop: () => exchange.abort(),
    onTick: () => {},
    stopped: () => stopped,
    firstByte: () => {
      firstByteMs ??= elapsedMs(call);
    },
    settle,
    checkpoint: contentBytes => {
      const usage = delivered(contentBytes);
      if (!settled) gate.store.checkpoint({ id: call.id, usage, cost: price(usage) });
    },
  };
  const stop = (why: Stop) => {
    if (stopped !== null || settled) return;
    stopped = why;
    flight.onStop(why);
  };
  const leave = () => stop({ kind: "left" });
  const running: RunningRequest = {
    id: call.id,
    keyId: admitted.keyId,
    expiresAtMs: admitted.expiresAtMs,
    startedAtMs: call.startedAtMs,
    stop,
    tick: nowMs => flight.onTick(nowMs),
  };
  gate.running.add(running);
  call.http.signal.addEventListener("abort", leave);
  if (call.http.signal.aborted) leave();
  return flight;
}
