import { keyState } from "../../domain/api-key.ts";
import type { Limits } from "../../domain/limits.ts";
import { formatUsd, type Nanos } from "../../domain/money.ts";
import type { HeldKey } from "../../store/keys-of-account.ts";
import type { Calls } from "../contract/contract.ts";
import { multiplierText } from "./groups-prices.ts";

type KeyView = Calls["GET /keys/{id}"]["answer"];

/** A key as the console shows it. */
export function keyView(key: HeldKey, nowMs: number): KeyView {
  const state = keyState(key, nowMs);
  const { lastUsed } = key;
  return {
    id: key.id,
    name: key.name,
    preview: key.preview,
    state,
    group: { ...key.group, multiplier: multiplierText(key.group.multiplier) },
    spent_usd: formatUsd(key.spent),
    held_usd: formatUsd(key.held),
    quota_usd: amount(key.quota),
    limits: limitsView(key),
    expires_at: time(key.expiresAtMs),
    created_at: new Date(key.createdAtMs).toISOString(),
    last_used:
      lastUsed === null
        ? null
        : { at: new Date(lastUsed.atMs).toISOString(), tool: lastUsed.tool, address: lastUsed.address },
    running: key.open,
    can_import: key.isSealed && state !== "deleted",
    old_string_until: state === "deleted" ? null : time(key.oldStringUntilMs),
  };
}

export function limitsView(limits: Limits): KeyView["limits"] {
  return {
    requests_per_minute: limits.requestsPerMinute,
    tokens_per_minute: limits.tokensPerMinute,
    concurrency: limits.concurrency,
    spend_per_day_usd: amount(limits.spendPerDay),
    spend_per_week_usd: amount(limits.spendPerWeek),
    spend_per_month_usd: amount(limits.spendPerMonth),
  };
}

function amount(nanos: Nanos | null): string | null {
  return nanos === null ? null : formatUsd(nanos);
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
