import { describe, expect, test } from "bun:test";
import type { Account } from "./account.ts";
import type { ApiKey } from "./api-key.ts";
import { catalogue, fill } from "./errors.ts";
import type { Billing, Group } from "./group.ts";
import { NO_LIMITS } from "./limits.ts";
import type { Subscription } from "./plan.ts";
import { type Bound, noPurse, type PocketRows, spendable, windowsOfLimits } from "./pocket.ts";
import { type SpendWindow, windowKey } from "./spend-window.ts";

const NOON = Date.UTC(2027, 0, 15, 12);
const MIDNIGHT = Date.UTC(2027, 0, 15);
const AT_REST = { open: 0, arrivalNs: 0n, tokenArrivalNs: 0n };

const key: ApiKey = {
  ...{ id: "key_1", accountId: "acc_1", groupId: "grp_1", name: "laptop", preview: "wgk_…" },
  ...{ enabled: true, deletedAtMs: null, expiresAtMs: null, quota: null, spent: 0n, held: 0n },
  ...{ ...NO_LIMITS, ...AT_REST },
};
const account: Account = {
  ...{ id: "acc_1", email: "ann@example.org", role: "holder", enabled: true, balance: 1_000n, held: 200n },
  ...{ ...NO_LIMITS, ...AT_REST },
};
const group: Group = {
  ...{ id: "grp_1", name: "default", enabled: true, multiplier: 10_000, models: ["m"] },
  ...{ billing: "balance", limits: NO_LIMITS, description: "", accounts: null },
};
const daily: Subscription = {
  ...{ id: "sub_1", accountId: "acc_1", untilMs: null },
  plan: { id: "pln_1", name: "daily", groups: ["default"], quota: 300n, period: "day" },
};

function rows(change: { [K in keyof PocketRows]?: Partial<PocketRows[K]> } = {}): PocketRows {
  return {
    key: { ...key, ...change.key },
    account: { ...account, ...change.account },
    group: { ...group, ...change.group },
    subscriptions: [daily],
    windows: new Map(),
  };
}

function withWindow(found: PocketRows, window: Omit<SpendWindow, "clockBack">): PocketRows {
  const whole = { ...window, clockBack: false };
  return { ...found, windows: new Map([...found.windows, [windowKey(whole), whole]]) };
}

const sentence = (bound: Bound) => {
  const { reason, params } = bound.refuse(500n);
  return fill(catalogue[reason].message, params);
};

describe("what may pay", () => {
  const pursesFor = (billing: Billing) =>
    spendable(rows({ group: { billing } }), NOON).purses.map(({ pocket, bound }) => [pocket, bound.left]);

  test("is what the group says, in its order", () => {
    expect(pursesFor("balance")).toEqual([["balance", 800n]]);
    expect(pursesFor("subscription")).toEqual([["sub_1", 300n]]);
    expect(pursesFor("subscription-first")).toEqual([
      ["sub_1", 300n],
      ["balance", 800n],
    ]);
  });

  test("of a subscription is its quota without what its period has spent and holds", () => {
    const used = { ownerId: "sub_1", period: "day", startMs: MIDNIGHT, spent: 100n, held: 50n } as const;
    const found = withWindow(rows({ group: { billing: "subscription" } }), used);
    expect(spendable(found, NOON).purses[0]?.bound).toMatchObject({
      left: 150n,
      window: { ownerId: "sub_1", period: "day" },
    });
    expect(spendable(found, NOON + 86_400_000).purses[0]?.bound.left).toBe(300n);
  });

  test("is nobody where the group wants a subscription and there is none, and that is said", () => {
    const found = { ...rows({ group: { billing: "subscription" } }), subscriptions: [] };
    expect(spendable(found, NOON).purses).toEqual([]);
    const { reason, params } = noPurse(found, 500n);
    expect(fill(catalogue[reason].message, params)).toBe(
      "The subscription of this account does not pay for this request: it has none for the group “default”, and it needs up to 0.0000005 USD.",
    );
  });
});

