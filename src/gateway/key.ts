import { keyState } from "../domain/api-key.ts";
import { type Limits, withDefaults } from "../domain/limits.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import { spendable } from "../domain/pocket.ts";
import { periodEnd } from "../domain/spend-window.ts";
import { usableModels } from "../domain/usable-models.ts";
import type { KeyHolder } from "../store/keys.ts";
import { arrive } from "./call.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders } from "./headers.ts";
import { identify } from "./identify.ts";
import { keyChecks } from "./key-checks.ts";

/** What this key is and what stands in its way, also for a key that may not be used. */
export async function describeKey(http: Request, gate: Gate): Promise<Response> {
  const call = arrive(http, "chat", gate);
  const holder = await identify(call, gate);
  if (holder instanceof Response) return holder;
  const { key, account, group } = holder;
  const model = new URL(http.url).searchParams.get("model");
  const body = {
    object: "key",
    id: key.id,
    name: key.name,
    preview: key.preview,
    state: keyState(key, gate.nowMs()),
    group: {
      name: group.name,
      enabled: group.enabled,
      multiplier: String(group.multiplier / 10_000),
      models: usableModels(gate.catalogue(), group).map(({ name }) => name),
    },
    // Those in force: its own, and what its group sets for it.
    limits: limitsOf(withDefaults(key, group.limits), { quota: key.quota, expiresAtMs: key.expiresAtMs }),
    account_limits: limitsOf(account, {}),
    spent_usd: formatUsd(key.spent),
    held_usd: formatUsd(key.held),
    running: key.open,
    pockets: pocketsOf(holder, gate.nowMs()),
    checks: keyChecks(holder, model, gate),
  };
  return Response.json(body, { headers: commonHeaders(call) });
}

function limitsOf(limits: Limits, own: { quota?: Nanos | null; expiresAtMs?: number | null }) {
  const amount = (nanos: Nanos | null) => (nanos === null ? null : formatUsd(nanos));
  const counts = {
    requests_per_minute: limits.requestsPerMinute,
    tokens_per_minute: limits.tokensPerMinute,
    concurrency: limits.concurrency,
    spend_per_day_usd: amount(limits.spendPerDay),
    spend_per_week_usd: amount(limits.spendPerWeek),
    spend_per_month_usd: amount(limits.spendPerMonth),
  };
  const { quota, expiresAtMs } = own;
  if (quota === undefined || expiresAtMs === undefined) return counts;
  const expires = expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();
  return { quota_usd: amount(quota), ...counts, expires_at: expires };
}

/** What is left in each pocket that may pay for this key's requests, in the order in which they are asked. */
function pocketsOf(holder: KeyHolder, nowMs: number) {
  const usd = (nanos: Nanos) => formatUsd(nanos > 0n ? nanos : 0n);
  const { key, group } = holder;
  const { purses, atMs } = spendable(holder, nowMs);
  const subscriptions = holder.subscriptions.flatMap(({ id, plan, untilMs }) => {
    const purse = purses.find(({ pocket }) => pocket === id);
    if (purse === undefined) return [];
    const end = periodEnd(plan.period, atMs);
    return {
      plan: plan.name,
      window: plan.period,
      quota_usd: formatUsd(plan.quota),
      left_usd: usd(purse.bound.left),
      fills_again_at: end === null ? null : new Date(end).toISOString(),
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
    };
  });
  return {
    billing: group.billing,
    key_quota: key.quota === null ? null : { left_usd: usd(key.quota - key.spent - key.held) },
    subscriptions,
    balance: { left_usd: usd(holder.account.balance - holder.account.held) },
  };
}
