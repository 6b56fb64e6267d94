import type { UsageState } from "./usage.ts";

/** How a request ended, for people. */
export type Outcome = "running" | "ok" | "stopped" | "failed" | "refused";

export const OUTCOMES: readonly Outcome[] = ["running", "ok", "stopped", "failed", "refused"];

/** An answer that was cut short has failed, whoever cut it, unless its client left. */
export function outcomeOf(state: UsageState, reason: string | null): Outcome {
  if (state === "open") return "running";
  if (state === "refused") return "refused";
  if (reason === "client_left") return "stopped";
  return state === "settled" && reason === null ? "ok" : "failed";
}
