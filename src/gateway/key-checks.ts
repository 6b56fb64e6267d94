import {
  type Ask,
  concurrencyRefusal,
  decide,
  groupIsClosed,
  groupRefusal,
  keyRefusal,
  limitedOwners,
  stringRefusal,
} from "../domain/decide.ts";
import { catalogue, fill, type Reason, type Refusal, refusal } from "../domain/errors.ts";
import type { KeyCheck } from "../domain/key-check.ts";
import { noPurse, spendable } from "../domain/pocket.ts";
import { quote } from "../pricing/price.ts";
import type { KeyHolder } from "../store/keys.ts";
import type { Gate } from "./gate.ts";
import { withModels } from "./refuse.ts";

/** What the chain is looked at with. */
type Sight = Pick<Gate, "nowMs" | "catalogue">;

/** The chain of admission, link by link, without admitting anything. */
export function keyChecks(holder: KeyHolder, model: string | null, gate: Sight): KeyCheck[] {
  const nowMs = gate.nowMs();
  const known = gate.catalogue().models.get(model ?? "");
  const problem = model === null ? null : modelProblem(model, gate);
  const closed = groupIsClosed(holder);
  const group = groupRefusal(holder, { model: model ?? "", problem });
  // What is wrong with the model or the group has steps of its own, and must not hide what comes after it.
  const open = { ...holder, group: { ...holder.group, enabled: true, accounts: null, models: ["*"] } };
  const decision = decide(open, smallAsk(model ?? "", known?.price ?? null), nowMs);
  const refused = decision.admitted ? null : decision.refusal;
  const only = (...reasons: string[]) =>
    refused !== null && reasons.includes(refused.reason) ? refused : null;
  const keyRefused = keyRefusal(holder, nowMs);
  const steps: [string, Refusal | null][] = [
    ["key", keyRefused?.reason === "account_disabled" ? null : keyRefused],
    ["account", keyRefused?.reason === "account_disabled" ? keyRefused : null],
    ["group", closed],
    ...(model === null ? [] : [["model", closed === null ? group : null] as [string, Refusal | null]]),
    ["limits", concurrencyRefusal(limitedOwners(holder)) ?? only("rate_limited")],
    ["key_quota", only("key_quota_exhausted") ?? emptyBound(holder, "key_quota_exhausted", nowMs)],
    [
      "account_limits",
      only("account_limit_exhausted") ?? emptyBound(holder, "account_limit_exhausted", nowMs),
    ],
    ["balance", only("balance_exhausted", "subscription_exhausted") ?? emptyPurse(holder, nowMs)],
    ...(model === null ? [] : [["upstream", upstreamProblem(model, gate)] as [string, Refusal | null]]),
  ];
  // Whoever has a string that was replaced is told that, and nothing of the key that goes on without it.
  const shown = stringRefusal(holder, nowMs) === null ? steps : steps.slice(0, 1);
  return shown.map(([step, found]) => {
    return found === null ? { step, ok: true } : { step, ok: false, ...explain(withModels(found, gate)) };
  });
}

function explain({ reason, params }: Refusal) {
  const entry = catalogue[reason];
  return {
    reason,
    cause: entry.cause,
    message: fill(entry.message, params),
    remedy: fill(entry.remedy, params),
  };
}

function modelProblem(model: string, gate: Sight): Refusal | null {
  const known = gate.catalogue().models.get(model);
  if (known === undefined) return refusal("model_not_in_group");
  return known.price === null ? refusal("model_unpriced", { model }) : null;
}

function upstreamProblem(model: string, gate: Sight): Refusal | null {
  const isServed = gate.catalogue().upstreams.some(({ isPaused, models }) => !isPaused && models.has(model));
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
