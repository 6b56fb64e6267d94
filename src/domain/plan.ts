import type { Id } from "./ids.ts";
import type { Nanos } from "./money.ts";
import type { Period } from "./spend-window.ts";

/** What a subscription gives: so much in each period, for requests of certain groups. */
export type Plan = {
  id: Id<"pln">;
  name: string;
  /** Names of groups. */
  groups: readonly string[];
  quota: Nanos;
  period: Period;
};

export type Subscription = {
  id: Id<"sub">;
  accountId: Id<"acc">;
  plan: Plan;
  /** Null: without end. */
  untilMs: number | null;
};

/** What may pay for a group at a time; what ends first is used first. */
export function subscriptionsFor(
  subscriptions: readonly Subscription[],
  { group, nowMs }: { group: string; nowMs: number },
): Subscription[] {
  const end = ({ untilMs }: Subscription) => untilMs ?? Number.MAX_SAFE_INTEGER;
  return subscriptions
    .filter(one => one.plan.groups.includes(group) && end(one) > nowMs)
    .sort((a, b) => end(a) - end(b) || (a.id < b.id ? -1 : 1));
}
