import type { By } from "./audit.ts";

/** Whoever makes a change in a test. */
export function tester(nowMs: number): By {
  return { actor: "tester", through: "apply", address: null, nowMs, chainKey: new Uint8Array(32).fill(7) };
}
