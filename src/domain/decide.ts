import { keyState } from "./api-key.ts";
import { type Reason, type Refusal, refusal } from "./errors.ts";
import { groupHasModel, mayUseGroup } from "./group.ts";
import type { Id } from "./ids.ts";
import { hasNoLimits, type Limits, type Meters, withDefaults } from "./limits.ts";
import { type BasisPoints, type Nanos, nanosUp, type Picos } from "./money.ts";
import { type Bound, noPurse, type Pocket, type PocketRows, type Purse, spendable } from "./pocket.ts";
import { nextArrival, rateLeft, requestMeter, tokenMeter, waitSeconds } from "./rate.ts";
import type { WindowName } from "./spend-window.ts";

/** What a request would cost at most, before the group's multiplier. */
export type Quote = {
  priceId: Id<"prc">;
  /** The call itself and the upper bound of its input. */
  basePicos: Picos;
  /** The dearest that one output token can be. */
  outputPicos: Picos;
  /** What the client asked for, or the model's maximum, over all choices. */
  outputTokens: number;
  /** Of these, what is held for at first: all of them, or a stream's first part, which grows while it runs. */
  heldTokens: number;
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

export type DecideRows = PocketRows;

export type Arrivals = Pick<Meters, "arrivalNs" | "tokenArrivalNs">;

export type Grant = {
  admitted: true;
  hold: Nanos;
  multiplier: BasisPoints;
  /** At most what was asked; less where the pocket affords less. */
  outputTokens: number;
  /** What of it the hold covers. */
  heldTokens: number;
  /** What lowered it. */
  loweredBy: Reason | null;
  pocket: Pocket;
  /** Where the hold counts, as of `atMs`. */
  windows: readonly WindowName[];
  atMs: number;
  /** Where the meters of the key and its account stand from now on; none where nothing limits them. */
  arrivals: readonly { meters: Meters; next: Arrivals }[];
  rates: readonly Rate[];
};

export type Decision = Grant | { admitted: false; refusal: Refusal };

/** What a limit by the minute still lets through, for the headers that clients read. */
export type Rate = { what: "requests" | "tokens"; limit: number; left: number; resetSeconds: number };

/** An answer cut shorter than this is of no use to anybody, so the request is refused instead. */
export const OUTPUT_TOKENS_MIN = 64;

const NO_ARRIVALS: Grant["arrivals"] = [];
const NO_RATES: readonly Rate[] = [];
const NO_OWNERS: readonly Owner[] = [];

/**
 * The whole decision, pure: both databases call it inside their admission transaction, so what it sees is true now.
 * The order is the order in which a person would have to mend things.
 */
export function decide(rows: DecideRows, ask: Ask, nowMs: number): Decision {
  const owners = limitedOwners(rows);
  const refused =
    keyRefusal(rows, nowMs) ??
    requestRefusal(ask) ??
    groupRefusal(rows, ask) ??
    concurrencyRefusal(owners) ??
    rateRefusal(owners, ask, nowMs);
  if (refused !== null) return { admitted: false, refusal: refused };
  const { quote } = ask;
  if (quote === null)
    return { admitted: false, refusal: ask.problem ?? refusal("model_unpriced", { model: ask.model }) };

  const paid = pay(rows, quote, nowMs);
  if ("refusal" in paid) return { admitted: false, refusal: paid.refusal };
  if (ask.problem !== null) return { admitted: false, refusal: ask.problem };
  if (owners.length === 0) return paid;
  const arrivals = owners.map(owner => ({ meters: owner.meters, next: nextArrivals(owner, ask, nowMs) }));
  const rates = owners.flatMap(owner => ratesOf(owner, ask, nowMs));
  return { ...paid, arrivals, rates };
}

export function keyRefusal(
  rows: Pick<DecideRows, "key" | "account" | "stringUntilMs">,
  nowMs: number,
): Refusal | null {
  const { key, account } = rows;
  const state = keyState(key, nowMs);
  if (state === "deleted") return refusal("key_deleted", { key: key.name });
  if (state === "disabled") return refusal("key_disabled", { key: key.name });
  if (state === "expired") {
    return refusal("key_expired", { key: key.name, expired: new Date(key.expiresAtMs ?? 0).toISOString() });
  }
  return account.enabled ? stringRefusal(rows, nowMs) : refusal("account_disabled");
}

/** Whether the string that was presented has been replaced by another, and its time is over. */
export function stringRefusal(
  { key, stringUntilMs }: Pick<DecideRows, "key" | "stringUntilMs">,
  nowMs: number,
): Refusal | null {
  if (stringUntilMs === undefined || stringUntilMs > nowMs) return null;
  return refusal("key_replaced", { key: key.name, ended: new Date(stringUntilMs).toISOString() });
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

/** Whether no model of the group can be called at all. */
export function groupIsClosed({ group, account }: Pick<DecideRows, "group" | "account">): Refusal | null {
  if (!group.enabled) return refusal("group_disabled", { group: group.name });
  return mayUseGroup(group, account.id) ? null : refusal("group_not_allowed", { group: group.name });
}

export function groupRefusal(
  { group, account }: Pick<DecideRows, "group" | "account">,
  { model, problem }: Pick<Ask, "model" | "problem">,
): Refusal | null {
  const closed = groupIsClosed({ group, account });
  if (closed !== null) return closed;
  if (problem?.reason === "model_not_in_group" || !groupHasModel(group, model)) {
    return refusal("model_not_in_group", { model, group: group.name, models: group.models.join(", ") });
  }
  return problem?.reason === "model_unpriced" ? problem : null;
}

/** A key and its account are limited in the same way; the key's own limits come before its group's. */
type Owner = { whose: string; limits: Limits; meters: Meters };

/** Those of the two that something limits. */
export function limitedOwners({
  key,
  account,
  group,
}: Pick<DecideRows, "key" | "account" | "group">): readonly Owner[] {
  const limits = withDefaults(key, group.limits);
  const keyIsFree = hasNoLimits(limits);
  if (keyIsFree && hasNoLimits(account)) return NO_OWNERS;
  const ofAccount = { whose: "The account of this key", limits: account, meters: account };
  return keyIsFree ? [ofAccount] : [{ whose: `The key “${key.name}”`, limits, meters: key }, ofAccount];
}

export function concurrencyRefusal(owners: readonly Owner[]): Refusal | null {
  for (const { whose, limits, meters } of owners) {
    const limit = limits.concurrency;
    if (limit !== null && meters.open >= limit)
      return refusal("concurrency_limited", { whose, limit, seconds: 1 });
  }
  return null;
}

function rateRefusal(owners: readonly Owner[], ask: Ask, nowMs: number): Refusal | null {
  for (const { whose, limits, meters } of owners) {
    const { requestsPerMinute, tokensPerMinute } = limits;
    const requests = waitSeconds(requestMeter(meters, requestsPerMinute), nowMs);
    if (requests > 0)
      return refusal("rate_limited", {
        whose,
        limit: requestsPerMinute ?? 0,
        what: "requests",
        seconds: requests,
      });
    const tokens = waitSeconds(tokenMeter(meters, tokensPerMinute, ask.inputTokens), nowMs);
    if (tokens > 0)
      return refusal("rate_limited", { whose, limit: tokensPerMinute ?? 0, what: "tokens", seconds: tokens });
  }
  return null;
}

function nextArrivals({ limits, meters }: Owner, ask: Ask, nowMs: number): Arrivals {
  return {
    arrivalNs: nextArrival(requestMeter(meters, limits.requestsPerMinute), nowMs),
    tokenArrivalNs: nextArrival(tokenMeter(meters, limits.tokensPerMinute, ask.inputTokens), nowMs),
  };
}

/** As they stand after this request. */
function ratesOf(owner: Owner, ask: Ask, nowMs: number): Rate[] {
  const { requestsPerMinute, tokensPerMinute } = owner.limits;
  if (requestsPerMinute === null && tokensPerMinute === null) return [];
  const after = nextArrivals(owner, ask, nowMs);
  const rates: Rate[] = [];
  if (requestsPerMinute !== null) {
    const left = rateLeft(requestMeter(after, requestsPerMinute), nowMs);
    rates.push({ what: "requests", limit: requestsPerMinute, ...left });
  }
  if (tokensPerMinute !== null) {
    const left = rateLeft(tokenMeter(after, tokensPerMinute, 0), nowMs);
    rates.push({ what: "tokens", limit: tokensPerMinute, ...left });
  }
  return rates;
}

/**
 * One pocket pays for a request: the first that affords what is held at first, or else the one that affords most. The
 * output is lowered to what the richest pocket and every bound afford; where that is of no use, the poorest is named.
 */
function pay(rows: DecideRows, quote: Quote, nowMs: number): Grant | { refusal: Refusal } {
  const { multiplier } = rows.group;
  const { purses, bounds, atMs } = spendable(rows, nowMs);
  const least = Math.min(quote.outputTokens, Math.max(OUTPUT_TOKENS_MIN, quote.choices));
  const richest = richestPurse(purses);
  if (richest === null) return { refusal: noPurse(rows, costOf(quote, least, multiplier)) };
  const poorest = poorestBound(bounds);
  const bounded = poorest !== null && poorest.left < richest.bound.left ? poorest : null;
  const { left } = bounded ?? richest.bound;
  const whole = costOf(quote, quote.outputTokens, multiplier);
  let { outputTokens } = quote;
  let loweredBy: Reason | null = null;
  if (whole > left) {
    outputTokens = affordable(quote, multiplier, left);
    // The last pocket of the order is the one whose emptiness is felt.
    const short = bounded ?? purses.at(-1)?.bound ?? richest.bound;
    const refused = short.refuse(costOf(quote, least, multiplier));
    if (outputTokens < least) return { refusal: refused };
    loweredBy = refused.reason;
  }
  const heldTokens = Math.min(outputTokens, Math.max(quote.heldTokens, least));
  const hold = heldTokens === quote.outputTokens ? whole : costOf(quote, heldTokens, multiplier);
  const { pocket, bound } = firstWith(purses, hold) ?? richest;
  const windows = windowsOf(bounds, bound);
  // As if nothing limited it by the minute; that is looked at where something does.
  const [arrivals, rates] = [NO_ARRIVALS, NO_RATES];
  const admitted = true;
  return {
    admitted,
    hold,
    multiplier,
    outputTokens,
    heldTokens,
    loweredBy,
    pocket,
    windows,
    atMs,
    arrivals,
    rates,
  };
}

const NO_WINDOWS: readonly WindowName[] = [];

function windowsOf(bounds: readonly Bound[], bound: Bound): readonly WindowName[] {
  if (bounds.length === 0 && bound.window === null) return NO_WINDOWS;
  return [...bounds, bound].flatMap(({ window }) => window ?? []);
}

export function poorestBound(bounds: readonly Bound[]): Bound | null {
  if (bounds.length === 0) return null;
  return bounds.reduce<Bound | null>((a, b) => (a === null || b.left < a.left ? b : a), null);
}

function richestPurse(purses: readonly Purse[]): Purse | null {
  if (purses.length < 2) return purses[0] ?? null;
  return purses.reduce<Purse | null>((a, b) => (a === null || b.bound.left > a.bound.left ? b : a), null);
}

function firstWith(purses: readonly Purse[], amount: Nanos): Purse | null {
  for (const purse of purses) if (purse.bound.left >= amount) return purse;
  return null;
}

export function costOf(
  { basePicos, outputPicos }: Pick<Quote, "basePicos" | "outputPicos">,
  outputTokens: number,
  multiplier: BasisPoints,
): Nanos {
  return nanosUp(basePicos + outputPicos * BigInt(outputTokens), multiplier);
}

/** The most output tokens, up to what is asked, whose hold the available money covers; -1 where not even none. */
export function affordable(
  quote: Pick<Quote, "basePicos" | "outputPicos" | "outputTokens">,
  multiplier: BasisPoints,
  available: Nanos,
): number {
  if (available < 0n) return -1;
  if (costOf(quote, quote.outputTokens, multiplier) <= available) return quote.outputTokens;
  if (costOf(quote, 0, multiplier) > available || quote.outputPicos === 0n || multiplier === 0) return -1;
  const picos = (available * 10_000_000n) / BigInt(multiplier) - quote.basePicos;
  return Number(picos / quote.outputPicos);
}
