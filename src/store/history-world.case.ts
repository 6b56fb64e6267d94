import fc from "fast-check";
import type { Billing } from "../domain/group.ts";
import type { Limits } from "../domain/limits.ts";
import type { Nanos } from "../domain/money.ts";
import type { Period } from "../domain/spend-window.ts";

/**
 * What a history is made of: a small world, so that its few accounts, keys and plans meet often, and the steps that are
 * taken in it. Things are named by their place, which is taken modulo how many there are when the step comes.
 */
export type World = {
  startMs: number;
  accounts: readonly { balance: Nanos; limits: Limits }[];
  groups: readonly GroupSetting[];
  plans: readonly { groups: readonly number[]; quota: Nanos; period: Period }[];
  subscriptions: readonly { account: number; plan: number; untilMs: number | null }[];
  keys: readonly KeySetting[];
  codes: readonly { amount: Nanos; expiresMs: number | null }[];
};

export type GroupSetting = { billing: Billing; multiplier: number; enabled: boolean; limits: Limits };
/** Times are from the moment at which it is set. */
export type KeySetting = {
  account: number;
  group: number;
  quota: Nanos | null;
  expiresMs: number | null;
  limits: Limits;
};

export type Act =
  | { act: "admit"; key: number; ask: Asking }
  | { act: "extend"; hold: number; tokens: number }
  | { act: "settle"; hold: number; end: Ending }
  | { act: "void"; hold: number }
  | { act: "checkpoint"; hold: number; cost: Nanos };

export type Asking = {
  basePicos: bigint;
  outputPicos: bigint;
  outputTokens: number;
  heldTokens: number;
  choices: number;
  inputTokens: number;
};
export type Ending = { cost: Nanos; bound: Nanos; tokens: number };

export type Job =
  | { job: "credit"; account: number; amount: Nanos; once: number | null }
  | { job: "debit"; account: number; amount: Nanos }
  | { job: "refund"; request: number; amount: Nanos | null }
  | { job: "redeem"; account: number; code: number }
  | { job: "enable key"; key: number; enabled: boolean }
  | { job: "delete key"; key: number }
  | { job: "edit key"; key: number; setting: Omit<KeySetting, "account"> }
  | { job: "enable account"; account: number; enabled: boolean }
  | { job: "limit account"; account: number; limits: Limits }
  | { job: "edit group"; group: number; setting: GroupSetting }
  | { job: "edit plan"; plan: number; quota: Nanos }
  | { job: "subscribe"; account: number; plan: number; untilMs: number | null }
  | { job: "end subscription"; account: number; plan: number };

/** One of two gateway processes writes a batch. */
export type Batch = { do: "batch"; teller: number; acts: readonly Act[] };

export type Alone =
  | Batch
  | { do: "job"; job: Job }
  /** What dead processes left open is resolved. */
  | { do: "recover" }
  /** A process that was thought dead settles one of its requests after all, or another does it by its journal. */
  | { do: "haunt"; request: number; end: Ending; replayed: boolean };

export type Step =
  | Alone
  /** On a database that can, both at the same time. */
  | { do: "together"; one: Alone; other: Alone }
  /** The process is gone, and another takes its place; its holds stay. */
  | { do: "crash"; teller: number }
  /** The clock goes on, or is set back. */
  | { do: "wait"; ms: number };

export type History = { world: World; steps: readonly Step[] };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const place = fc.nat({ max: 11 });
const nanos = (max: bigint) => fc.bigInt({ min: 0n, max });
const likely = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof(likely(4, fc.constant(null)), likely(1, arbitrary));

const limits: fc.Arbitrary<Limits> = fc.record({
  requestsPerMinute: seldom(fc.integer({ min: 1, max: 6 })),
  tokensPerMinute: seldom(fc.constantFrom(1, 7, 30, 100, 1_000)),
  concurrency: seldom(fc.integer({ min: 1, max: 4 })),
  spendPerDay: seldom(nanos(500n)),
  spendPerWeek: seldom(nanos(600n)),
  spendPerMonth: seldom(nanos(700n)),
});
const noLimits = fc.constant<Limits>({
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrency: null,
  spendPerDay: null,
  spendPerWeek: null,
  spendPerMonth: null,
});
const someLimits = fc.oneof(noLimits, limits);

