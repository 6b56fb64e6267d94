/** Limits by the minute, as exact GCRA: a full minute's worth may come at once, then one for each interval. */
export type Meter = {
  perMinute: number | null;
  /** When the next one is due, in nanoseconds since the epoch; in the future where some came early. */
  arrivalNs: bigint;
  count: number;
  /** How far ahead it can be by right; further ahead means that the clock was set back. */
  aheadNsMax: bigint;
};

const MS_NS = 1_000_000n;
const SECOND_NS = 1_000_000_000n;
const MINUTE_NS = 60n * SECOND_NS;
const HOUR_NS = 60n * MINUTE_NS;

type Metered = { arrivalNs: bigint; tokenArrivalNs: bigint };

export function requestMeter({ arrivalNs }: Metered, perMinute: number | null): Meter {
  return { perMinute, arrivalNs, count: 1, aheadNsMax: MINUTE_NS };
}

/** One request may bring many minutes' worth of tokens. */
export function tokenMeter({ tokenArrivalNs }: Metered, perMinute: number | null, tokens: number): Meter {
  return { perMinute, arrivalNs: tokenArrivalNs, count: tokens, aheadNsMax: HOUR_NS };
}

/** Zero where it may come now. */
export function waitSeconds(meter: Meter, nowMs: number): number {
  if (meter.perMinute === null) return 0;
  const nowNs = BigInt(nowMs) * MS_NS;
  const excessNs = nextArrival(meter, nowMs) - nowNs - MINUTE_NS;
  // More than a whole minute's worth in one piece could never fit: it passes when the meter is at rest.
  if (excessNs <= 0n || meter.arrivalNs <= nowNs) return 0;
  return Number((excessNs + SECOND_NS - 1n) / SECOND_NS);
}

export function nextArrival(meter: Meter, nowMs: number): bigint {
  if (meter.perMinute === null) return meter.arrivalNs;
  const nowNs = BigInt(nowMs) * MS_NS;
  return from(meter, nowNs) + (MINUTE_NS * BigInt(meter.count)) / BigInt(meter.perMinute);
}

/** How many more of one would pass now, and the seconds until all of a minute's worth would. */
export function rateLeft(meter: Meter, nowMs: number): { left: number; resetSeconds: number } {
  const nowNs = BigInt(nowMs) * MS_NS;
  const aheadNs = from(meter, nowNs) - nowNs;
  const freeNs = aheadNs >= MINUTE_NS ? 0n : MINUTE_NS - aheadNs;
  const left = Number((freeNs * BigInt(meter.perMinute ?? 0)) / MINUTE_NS);
  return { left, resetSeconds: Number((aheadNs + SECOND_NS - 1n) / SECOND_NS) };
}

function from({ arrivalNs, aheadNsMax }: Meter, nowNs: bigint): bigint {
  if (arrivalNs <= nowNs) return nowNs;
  return arrivalNs > nowNs + aheadNsMax ? nowNs + aheadNsMax : arrivalNs;
}

/**
 * Once the real count is known, the guess that admission made is put right: never further ahead than a meter can be by
 * right, whatever an upstream claims to have used.
 */
export function correctTokens(
  { arrivalNs, perMinute, aheadNsMax }: Meter,
  counted: { guessed: number; real: number },
  nowMs: number,
): bigint {
  if (perMinute === null) return arrivalNs;
  const right = arrivalNs + (MINUTE_NS * BigInt(counted.real - counted.guessed)) / BigInt(perMinute);
  const mostNs = BigInt(nowMs) * MS_NS + aheadNsMax;
  return right > mostNs ? mostNs : right;
}
