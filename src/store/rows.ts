import type { Account, AccountRole } from "../domain/account.ts";
import type { ApiKey } from "../domain/api-key.ts";
import type { Upstream, UpstreamKind } from "../domain/catalogue.ts";
import type { Billing, Group } from "../domain/group.ts";
import type { Id, IdKind } from "../domain/ids.ts";
import type { Price } from "../domain/model.ts";
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
    requestsPerMinute: wholeOrNull(row["requests_per_minute"]),
    tokensPerMinute: wholeOrNull(row["tokens_per_minute"]),
    concurrency: wholeOrNull(row["concurrency"]),
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
  };
}

export function toUpstream(row: SqlRow): Upstream {
  const credential = row["credential"];
  return {
    id: id("ups", row["id"]),
    name: text(row["name"]),
    kind: text(row["kind"]) as UpstreamKind,
    baseUrl: textOrNull(row["base_url"]),
    speaks: JSON.parse(text(row["speaks"])) as Dialect[],
    credential: credential instanceof Uint8Array ? credential : null,
    priority: whole(row["priority"]),
    weight: whole(row["weight"]),
    models: new Map(JSON.parse(text(row["models"])) as [string, string][]),
  };
}

export function flag(value: boolean): number {
  return value ? 1 : 0;
}