const billing = fc.constantFrom<Billing>("balance", "subscription-first", "subscription");
const multiplier = fc.constantFrom(10_000, 13_333, 5_000, 25_000, 0);
const enabled = fc.oneof(likely(6, fc.constant(true)), likely(1, fc.constant(false)));
const groupSetting = fc.record({ billing, multiplier, enabled, limits: someLimits });
const endMs = seldom(fc.constantFrom(SECOND_MS, 5 * MINUTE_MS, 2 * HOUR_MS, DAY_MS, 40 * DAY_MS));
const quota = fc.oneof(likely(2, fc.constant(null)), likely(1, nanos(600n)));
const keyEdit = fc.record({ group: place, quota, expiresMs: endMs, limits: someLimits });

/** Just before something ends: a day, a Sunday, a month, a February of a leap year, a year. */
const start = fc
  .tuple(
    fc.constantFrom("2027-01-15T12:00", "2027-03-21", "2027-04-30", "2028-02-29", "2026-12-31", "2028-12-31"),
    fc.constantFrom(0, 3 * MINUTE_MS, 40 * MINUTE_MS, 5 * HOUR_MS),
  )
  .map(([day, beforeMs]) => Date.parse(day.includes("T") ? `${day}Z` : `${day}T23:59:59.999Z`) - beforeMs);

