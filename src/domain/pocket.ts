import type { Account } from "./account.ts";
import type { ApiKey } from "./api-key.ts";
import { type Refusal, refusal } from "./errors.ts";
import type { Group } from "./group.ts";
import type { Id } from "./ids.ts";
import { hasNoLimits, type Limits, withDefaults } from "./limits.ts";
import { formatUsd, type Nanos } from "./money.ts";
import { type Subscription, subscriptionsFor } from "./plan.ts";
import {
  countedAt,
  newWindow,
  type Period,
  periodEnd,
  rolled,
  type SpendWindow,
  type WindowName,
  windowKey,
} from "./spend-window.ts";

/** What pays for a request: the account's balance, or one of its subscriptions. The receipt names it. */
export type Pocket = "balance" | Id<"sub">;

export type PocketRows = {
  key: ApiKey;
  account: Account;
  group: Group;
  /** All of the account's. */
  subscriptions: readonly Subscription[];
  /** By `windowKey`; one that is missing is empty. */
  windows: ReadonlyMap<string, SpendWindow>;
  /** Until when the string that was presented works; only where the key has a newer one. */
  stringUntilMs?: number;
};

/** Something that bounds what may be spent: a pocket, a quota, a limit by the day. */
export type Bound = {
  left: Nanos;
  /** Where what is spent is counted; null where the key's or the account's own row counts it. */
  window: WindowName | null;
  refuse: (needed: Nanos) => Refusal;
};

export type Purse = { pocket: Pocket; bound: Bound };

const SPEND_PERIODS: readonly (readonly [Period, "spendPerDay" | "spendPerWeek" | "spendPerMonth"])[] = [
  ["day", "spendPerDay"],
  ["week", "spendPerWeek"],
  ["month", "spendPerMonth"],
];

const NONE: readonly Subscription[] = [];
const NO_WINDOWS: readonly WindowName[] = [];
const NO_PURSES: readonly Purse[] = [];
const NO_BOUNDS: readonly Bound[] = [];

/** What a request of this key may be paid from, and what bounds it whoever pays. */
export type Spendable = { purses: readonly Purse[]; bounds: readonly Bound[]; atMs: number };

export function spendable(rows: PocketRows, nowMs: number): Spendable {
  const { key, account, group } = rows;
  const subscriptions =
    group.billing === "balance" ? NONE : subscriptionsFor(rows.subscriptions, { group: group.name, nowMs });
  const limited = windowsOfLimits(rows);
  if (limited.length === 0 && subscriptions.length === 0) {
    const purses = group.billing === "subscription" ? NO_PURSES : [balancePurse(account, NO_PURSES)];
    return { purses, bounds: key.quota === null ? NO_BOUNDS : [quotaBound(key, key.quota)], atMs: nowMs };
  }
  return spendableInWindows(rows, { limited, subscriptions, nowMs });
}

type InWindows = { limited: readonly WindowName[]; subscriptions: readonly Subscription[]; nowMs: number };

function spendableInWindows(rows: PocketRows, { limited, subscriptions, nowMs }: InWindows): Spendable {
  const { key, account, group, windows } = rows;
  const names = [...limited, ...subscriptions.map(windowOfSubscription)];
  const atMs = countedAt(found(windows, names), nowMs);
  const bounds: Bound[] = [];
  if (key.quota !== null) bounds.push(quotaBound(key, key.quota));
  if (limited.length > 0) bounds.push(...limitBounds(rows, atMs));
  const subscribed = subscriptions.map(one => subscriptionPurse(one, rows, atMs));
  const purses =
    group.billing === "subscription" ? subscribed : [...subscribed, balancePurse(account, subscribed)];
  return { purses, bounds, atMs };
}

function limitBounds(rows: PocketRows, atMs: number): Bound[] {
  const bounds: Bound[] = [];
  for (const [ownerId, limits, refuse] of limitedOwners(rows)) {
    for (const [period, field] of SPEND_PERIODS) {
      const limit = limits[field];
      if (limit === null) continue;
      const window = { ownerId, period };
      const left = limit - used(rows.windows, window, atMs);
      const say = { limit: formatUsd(limit), left, period, refills: refillTime(period, atMs) };
      bounds.push({ left, window, refuse: needed => refuse({ ...say, needed: formatUsd(needed) }) });
    }
  }
  return bounds;
}

