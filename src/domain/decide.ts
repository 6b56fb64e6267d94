import type { Account } from "./account.ts";
import { type ApiKey, keyState } from "./api-key.ts";
import { type Refusal, refusal } from "./errors.ts";
import { type Group, groupHasModel } from "./group.ts";
import type { Id } from "./ids.ts";
import { type BasisPoints, formatUsd, type Nanos, nanosUp, type Picos } from "./money.ts";

/** What a request would cost at most, before the group's multiplier. */
export type Quote = {
  priceId: Id<"prc">;
  /** The call itself and the upper bound of its input. */
  basePicos: Picos;
  /** The dearest that one output token can be. */
  outputPicos: Picos;
  /** What the client asked for, or the model's maximum, over all choices. */
  outputTokens: number;
  /** Each choice gets at least one token. */
  choices: number;
};

/** What is to be decided: everything the gateway knows of a request before it may spend. */
export type Ask = {
  model: string;
  /** Found before admission: the request itself is at fault, or nothing can serve it. */
  problem: Refusal | null;
  /** Null where `problem` says why there is none. */
  quote: Quote | null;
  /** A guess at its input, counted against tokens per minute until the real number is known. */
  inputTokens: number;
};

export type DecideRows = { key: ApiKey; account: Account; group: Group };

export type Grant = {
  admitted: true;
  hold: Nanos;
  multiplier: BasisPoints;
  /** At most what was asked; less where the pocket affords less. */
  outputTokens: number;
  arrivalNs: bigint;
  tokenArrivalNs: bigint;
};

export type Decision = Grant | { admitted: false; refusal: Refusal };

/** An answer cut shorter than this is of no use to anybody, so the request is refused instead. */
export const OUTPUT_TOKENS_MIN = 64;

const MINUTE_NS = 60_000_000_000n;
const SECOND_NS = 1_000_000_000n;
const MS_NS = 1_000_000n;

/**
 * The whole decision, pure: both databases call it inside their admission transaction, so what it sees is true now.
 * The order is the order in which a person would have to mend things.
 */
export function decide(rows: DecideRows, ask: Ask, nowMs: number): Decision {
  const refused =
    keyRefusal(rows, nowMs) ??
    requestRefusal(ask) ??
    groupRefusal(rows.group, ask) ??
    concurrencyRefusal(rows.key) ??
    rateRefusal(rows.key, ask, nowMs);
  if (refused !== null) return { admitted: false, refusal: refused };
  const { quote } = ask;
  if (quote === null)
    return { admitted: false, refusal: ask.problem ?? refusal("model_unpriced", { model: ask.model }) };

  const granted = grant(rows, quote);
  if (granted.admitted && ask.problem !== null) return { admitted: false, refusal: ask.problem };
  if (!granted.admitted) return granted;
  const arrivalNs = nextArrival(requestMeter(rows.key), nowMs);
  const tokenArrivalNs = nextArrival(tokenMeter(rows.key, ask.inputTokens), nowMs);
  return { ...granted, arrivalNs, tokenArrivalNs };
}

export function keyRefusal(
  { key, account }: Pick<DecideRows, "key" | "account">,
  nowMs: number,
): Refusal | null {
  const state = keyState(key, nowMs);
  if (state === "deleted") return refusal("key_deleted", { key: key.name });
  if (state === "disabled") return refusal("key_disabled", { key: key.name });
  if (state === "expired") {
    return refusal("key_expired", { key: key.name, expired: new Date(key.expiresAtMs ?? 0).toISOString() });
  }
  return account.enabled ? null : refusal("account_disabled");
}

/** What is wrong with the catalogue rather than the request is told in its own place of the order. */
const CATALOGUE_PROBLEMS: ReadonlySet<string> = new Set([
  "no_upstream",
  "model_unpriced",
  "model_not_in_group",
]);

function requestRefusal({ problem }: Ask): Refusal | null {
  return problem === null || CATALOGUE_PROBLEMS.has(problem.reason) ? null : problem;
}

export function groupRefusal(
  group: Group,
  { model, problem }: Pick<Ask, "model" | "problem">,
): Refusal | null {
  if (!group.enabled) return refusal("group_disabled", { group: group.name });
  if (problem?.reason === "model_not_in_group" || !groupHasModel(group, model)) {
    return refusal("model_not_in_group", { model, group: group.name, models: group.models.join(", ") });
  }
  return problem?.reason === "model_unpriced" ? problem : null;
}

export function concurrencyRefusal(key: ApiKey): Refusal | null {
  if (key.concurrency === null || key.open < key.concurrency) return null;
  return refusal("concurrency_limited", { key: key.name, limit: key.concurrency, seconds: 1 });
}