describe("what bounds it", () => {
  const limits = { ...NO_LIMITS, spendPerDay: 400n, spendPerMonth: 900n };

  test("is the key's quota, its limits by period, then the account's", () => {
    const found = rows({
      key: { quota: 700n, spent: 100n, held: 50n, ...limits },
      account: { ...NO_LIMITS, spendPerWeek: 600n },
    });
    const { bounds } = spendable(found, NOON);
    expect(bounds.map(({ left, window }) => [left, window === null ? null : windowKey(window)])).toEqual([
      [550n, null],
      [400n, "key_1/day"],
      [900n, "key_1/month"],
      [600n, "acc_1/week"],
    ]);
    expect(windowsOfLimits(found).map(windowKey)).toEqual(["key_1/day", "key_1/month", "acc_1/week"]);
  });

  test("is the group's limit where the key sets none", () => {
    const found = rows({ key: { spendPerDay: 10n }, group: { limits } });
    expect(spendable(found, NOON).bounds.map(({ left }) => left)).toEqual([10n, 900n]);
  });

  test("is nothing where nothing is set", () => {
    expect(spendable(rows(), NOON)).toMatchObject({ bounds: [], atMs: NOON });
    expect(windowsOfLimits(rows())).toEqual([]);
  });

  test("can be less than nothing where it was lowered, and is told as nothing", () => {
    const [quota] = spendable(rows({ key: { quota: 100n, spent: 80n, held: 70n } }), NOON).bounds;
    expect(quota?.left).toBe(-50n);
    expect(quota?.refuse(1n).params["available"]).toBe("0.00");
  });

  test("counts in the period that another machine has begun", () => {
    const next = MIDNIGHT + 86_400_000;
    const begun = { ownerId: "key_1", period: "day", startMs: next, spent: 30n, held: 0n } as const;
    const found = withWindow(rows({ key: limits }), begun);
    const { bounds, atMs } = spendable(found, next - 60_000);
    expect(atMs).toBe(next);
    expect(bounds[0]?.left).toBe(370n);
  });
});

describe("a refusal names the pocket, what it has left and when it fills again:", () => {
  const found = rows({
    key: { quota: 700n, ...NO_LIMITS, spendPerWeek: 400n },
    account: { ...NO_LIMITS, spendPerMonth: 900n },
    group: { billing: "subscription-first" },
  });
  const { bounds, purses } = spendable(found, NOON);
  const all = [...bounds, ...purses.map(({ bound }) => bound)];

  test.each([
    [
      "the quota",
      "The quota of the key “laptop” does not pay for this request: 0.0000007 USD are left of 0.0000007 USD and it needs up to 0.0000005 USD.",
    ],
    [
      "the key's limit by the week",
      "The quota of the key “laptop” does not pay for this request: 0.0000004 USD are left of 0.0000004 USD for the week, until 2027-01-18T00:00:00Z, and it needs up to 0.0000005 USD.",
    ],
    [
      "the account's limit by the month",
      "The account of this key may spend 0.0000009 USD a month: 0.0000009 USD are left until 2027-02-01T00:00:00Z and this request needs up to 0.0000005 USD.",
    ],
    [
      "the subscription",
      "The subscription of this account does not pay for this request: “daily” has 0.0000003 USD left and fills again at 2027-01-16T00:00:00Z, and it needs up to 0.0000005 USD.",
    ],
    [
      "the balance, which tells of the subscription before it",
      "The account balance does not pay for this request: 0.0000008 USD are free and it needs up to 0.0000005 USD; the subscription “daily” has 0.0000003 USD left and fills again at 2027-01-16T00:00:00Z.",
    ],
  ])("%s", (_, expected) => {
    expect(all.map(sentence)).toContain(expected);
  });

  test("one that never fills again says so", () => {
    const once = { ...daily, plan: { ...daily.plan, period: "total" as const } };
    const [purse] = spendable({ ...found, subscriptions: [once] }, NOON).purses;
    expect(purse === undefined ? "" : sentence(purse.bound)).toContain("and does not fill again, and");
  });
});
