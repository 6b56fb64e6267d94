import { expect, test } from "bun:test";
import type { Id } from "./ids.ts";
import { type Subscription, subscriptionsFor } from "./plan.ts";

const NOW = 1_800_000_000_000;

function subscription(id: Id<"sub">, untilMs: number | null, groups: string[] = ["a"]): Subscription {
  const plan = { id: "pln_1", name: "p", groups, quota: 100n, period: "day" } as const;
  return { id, accountId: "acc_1", plan, untilMs };
}

const idsFor = (subscriptions: readonly Subscription[], group = "a", nowMs = NOW) =>
  subscriptionsFor(subscriptions, { group, nowMs }).map(({ id }) => id);

test("what ends first pays first, what does not end pays last, and of equals the older", () => {
  const all = [
    subscription("sub_4", null),
    subscription("sub_2", NOW + 2),
    subscription("sub_3", null),
    subscription("sub_5", NOW + 1),
    subscription("sub_1", NOW + 2),
  ];
  expect(idsFor(all)).toEqual(["sub_5", "sub_1", "sub_2", "sub_3", "sub_4"]);
  expect(idsFor(all.toReversed())).toEqual(["sub_5", "sub_1", "sub_2", "sub_3", "sub_4"]);
  expect(all.map(({ id }) => id)).toEqual(["sub_4", "sub_2", "sub_3", "sub_5", "sub_1"]);
});

test("one that has ended does not pay from the very millisecond on", () => {
  expect(idsFor([subscription("sub_1", NOW + 1)])).toEqual(["sub_1"]);
  expect(idsFor([subscription("sub_1", NOW)])).toEqual([]);
});

test("a plan pays for the groups that it names, and for no other", () => {
  const all = [subscription("sub_1", null, ["a", "b"]), subscription("sub_2", null, ["b"])];
  expect(idsFor(all, "a")).toEqual(["sub_1"]);
  expect(idsFor(all, "b")).toEqual(["sub_1", "sub_2"]);
  expect(idsFor(all, "A")).toEqual([]);
  expect(idsFor([], "a")).toEqual([]);
});