type Meter = { perMinute: number | null; arrivalNs: bigint; count: number };

function requestMeter(key: ApiKey): Meter {
  return { perMinute: key.requestsPerMinute, arrivalNs: key.arrivalNs, count: 1 };
}

function tokenMeter(key: ApiKey, tokens: number): Meter {
  return { perMinute: key.tokensPerMinute, arrivalNs: key.tokenArrivalNs, count: tokens };
}

function rateRefusal(key: ApiKey, ask: Ask, nowMs: number): Refusal | null {
  const requests = waitSeconds(requestMeter(key), nowMs);
  if (requests > 0) {
    const params = { key: key.name, limit: key.requestsPerMinute ?? 0, what: "requests", seconds: requests };
    return refusal("rate_limited", params);
  }
  const tokens = waitSeconds(tokenMeter(key, ask.inputTokens), nowMs);
  if (tokens === 0) return null;
  const params = { key: key.name, limit: key.tokensPerMinute ?? 0, what: "tokens", seconds: tokens };
  return refusal("rate_limited", params);
}

/** Exact GCRA: a full minute's worth may come at once, then one for each interval. */
function waitSeconds(meter: Meter, nowMs: number): number {
  if (meter.perMinute === null) return 0;
  const excessNs = nextArrival(meter, nowMs) - BigInt(nowMs) * MS_NS - MINUTE_NS;
  // More than a whole minute's worth in one piece could never fit: it passes when the meter is at rest.
  if (excessNs <= 0n || meter.arrivalNs <= BigInt(nowMs) * MS_NS) return 0;
  return Number((excessNs + SECOND_NS - 1n) / SECOND_NS);
}

function nextArrival({ perMinute, arrivalNs, count }: Meter, nowMs: number): bigint {
  if (perMinute === null) return arrivalNs;
  const nowNs = BigInt(nowMs) * MS_NS;
  const from = arrivalNs > nowNs ? arrivalNs : nowNs;
  return from + (MINUTE_NS * BigInt(count)) / BigInt(perMinute);
}

/** Once the real count is known, the guess that admission made is put right. */
export function correctTokens(key: ApiKey, counted: { guessed: number; real: number }): bigint {
  if (key.tokensPerMinute === null) return key.tokenArrivalNs;
  return (
    key.tokenArrivalNs + (MINUTE_NS * BigInt(counted.real - counted.guessed)) / BigInt(key.tokensPerMinute)
  );
}

/** Lowers the output to what the poorest pocket affords; refuses where that is of no use. */
function grant({ key, account, group }: DecideRows, quote: Quote): Decision {
  // Money never comes from a pocket that the group does not name.
  const balance = group.billing === "subscription" ? 0n : account.balance - account.held;
  const quota = key.quota === null ? null : key.quota - key.spent - key.held;
  const available = quota !== null && quota < balance ? quota : balance;

  const outputTokens = affordable(quote, group.multiplier, available);
  const least = Math.min(quote.outputTokens, Math.max(OUTPUT_TOKENS_MIN, quote.choices));
  if (outputTokens >= least) {
    const hold = nanosUp(quote.basePicos + quote.outputPicos * BigInt(outputTokens), group.multiplier);
    const { multiplier } = group;
    const { arrivalNs, tokenArrivalNs } = key;
    return { admitted: true, hold, multiplier, outputTokens, arrivalNs, tokenArrivalNs };
  }
  const needed = formatUsd(nanosUp(quote.basePicos + quote.outputPicos * BigInt(least), group.multiplier));
  if (quota !== null && quota < balance) {
    const left = formatUsd(quota > 0n ? quota : 0n);
    const params = { key: key.name, available: left, quota: formatUsd(key.quota ?? 0n), needed };
    return { admitted: false, refusal: refusal("key_quota_exhausted", params) };
  }
  const free = formatUsd(balance > 0n ? balance : 0n);
  const empty = group.billing === "subscription" ? "subscription_exhausted" : "balance_exhausted";
  return { admitted: false, refusal: refusal(empty, { available: free, needed }) };
}

/** The most output tokens, up to what is asked, whose hold the available money covers; -1 where not even none. */
function affordable(quote: Quote, multiplier: BasisPoints, available: Nanos): number {
  const cost = (tokens: number) => nanosUp(quote.basePicos + quote.outputPicos * BigInt(tokens), multiplier);
  if (available < 0n) return -1;
  if (cost(quote.outputTokens) <= available) return quote.outputTokens;
  if (cost(0) > available || quote.outputPicos === 0n || multiplier === 0) return -1;
  const picos = (available * 10_000_000n) / BigInt(multiplier) - quote.basePicos;
  return Number(picos / quote.outputPicos);
}
