import { keyState } from "../domain/api-key.ts";
import {
  type Ask,
  concurrencyRefusal,
  decide,
  groupRefusal,
  keyRefusal,
  limitedOwners,
} from "../domain/decide.ts";
import { catalogue, fill, type Reason, type Refusal, refusal } from "../domain/errors.ts";
import { type Limits, withDefaults } from "../domain/limits.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import { noPurse, spendable } from "../domain/pocket.ts";
import { periodEnd } from "../domain/spend-window.ts";
import { quote } from "../pricing/price.ts";
import type { KeyHolder } from "../store/keys.ts";
import { arrive } from "./call.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders } from "./headers.ts";
import { identify } from "./identify.ts";
import { usableModels } from "./models.ts";
import { withModels } from "./refuse.ts";

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
    checks: checks(holder, model, gate),
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

type Check = { step: string; ok: boolean; reason?: string; message?: string; remedy?: string };

/** The chain of admission, link by link, without admitting anything. */
function checks(holder: KeyHolder, model: string | null, gate: Gate): Check[] {
  const nowMs = gate.nowMs();
  const known = gate.catalogue().models.get(model ?? "");
  const problem = model === null ? null : modelProblem(model, gate);
  const group = groupRefusal(holder.group, { model: model ?? "", problem });
  // What is wrong with the model or the group has steps of its own, and must not hide what comes after it.
  const open = { ...holder, group: { ...holder.group, enabled: true, models: ["*"] } };
  const decision = decide(open, smallAsk(model ?? "", known?.price ?? null), nowMs);
  const refused = decision.admitted ? null : decision.refusal;
  const only = (...reasons: string[]) =>
    refused !== null && reasons.includes(refused.reason) ? refused : null;
  const keyRefused = keyRefusal(holder, nowMs);
  const steps: [string, Refusal | null][] = [
    ["key", keyRefused?.reason === "account_disabled" ? null : keyRefused],
    ["account", keyRefused?.reason === "account_disabled" ? keyRefused : null],
    ["group", group?.reason === "group_disabled" ? group : null],
    ...(model === null
      ? []
      : [["model", group?.reason === "group_disabled" ? null : group] as [string, Refusal | null]]),
    ["limits", concurrencyRefusal(limitedOwners(holder)) ?? only("rate_limited")],
    ["key_quota", only("key_quota_exhausted") ?? emptyBound(holder, "key_quota_exhausted", nowMs)],
    [
      "account_limits",
      only("account_limit_exhausted") ?? emptyBound(holder, "account_limit_exhausted", nowMs),
    ],
    ["balance", only("balance_exhausted", "subscription_exhausted") ?? emptyPurse(holder, nowMs)],
    ...(model === null ? [] : [["upstream", upstreamProblem(model, gate)] as [string, Refusal | null]]),
  ];
  return steps.map(([step, found]) => {
    return found === null ? { step, ok: true } : { step, ok: false, ...explain(withModels(found, gate)) };
  });
}

function explain({ reason, params }: Refusal) {
  const entry = catalogue[reason];
  return { reason, message: fill(entry.message, params), remedy: fill(entry.remedy, params) };
}

function modelProblem(model: string, gate: Gate): Refusal | null {
  const known = gate.catalogue().models.get(model);
  if (known === undefined) return refusal("model_not_in_group");
  return known.price === null ? refusal("model_unpriced", { model }) : null;
}

function upstreamProblem(model: string, gate: Gate): Refusal | null {
  const isServed = gate.catalogue().upstreams.some(({ models }) => models.has(model));
  return isServed ? null : refusal("no_upstream", { model, seconds: 5 });
}

/** A short request, to see whether the pockets would pay for one. */
function smallAsk(model: string, price: Parameters<typeof quote>[0] | null): Ask {
  const bound = { inputTokens: 100, outputTokens: 64, heldTokens: 64, choices: 1 };
  return { model, problem: null, quote: price === null ? null : quote(price, bound), inputTokens: 0 };
}

/** What has nothing left stands in the way of every request, also where none was asked about. */
function emptyBound(holder: KeyHolder, reason: Reason, nowMs: number): Refusal | null {
  const { bounds } = spendable(holder, nowMs);
  const empty = bounds.filter(({ left }) => left <= 0n).map(({ refuse }) => refuse(1n));
  return empty.find(refused => refused.reason === reason) ?? null;
}

function emptyPurse(holder: KeyHolder, nowMs: number): Refusal | null {
  const { purses } = spendable(holder, nowMs);
  if (purses.some(({ bound }) => bound.left > 0n)) return null;
  return purses.at(-1)?.bound.refuse(1n) ?? noPurse(holder, 1n);
}
