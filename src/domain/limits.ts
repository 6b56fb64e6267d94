import type { Nanos } from "./money.ts";

/** What an owner may do in a time; each is off unless it is set. A key has its own, an account for all its keys. */
export type Limits = {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** Requests running at the same time. */
  concurrency: number | null;
  spendPerDay: Nanos | null;
  spendPerWeek: Nanos | null;
  spendPerMonth: Nanos | null;
};

export const NO_LIMITS: Limits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrency: null,
  spendPerDay: null,
  spendPerWeek: null,
  spendPerMonth: null,
};

/** Where the limits stand: what runs, and GCRA's theoretical arrival times in nanoseconds since the epoch. */
export type Meters = {
  /** Requests admitted and not yet resolved. */
  open: number;
  arrivalNs: bigint;
  tokenArrivalNs: bigint;
};

export function hasNoLimits(limits: Limits): boolean {
  return (
    limits.requestsPerMinute === null &&
    limits.tokensPerMinute === null &&
    limits.concurrency === null &&
    limits.spendPerDay === null &&
    limits.spendPerWeek === null &&
    limits.spendPerMonth === null
  );
}

/** What a key does not set for itself, its group sets. */
export function withDefaults(own: Limits, defaults: Limits): Limits {
  if (hasNoLimits(defaults)) return own;
  return {
    requestsPerMinute: own.requestsPerMinute ?? defaults.requestsPerMinute,
    tokensPerMinute: own.tokensPerMinute ?? defaults.tokensPerMinute,
    concurrency: own.concurrency ?? defaults.concurrency,
    spendPerDay: own.spendPerDay ?? defaults.spendPerDay,
    spendPerWeek: own.spendPerWeek ?? defaults.spendPerWeek,
    spendPerMonth: own.spendPerMonth ?? defaults.spendPerMonth,
  };
}
