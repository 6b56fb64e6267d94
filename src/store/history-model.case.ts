import type { Billing } from "../domain/group.ts";
import type { Id } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import type { Nanos } from "../domain/money.ts";
import type { Period } from "../domain/spend-window.ts";

/**
 * What the books should say, worked out anew from a list of what happened: nothing here is counted up or down, every
 * sum is taken over the requests and the lines when it is asked for. No code of the ledger or of the decision is used.
 */
export type Books = {
  nowMs: number;
  accounts: AccountState[];
  groups: GroupState[];
  plans: PlanState[];
  subscriptions: SubscriptionState[];
  keys: KeyState[];
  codes: CodeState[];
  requests: Request[];
  lines: Line[];
  windows: Record<string, WindowState>;
  /** Each time a window begins anew, its run has the next number. */
  runs: number;
};

/** When the next one is due, in nanoseconds, for limits by the minute. */
export type Meter = { requestDueNs: bigint; tokenDueNs: bigint };
export type AccountState = { id: Id<"acc">; email: string; enabled: boolean; limits: Limits; meter: Meter };
export type GroupState = {
  id: Id<"grp">;
  name: string;
  billing: Billing;
  multiplier: number;
  enabled: boolean;
  limits: Limits;
};
export type PlanState = {
  id: Id<"pln">;
  name: string;
  groups: readonly number[];
  quota: Nanos;
  period: Period;
};
export type SubscriptionState = { id: Id<"sub">; account: number; plan: number; untilMs: number | null };
export type KeyState = {
  id: Id<"key">;
  name: string;
  account: number;
  group: number;
  quota: Nanos | null;
  expiresAtMs: number | null;
  enabled: boolean;
  deleted: boolean;
  limits: Limits;
  meter: Meter;
};
export type CodeState = { id: Id<"code">; amount: Nanos; expiresAtMs: number | null; redeemed: boolean };
export type Line = {
  account: number;
  kind: string;
  amount: Nanos;
  pocket: string;
  requestId: string | null;
  once: string | null;
};
export type Request = {
  id: Id<"req">;
  boot: Id<"boot">;
  key: number;
  state: "open" | "settled" | "voided" | "interrupted" | "refused";
  hold: Nanos;
  multiplier: number;
  basePicos: bigint;
  outputPicos: bigint;
  pocket: string | null;
  /** Where it counts: in which run of which windows. */
  counts: { window: string; run: number }[];
  /** Of an open one, what its last checkpoint says. */
  cost: Nanos;
  source: string | null;
  tokensGuessed: number;
  tokensDelivered: number;
};
/** The run that a window is in, and what it took over from a period that the clock was set back out of. */
export type WindowState = { fromMs: number; run: number; carried: Nanos };

/** Something that money comes out of, or that bounds it. */
export type Place = {
  /** The refusal that names it. */
  reason: string;
  period: Period | null;
  pocket: string | null;
  limit: Nanos;
  window: string | null;
  /** By all requests, or by all but one. */
  used: (except: Request | null) => Nanos;
};

const SKEW_MS = 10 * 60_000;

export function balanceOf(books: Books, account: number): Nanos {
  return sum(books.lines, line => (line.account === account && line.pocket === "balance" ? line.amount : 0n));
}

/** What the balance of an account holds for. */
export function heldOf(books: Books, account: number, except: Request | null = null): Nanos {
  return sum(openOf(books, account), one => (one !== except && one.pocket === "balance" ? one.hold : 0n));
}

export function openOf(books: Books, account: number): Request[] {
  return books.requests.filter(one => one.state === "open" && books.keys[one.key]?.account === account);
}

export function openOfKey(books: Books, key: number): Request[] {
  return books.requests.filter(one => one.state === "open" && one.key === key);
}

export function spentOf(books: Books, key: number): Nanos {
  return sum(books.requests, one => (one.key === key && one.state !== "open" ? one.cost : 0n));
}

export function heldOfKey(books: Books, key: number, except: Request | null = null): Nanos {
  return sum(openOfKey(books, key), one => (one === except ? 0n : one.hold));
}

export function windowSums(books: Books, window: string, except: Request | null = null) {
  const { run, carried } = books.windows[window] ?? { run: -1, carried: 0n };
  const counted = books.requests.filter(
    one => one !== except && one.counts.some(count => count.window === window && count.run === run),
  );
  const spent = sum(counted, one => (one.state === "open" ? 0n : one.cost));
  return { spent: carried + spent, held: sum(counted, one => (one.state === "open" ? one.hold : 0n)) };
}

