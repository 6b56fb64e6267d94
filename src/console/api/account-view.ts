import type { Id } from "../../domain/ids.ts";
import { formatUsd } from "../../domain/money.ts";
import type { Subscription } from "../../domain/plan.ts";
import { subscriptionState } from "../../domain/pocket.ts";
import type { AccountPockets } from "../../store/keys-pockets.ts";
import type { Desk } from "./visit.ts";

/** What an account is shown by, to its holder and to operators alike. */

const LEDGER_LINES = 50;

type LedgerAsked = { accountId: Id<"acc">; before?: string | undefined; limit?: number | undefined };

export async function ledgerView(desk: Desk, { accountId, before, limit = LEDGER_LINES }: LedgerAsked) {
  // One more than is shown tells whether there is another page.
  const page = { accountId, beforeId: before ?? null, limit: limit + 1 };
  const lines = await desk.store.report("account.ledger", page);
  const shown = lines.slice(0, limit);
  return {
    lines: shown.map(({ id, kind, amount, pocket, requestId, actor, why, createdAtMs }) => ({
      id,
      at: new Date(createdAtMs).toISOString(),
      kind,
      amount_usd: formatUsd(amount),
      pocket,
      request_id: requestId,
      by: actor,
      why,
    })),
    next: lines.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

export function subscriptionsView({ subscriptions, windows }: AccountPockets, nowMs: number) {
  return subscriptions.map(one => subscriptionView(one, { windows, nowMs }));
}

type At = Parameters<typeof subscriptionState>[1];

function subscriptionView(one: Subscription, at: At) {
  const { left, resetsAtMs, isOver } = subscriptionState(one, at);
  const { plan } = one;
  return {
    id: one.id,
    plan: plan.name,
    groups: [...plan.groups],
    window: plan.period,
    quota_usd: formatUsd(plan.quota),
    left_usd: formatUsd(isOver ? 0n : left),
    resets_at: isOver ? null : timeOrNull(resetsAtMs),
    until: timeOrNull(one.untilMs),
    is_over: isOver,
  };
}

export function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