const world: fc.Arbitrary<World> = fc.record({
  startMs: start,
  accounts: fc.array(fc.record({ balance: nanos(1_500n), limits: someLimits }), {
    minLength: 1,
    maxLength: 2,
  }),
  groups: fc.tuple(groupSetting, groupSetting, groupSetting).map(([a, b, c]) => [
    { ...a, billing: "balance" as const, enabled: true },
    { ...b, billing: "subscription-first" as const, enabled: true },
    { ...c, billing: "subscription" as const, enabled: true },
  ]),
  plans: fc.array(
    fc.record({
      groups: fc.constantFrom([0, 1, 2], [1, 2], [1], [2]),
      quota: nanos(600n),
      period: fc.constantFrom<Period>("day", "week", "month", "total"),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  subscriptions: fc.array(fc.record({ account: place, plan: place, untilMs: endMs }), {
    maxLength: 6,
    size: "max",
  }),
  keys: fc.array(fc.record({ account: place, group: place, quota, expiresMs: endMs, limits: someLimits }), {
    minLength: 2,
    maxLength: 5,
  }),
  codes: fc.array(fc.record({ amount: nanos(300n).map(amount => amount + 1n), expiresMs: endMs }), {
    maxLength: 2,
  }),
});

/** At once: the whole is held for. A stream: a first part, and more while it runs. */
const asking: fc.Arbitrary<Asking> = fc.oneof(
  fc.record({
    basePicos: fc.bigInt({ min: 0n, max: 250_000n }),
    outputPicos: fc.constant(0n),
    outputTokens: fc.constant(1),
    heldTokens: fc.constant(1),
    choices: fc.constant(1),
    inputTokens: fc.nat({ max: 40 }),
  }),
  fc.record({
    basePicos: fc.bigInt({ min: 0n, max: 50_000n }),
    outputPicos: fc.constantFrom(1_000n, 700n, 333n),
    outputTokens: fc.integer({ min: 1, max: 500 }),
    heldTokens: fc.integer({ min: 1, max: 200 }),
    choices: fc.constantFrom(1, 1, 3, 80),
    inputTokens: fc.nat({ max: 40 }),
  }),
);

/** What an upstream says can be anything: below what is held, above it, beyond sense, less than nothing. */
const cost = fc.oneof(
  likely(6, nanos(80n)),
  likely(3, nanos(500n)),
  likely(1, fc.constantFrom(-5n, 10n ** 18n, 10n ** 30n)),
);
const ending: fc.Arbitrary<Ending> = fc.record({
  cost,
  bound: fc.oneof(fc.constant(0n), nanos(700n)),
  tokens: fc.oneof(likely(8, fc.nat({ max: 400 })), likely(1, fc.constant(2_000_000_000))),
});

export const acts: fc.Arbitrary<Act> = fc.oneof(
  likely(8, fc.record({ act: fc.constant("admit" as const), key: place, ask: asking })),
  likely(4, fc.record({ act: fc.constant("settle" as const), hold: place, end: ending })),
  likely(
    4,
    fc.record({ act: fc.constant("extend" as const), hold: place, tokens: fc.integer({ min: 1, max: 600 }) }),
  ),
  likely(1, fc.record({ act: fc.constant("void" as const), hold: place })),
  likely(2, fc.record({ act: fc.constant("checkpoint" as const), hold: place, cost })),
);

const kind = <const T extends string>(name: T) => fc.constant(name);
const job: fc.Arbitrary<Job> = fc.oneof(
  likely(
    3,
    fc.record({ job: kind("credit"), account: place, amount: nanos(400n), once: seldom(fc.nat({ max: 1 })) }),
  ),
  likely(2, fc.record({ job: kind("debit"), account: place, amount: nanos(600n) })),
  likely(4, fc.record({ job: kind("refund"), request: place, amount: fc.option(nanos(100n)) })),
  likely(1, fc.record({ job: kind("redeem"), account: place, code: place })),
  likely(2, fc.record({ job: kind("enable key"), key: place, enabled })),
  likely(1, fc.record({ job: kind("delete key"), key: place })),
  likely(3, fc.record({ job: kind("edit key"), key: place, setting: keyEdit })),
  likely(2, fc.record({ job: kind("enable account"), account: place, enabled })),
  likely(3, fc.record({ job: kind("limit account"), account: place, limits: someLimits })),
  likely(3, fc.record({ job: kind("edit group"), group: place, setting: groupSetting })),
  likely(3, fc.record({ job: kind("edit plan"), plan: place, quota: nanos(600n) })),
  likely(3, fc.record({ job: kind("subscribe"), account: place, plan: place, untilMs: endMs })),
  likely(1, fc.record({ job: kind("end subscription"), account: place, plan: place })),
);

const teller = fc.nat({ max: 1 });
const batch = (of: fc.Arbitrary<number>): fc.Arbitrary<Batch> =>
  fc.record({
    do: kind("batch"),
    teller: of,
    acts: fc.array(acts, { minLength: 1, maxLength: 5, size: "max" }),
  });
const jobStep = fc.record({ do: kind("job"), job });
const recover = fc.record({ do: kind("recover") });
const haunt = fc.record({ do: kind("haunt"), request: place, end: ending, replayed: fc.boolean() });

/** Days are whole ones as well, so that a clock that is set back and forth meets the same millisecond again. */
const wait = fc.oneof(
  likely(4, fc.integer({ min: 1, max: 90 * SECOND_MS })),
  likely(2, fc.constantFrom(4 * MINUTE_MS, 8 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS)),
  likely(3, fc.constantFrom(DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 31 * DAY_MS, 100 * DAY_MS)),
  likely(3, fc.constantFrom(-4 * MINUTE_MS, -8 * MINUTE_MS, -HOUR_MS, -DAY_MS, -2 * DAY_MS, -7 * DAY_MS)),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  likely(16, batch(teller)),
  likely(6, jobStep),
  likely(6, fc.record({ do: kind("wait"), ms: wait })),
  likely(
    5,
    fc.record({
      do: kind("together"),
      one: fc.oneof(likely(5, batch(fc.constant(0))), likely(1, haunt)),
      other: fc.oneof(likely(5, batch(fc.constant(1))), likely(3, jobStep), likely(1, recover)),
    }),
  ),
  likely(1, fc.record({ do: kind("crash"), teller })),
  likely(1, recover),
  likely(1, haunt),
);

/** In three parts, since fast-check likes short lists, and much has to have happened before some things can. */
export function histories(stepsMax: number): fc.Arbitrary<History> {
  const part = fc.array(step, { maxLength: Math.ceil(stepsMax / 3), size: "max" });
  const steps = fc.tuple(part, part, part).map(parts => parts.flat());
  return fc.record({ world, steps });
}
