import { type Refusal, refusal } from "../domain/errors.ts";
import type { Gate } from "./gate.ts";

/** Why nobody is let in at the moment, whatever their key. */
export function closedDoor(gate: Gate): Refusal | null {
  if (gate.isDraining()) return refusal("draining");
  const limit = gate.limits.requestsInFlightMax;
  return gate.running.count() >= limit ? refusal("gateway_overloaded", { limit }) : null;
}
