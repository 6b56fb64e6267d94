import { refusal } from "../domain/errors.ts";
import { answerForm } from "./answer-form.ts";
import { elapsedMs } from "./call.ts";
import { broken, fail, stopped } from "./endings.ts";
import { stepAside } from "./failover.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { launch } from "./launch.ts";
import { answerOrPatience } from "./patience.ts";
import { relayRaw } from "./raw-stream.ts";
import { relayStream } from "./relay-stream.ts";
import { relayWhole } from "./relay-whole.ts";

/** After this, one of those that every upstream is at work on may have ended. */
const OVERLOAD_SECONDS = 5;

/** One upstream is asked. Null: it failed before the client had a byte, and the flight has another way. */
export async function attempt(flight: Flight, gate: Gate): Promise<Response | null> {
  const { call } = flight;
  const { stream, model } = flight.way.request;
  if (flight.stopped !== null) return stopped(flight, flight.stopped, gate);
  if (!stepAside(flight, gate)) {
    return fail(flight, refusal("upstream_overloaded", { model, seconds: OVERLOAD_SECONDS }), gate);
  }
  flight.send(launch(flight, gate));
  try {
    const answer = stream ? await answerOrPatience(flight, gate) : await flight.exchange.answer;
    const upstreamMs = elapsedMs(call) - flight.sentAtMs;
    // Not a byte goes to the client before the hold is on the disk; the upstream was at work meanwhile.
    const saving = flight.durable();
    if (saving !== null) await saving;
    const relay = { flight, answer, upstreamMs };
    switch (answerForm(answer, { operation: call.operation, model, stream })) {
      case "events":
        return relayStream(relay, gate);
      case "bytes":
        return relayRaw(relay, gate);
      case "whole":
        return await relayWhole(relay, gate);
    }
  } catch (error) {
    return broken(flight, error, gate);
  }
}
