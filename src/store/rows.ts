import type { Account, AccountRole } from "../domain/account.ts";
import type { ApiKey } from "../domain/api-key.ts";
import type { Credential, Upstream, UpstreamKind } from "../domain/catalogue.ts";
import type { Billing, Group } from "../domain/group.ts";
import type { Id, IdKind } from "../domain/ids.ts";
import type { Limits, Meters } from "../domain/limits.ts";
import type { Price, PriceTier } from "../domain/model.ts";
import type { Plan, Subscription } from "../domain/plan.ts";
import type { Period, SpendWindow } from "../domain/spend-window.ts";
import type { Dialect } from "../domain/usage.ts";
import type { SqlRow, SqlValue } from "./tx.ts";

/** The one place where what a database gives becomes what the domain means. */

export function text(value: SqlValue | undefined): string {
  return typeof value === "string" ? value : String(value ?? "");
}

export function textOrNull(value: SqlValue | undefined): string | null {
  return value === null || value === undefined ? null : text(value);
}

export function whole(value: SqlValue | undefined): number {
  return Number(value ?? 0);
}

export function wholeOrNull(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

export function big(value: SqlValue | undefined): bigint {
  if (typeof value === "bigint") return value;
  return typeof value === "number" || typeof value === "string" ? BigInt(value) : 0n;
}

export function bigOrNull(value: SqlValue | undefined): bigint | null {
  return value === null || value === undefined ? null : big(value);
}

export function id<K extends IdKind>(_kind: K, value: SqlValue | undefined): Id<K> {
  return text(value) as Id<K>;
}

export function toAccount(row: SqlRow): Account {
  return {
    id: id("acc", row["id"]),
    email: text(row["email"]),
    role: text(row["role"]) as AccountRole,
    enabled: whole(row["enabled"]) === 1,
    balance: big(row["balance"]),
    held: big(row["held"]),
    ...toLimits(row),
    ...toMeters(row),
  };
}

export function toKey(row: SqlRow): ApiKey {
  return {
    id: id("key", row["id"]),
    accountId: id("acc", row["account_id"]),
    groupId: id("grp", row["group_id"]),
    name: text(row["name"]),
    preview: text(row["preview"]),
    enabled: whole(row["enabled"]) === 1,
    deletedAtMs: wholeOrNull(row["deleted_at_ms"]),
    expiresAtMs: wholeOrNull(row["expires_at_ms"]),
    quota: bigOrNull(row["quota"]),
    spent: big(row["spent"]),
    held: big(row["held"]),
    ...toLimits(row),
    ...toMeters(row),
  };
}

function toLimits(row: SqlRow): Limits {
  return {
    requestsPerMinute: wholeOrNull(row["requests_per_minute"]),
    tokensPerMinute: wholeOrNull(row["tokens_per_minute"]),
    concurrency: wholeOrNull(row["concurrency"]),
    spendPerDay: bigOrNull(row["spend_per_day"]),
    spendPerWeek: bigOrNull(row["spend_per_week"]),
    spendPerMonth: bigOrNull(row["spend_per_month"]),
  };
}

function toMeters(row: SqlRow): Meters {
  return {
    open: whole(row["open"]),
    arrivalNs: big(row["arrival_ns"]),
    tokenArrivalNs: big(row["token_arrival_ns"]),
  };
}

export function toGroup(row: SqlRow): Group {
  return {
    id: id("grp", row["id"]),
    name: text(row["name"]),
    enabled: whole(row["enabled"]) === 1,
    multiplier: whole(row["multiplier"]),
    models: JSON.parse(text(row["models"])) as string[],
    billing: text(row["billing"]) as Billing,
    limits: toLimits(row),
    description: text(row["description"]),
    accounts: row["accounts"] === null ? null : toAccountIds(row["accounts"]),
  };
}

function toAccountIds(value: SqlValue | undefined): ReadonlySet<Id<"acc">> {
  return new Set(JSON.parse(text(value)) as Id<"acc">[]);
}

export function toPlan(row: SqlRow): Plan {
  return {
    id: id("pln", row["id"]),
    name: text(row["name"]),
    groups: JSON.parse(text(row["groups"])) as string[],
    quota: big(row["quota"]),
    period: text(row["time_window"]) as Period,
  };
}

/** From a row that joins a subscription, by `sub_id`, `account_id` and `until_ms`, to its plan. */
export function toSubscription(row: SqlRow): Subscription {
  return {
    id: id("sub", row["sub_id"]),
    accountId: id("acc", row["account_id"]),
    plan: toPlan(row),
    untilMs: wholeOrNull(row["until_ms"]),
  };
}

export function toWindow(row: SqlRow): SpendWindow {
  return {
    ownerId: text(row["owner_id"]),
    period: text(row["period"]) as Period,
    startMs: whole(row["start_ms"]),
    spent: big(row["spent"]),
    held: big(row["held"]),
    clockBack: whole(row["clock_back"]) === 1,
  };
}

export function toPrice(row: SqlRow): Price {
  return {
    id: id("prc", row["id"]),
    inputPicos: big(row["input"]),
    cacheReadPicos: big(row["cache_read"]),
    cacheWrite5mPicos: big(row["cache_write_5m"]),
    cacheWrite1hPicos: big(row["cache_write_1h"]),
    outputPicos: big(row["output"]),
    requestPicos: big(row["request"]),
    tiers: (JSON.parse(text(row["tiers"])) as TierRow[]).map(toTier),
  };
}

/** As it stands in the `tiers` of a price: money as decimal digits, which JSON carries exactly. */
export type TierRow = [
  above: number,
  input: string,
  read: string,
  write5m: string,
  write1h: string,
  output: string,
];

function toTier([aboveTokens, input, cacheRead, write5m, write1h, output]: TierRow): PriceTier {
  return {
    aboveTokens,
    inputPicos: BigInt(input),
    cacheReadPicos: BigInt(cacheRead),
    cacheWrite5mPicos: BigInt(write5m),
    cacheWrite1hPicos: BigInt(write1h),
    outputPicos: BigInt(output),
  };
}

export function tierRow(tier: PriceTier): TierRow {
  const { aboveTokens, inputPicos, cacheReadPicos, cacheWrite5mPicos, cacheWrite1hPicos, outputPicos } = tier;
  const [input, read, write5m] = [`${inputPicos}`, `${cacheReadPicos}`, `${cacheWrite5mPicos}`];
  return [aboveTokens, input, read, write5m, `${cacheWrite1hPicos}`, `${outputPicos}`];
}

export function toUpstream(row: SqlRow, credentials: readonly Credential[] = []): Upstream {
  return {
    id: id("ups", row["id"]),
    name: text(row["name"]),
    kind: text(row["kind"]) as UpstreamKind,
    baseUrl: textOrNull(row["base_url"]),
    speaks: JSON.parse(text(row["speaks"])) as Dialect[],
    credentials,
    priority: whole(row["priority"]),
    weight: whole(row["weight"]),
    concurrencyMax: wholeOrNull(row["concurrency_max"]),
    probeMinutes: wholeOrNull(row["probe_minutes"]),
    resetAtMs: wholeOrNull(row["reset_at_ms"]),
    isPaused: whole(row["paused"]) === 1,
    cost: whole(row["cost"]),
    models: new Map(JSON.parse(text(row["models"])) as [string, string][]),
  };
}

export function flag(value: boolean): number {
  return value ? 1 : 0;
}