/** Which windows the limits of a key and its account count in. */
export function windowsOfLimits({
  key,
  account,
  group,
}: Omit<PocketRows, "windows" | "subscriptions">): readonly WindowName[] {
  const limits = withDefaults(key, group.limits);
  if (hasNoLimits(limits) && hasNoLimits(account)) return NO_WINDOWS;
  const names: WindowName[] = [];
  const add = (ownerId: string, limits: Limits) => {
    for (const [period, field] of SPEND_PERIODS) if (limits[field] !== null) names.push({ ownerId, period });
  };
  add(key.id, limits);
  add(account.id, account);
  return names;
}

export function windowOfSubscription({ id, plan }: Subscription): WindowName {
  return { ownerId: id, period: plan.period };
}

/** What is left of a subscription's period, and when the next one begins; null where none ever does. */
export function subscriptionState(
  one: Subscription,
  { windows, nowMs }: Pick<PocketRows, "windows"> & { nowMs: number },
): { left: Nanos; resetsAtMs: number | null; isOver: boolean } {
  const name = windowOfSubscription(one);
  const atMs = countedAt(found(windows, [name]), nowMs);
  const left = one.plan.quota - used(windows, name, atMs);
  const isOver = one.untilMs !== null && one.untilMs <= nowMs;
  return { left: left > 0n ? left : 0n, resetsAtMs: periodEnd(one.plan.period, atMs), isOver };
}

/** Nobody pays: the group wants a subscription and the account has none for it. */
export function noPurse({ group }: PocketRows, needed: Nanos): Refusal {
  const state = `it has none for the group “${group.name}”`;
  return refusal("subscription_exhausted", { state, available: "0.00", needed: formatUsd(needed) });
}

type Say = { limit: string; left: Nanos; period: Period; refills: string; needed: string };

function limitedOwners(rows: PocketRows): [string, Limits, (say: Say) => Refusal][] {
  const { key, account, group } = rows;
  return [
    [
      key.id,
      withDefaults(key, group.limits),
      ({ limit, left, period, refills, needed }) => {
        const fill = { key: key.name, available: free(left), quota: limit, needed };
        return refusal("key_quota_exhausted", { ...fill, period: ` for the ${period}, until ${refills},` });
      },
    ],
    [
      account.id,
      account,
      ({ limit, left, period, refills, needed }) =>
        refusal("account_limit_exhausted", { limit, period, available: free(left), refills, needed }),
    ],
  ];
}

function quotaBound(key: ApiKey, quota: Nanos): Bound {
  const left = quota - key.spent - key.held;
  const params = { key: key.name, available: free(left), quota: formatUsd(quota), period: "" };
  return {
    left,
    window: null,
    refuse: needed => refusal("key_quota_exhausted", { ...params, needed: formatUsd(needed) }),
  };
}

function subscriptionPurse(one: Subscription, { windows }: PocketRows, atMs: number): Purse {
  const { plan } = one;
  const window = windowOfSubscription(one);
  const left = plan.quota - used(windows, window, atMs);
  const state = `“${plan.name}” has ${free(left)} USD left and ${refills(plan.period, atMs)}`;
  const params = { state, available: free(left) };
  const refuse = (needed: Nanos) =>
    refusal("subscription_exhausted", { ...params, needed: formatUsd(needed) });
  return { pocket: one.id, bound: { left, window, refuse } };
}

/** The last to be asked, so it tells of those before it. */
function balancePurse(account: Account, before: readonly Purse[]): Purse {
  const left = account.balance - account.held;
  const refuse = (needed: Nanos) => {
    const also = before
      .map(({ bound }) => `; the subscription ${bound.refuse(needed).params["state"]}`)
      .join("");
    return refusal("balance_exhausted", { available: free(left), needed: formatUsd(needed), also });
  };
  return { pocket: "balance", bound: { left, window: null, refuse } };
}

function refills(period: Period, atMs: number): string {
  const at = refillTime(period, atMs);
  return at === "never" ? "does not fill again" : `fills again at ${at}`;
}

function refillTime(period: Period, atMs: number): string {
  const end = periodEnd(period, atMs);
  return end === null ? "never" : new Date(end).toISOString().replace(".000Z", "Z");
}

function used(windows: PocketRows["windows"], name: WindowName, atMs: number): Nanos {
  const { spent, held } = rolled(windows.get(windowKey(name)) ?? newWindow(name), atMs);
  return spent + held;
}

function found(windows: PocketRows["windows"], names: readonly WindowName[]): SpendWindow[] {
  return names.flatMap(name => windows.get(windowKey(name)) ?? []);
}

function free(left: Nanos): string {
  return formatUsd(left > 0n ? left : 0n);
}
