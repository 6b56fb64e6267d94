import type { Id } from "../domain/ids.ts";
import { type Dialect, dialectOf, type Operation } from "../domain/usage.ts";
import type { Gate } from "./gate.ts";

/** One request at the door, from its first line on. */
export type Call = {
  id: Id<"req">;
  http: Request;
  operation: Operation;
  /** In which it is answered. */
  dialect: Dialect;
  startedAtMs: number;
  /** A clock that no adjustment moves, for durations. */
  startedTick: number;
  isAdmitted: boolean;
};

export function arrive(http: Request, operation: Operation, gate: Gate): Call {
  return {
    id: gate.newId("req"),
    http,
    operation,
    dialect: dialectOf(operation),
    startedAtMs: gate.nowMs(),
    startedTick: performance.now(),
    isAdmitted: false,
  };
}

export function elapsedMs(call: Call): number {
  return Math.round(performance.now() - call.startedTick);
}
