import { keyState } from "../domain/api-key.ts";
import { type Ask, concurrencyRefusal, decide, groupRefusal, keyRefusal } from "../domain/decide.ts";
import { catalogue, fill, type Refusal, refusal } from "../domain/errors.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import { quote } from "../pricing/price.ts";
import type { KeyHolder } from "../store/keys.ts";
import { pickUpstream } from "../upstream/pick.ts";
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
  const usd = (nanos: Nanos) => formatUsd(nanos > 0n ? nanos : 0n);
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
    limits: {
      quota_usd: key.quota === null ? null : formatUsd(key.quota),
      requests_per_minute: key.requestsPerMinute,
      tokens_per_minute: key.tokensPerMinute,
      concurrency: key.concurrency,
      expires_at: key.expiresAtMs === null ? null : new Date(key.expiresAtMs).toISOString(),
    },
    spent_usd: formatUsd(key.spent),
    held_usd: formatUsd(key.held),
    running: key.open,
    pockets: {
      key_quota: key.quota === null ? null : { left_usd: usd(key.quota - key.spent - key.held) },
      balance: { left_usd: usd(account.balance - account.held) },
    },
    checks: checks(holder, model, gate),
  };
  return Response.json(body, { headers: commonHeaders(call) });
}

type Check = { step: string; ok: boolean; reason?: string; message?: string; remedy?: string };

/** The chain of admission, link by link, without admitting anything. */
function checks(holder: KeyHolder, model: string | null, gate: Gate): Check[] {
  const nowMs = gate.nowMs();
  const known = gate.catalogue().models.get(model ?? "");
  const problem = model === null ? null : modelProblem(model, gate);
  const group = groupRefusal(holder.group, { model: model ?? "", problem });
  const decision = decide(holder, smallAsk(model ?? "", known?.price ?? null), nowMs);
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
    ["limits", concurrencyRefusal(holder.key) ?? only("rate_limited")],
    ["key_quota", known === undefined ? emptyQuota(holder) : only("key_quota_exhausted")],
    [
      "balance",
      known === undefined ? emptyBalance(holder) : only("balance_exhausted", "subscription_exhausted"),
    ],
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
  const found = pickUpstream(gate.catalogue().upstreams, { model, dialect: "chat", random: () => 0 });
  return found === null ? refusal("no_upstream", { model, seconds: 5 }) : null;
}

/** A short request, to see whether the pockets would pay for one. */
function smallAsk(model: string, price: Parameters<typeof quote>[0] | null): Ask {
  const bound = { inputTokens: 100, outputTokens: 64, choices: 1 };
  return { model, problem: null, quote: price === null ? null : quote(price, bound), inputTokens: 0 };
}

function emptyQuota({ key }: KeyHolder): Refusal | null {
  if (key.quota === null || key.quota - key.spent - key.held > 0n) return null;
  const params = { key: key.name, available: "0.00", quota: formatUsd(key.quota), needed: "0.000000001" };
  return refusal("key_quota_exhausted", params);
}

function emptyBalance({ account, group }: KeyHolder): Refusal | null {
  if (group.billing === "subscription" || account.balance - account.held > 0n) return null;
  return refusal("balance_exhausted", { available: "0.00", needed: "0.000000001" });
}