export function periodFrom(period: Period, ms: number): number {
  if (period === "total") return 0;
  const date = new Date(ms);
  date.setUTCHours(0, 0, 0, 0);
  if (period === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (period === "month") date.setUTCDate(1);
  return date.getTime();
}

function periodOf(window: string): Period {
  return window.slice(window.indexOf("/") + 1) as Period;
}

/** What of a window is used at a time: nothing when its period is over; all of it when the clock was set back. */
function usedAt(
  books: Books,
  { window, atMs }: { window: string; atMs: number },
  except: Request | null,
): Nanos {
  const state = books.windows[window];
  if (state === undefined) return 0n;
  const fromMs = periodFrom(periodOf(window), atMs);
  if (fromMs > state.fromMs) return 0n;
  const { spent, held } = windowSums(books, window, except);
  return spent + held;
}

/** The window is used at a time, and so is in the run of that time. */
function touch(books: Books, window: string, atMs: number): { window: string; run: number } {
  const fromMs = periodFrom(periodOf(window), atMs);
  const state = books.windows[window];
  if (state === undefined || state.fromMs !== fromMs) {
    const carried = usedAt(books, { window, atMs }, null);
    books.windows[window] = { fromMs, run: books.runs++, carried };
  }
  return { window, run: books.windows[window]?.run ?? -1 };
}

/** A hold takes its place in the windows that bound it and in its pocket's; elsewhere it stays where it was. */
export function countHold(books: Books, request: Request, at: { places: readonly Place[]; atMs: number }) {
  const names = at.places.flatMap(({ window }) => window ?? []);
  request.counts = request.counts.filter(
    ({ window }) => !names.includes(window) && !isOfSubscription(window),
  );
  request.counts.push(...names.map(name => touch(books, name, at.atMs)));
}

function isOfSubscription(window: string): boolean {
  return window.startsWith("sub_");
}

export function limitsOf({ groups }: Pick<Books, "groups">, key: KeyState): Limits {
  const defaults = at(groups, key.group).limits;
  const names = Object.keys(key.limits) as (keyof Limits)[];
  return Object.fromEntries(names.map(name => [name, key.limits[name] ?? defaults[name]])) as Limits;
}

const PERIODS = ["day", "week", "month"] as const;
const LIMIT_OF = { day: "spendPerDay", week: "spendPerWeek", month: "spendPerMonth" } as const;

/** Who may pay for a request of a key, in order, and what bounds it whoever pays. */
export function placesFor(books: Books, keyAt: number): { purses: Place[]; bounds: Place[]; atMs: number } {
  const key = at(books.keys, keyAt);
  const account = at(books.accounts, key.account);
  const { billing } = at(books.groups, key.group);
  const payers = billing === "balance" ? [] : payingSubscriptions(books, key);
  const owners = [
    { id: key.id, limits: limitsOf(books, key), reason: "key_quota_exhausted" },
    { id: account.id, limits: account.limits, reason: "account_limit_exhausted" },
  ];
  const limited = owners.flatMap(({ id, limits, reason }) =>
    PERIODS.flatMap(period => {
      const limit = limits[LIMIT_OF[period]];
      return limit === null ? [] : [{ reason, period, pocket: null, limit, window: `${id}/${period}` }];
    }),
  );
  const subscribed = payers.map(({ id, plan }) => {
    const { quota, period } = at(books.plans, plan);
    const names = { reason: "subscription_exhausted", period: null, pocket: id };
    return { ...names, limit: quota, window: `${id}/${period}` };
  });
  // Within the difference of two machines' clocks, the one that has begun the next period is right.
  let atMs = books.nowMs;
  for (const { window } of [...limited, ...subscribed]) {
    const fromMs = books.windows[window]?.fromMs ?? 0;
    if (fromMs > atMs && fromMs - books.nowMs <= SKEW_MS) atMs = fromMs;
  }
  const inWindow = (place: Omit<Place, "used"> & { window: string }): Place => ({
    ...place,
    used: except => usedAt(books, { window: place.window, atMs }, except),
  });
  const bounds = limited.map(inWindow);
  if (key.quota !== null) bounds.unshift(quotaPlace(books, keyAt, key.quota));
  const purses = subscribed.map(inWindow);
  if (billing !== "subscription") purses.push(balancePlace(books, key.account));
  return { purses, bounds, atMs };
}

function quotaPlace(books: Books, key: number, limit: Nanos): Place {
  const used = (except: Request | null) => spentOf(books, key) + heldOfKey(books, key, except);
  return { reason: "key_quota_exhausted", period: null, pocket: null, limit, window: null, used };
}

function balancePlace(books: Books, account: number): Place {
  const limit = balanceOf(books, account);
  const used = (except: Request | null) => heldOf(books, account, except);
  return { reason: "balance_exhausted", period: null, pocket: "balance", limit, window: null, used };
}

/** What ends first pays first; of two that end together, the older. */
function payingSubscriptions(books: Books, key: KeyState): SubscriptionState[] {
  const until = ({ untilMs }: SubscriptionState) => untilMs ?? Number.POSITIVE_INFINITY;
  const order = (a: SubscriptionState, b: SubscriptionState) =>
    until(a) === until(b) ? (a.id < b.id ? -1 : 1) : until(a) - until(b);
  return books.subscriptions
    .filter(one => one.account === key.account && until(one) > books.nowMs)
    .filter(one => at(books.plans, one.plan).groups.includes(key.group))
    .sort(order);
}

export function sum<T>(of: readonly T[], amount: (one: T) => Nanos): Nanos {
  return of.reduce((total, one) => total + amount(one), 0n);
}

/** By its place, which is taken modulo how many there are. */
export function at<T>(list: readonly T[], place: number): T {
  const found = list[place % list.length];
  if (found === undefined) throw new Error("the list is empty");
  return found;
}
