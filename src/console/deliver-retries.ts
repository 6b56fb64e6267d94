const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first try, the second, and so on: 21 hours in all. */
export const RETRY_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];

/** How far a time may be off, so that what failed together does not come back together. */
const JITTER = 0.2;

type Now = { nowMs: number; random: () => number; restMs?: number };

/** When something is tried again that has failed so often, and not before `restMs` are over; null: never. */
export function retryAt(tries: number, { nowMs, random, restMs = 0 }: Now): number | null {
  const wait = RETRY_MS[tries - 1];
  if (wait === undefined) return null;
  return Math.round(nowMs + Math.max(restMs, wait * (1 + JITTER * (2 * random() - 1))));
}
