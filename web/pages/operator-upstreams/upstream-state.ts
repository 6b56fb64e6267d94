import type { PillTone } from "../../parts/pill.tsx";
import type { Upstream } from "./upstream-reads.ts";

export type UpstreamState = "ok" | "resting" | "rejected" | "paused" | "unused";

export const STATE_TONES: Record<UpstreamState, PillTone> = {
  ok: "ok",
  resting: "warn",
  rejected: "bad",
  paused: "quiet",
  unused: "info",
};

/** What is gravest of it. One rejected key among several is grave too: sooner or later the others follow. */
export function stateOf({ is_paused, credentials, resting, health }: Upstream): UpstreamState {
  if (is_paused) return "paused";
  if (credentials.some(({ state }) => state === "rejected")) return "rejected";
  if (resting.length > 0 || credentials.some(({ state }) => state === "resting")) return "resting";
  return health.requests === 0 ? "unused" : "ok";
}

/** Whether there is something for a reset to wake. */
export function isResting({ credentials, resting }: Upstream): boolean {
  return resting.length > 0 || credentials.some(({ state }) => state !== "ok");
}

/** Models that nobody else would serve without it. */
export function onlyHere(one: Upstream, all: readonly Upstream[]): string[] {
  const others = all.filter(({ id, is_paused }) => id !== one.id && !is_paused);
  const served = new Set(others.flatMap(({ models }) => models.map(({ model }) => model)));
  return one.models.map(({ model }) => model).filter(model => !served.has(model));
}
