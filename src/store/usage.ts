import type { Attempt, Operation, Usage, UsageSource, UsageState } from "../domain/usage.ts";
import { big, text, textOrNull, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";

/** One request as the usage log shows it. */
export type UsageEntry = {
  id: string;
  keyId: string;
  key: string;
  account: string;
  group: string;
  state: UsageState;
  reason: string | null;
  status: number | null;
  dialect: Operation;
  stream: boolean;
  model: string;
  upstream: string | null;
  tool: string;
  address: string;
  startedAtMs: number;
  firstByteMs: number | null;
  durationMs: number | null;
  usage: Usage;
  priceId: string | null;
  multiplier: number | null;
  hold: bigint;
  cost: bigint;
  source: UsageSource | null;
  pocket: string | null;
  /** The upstreams that failed before the one that is named, in their order. */
  attempts: readonly Attempt[];
};

export type UsageFilter = {
  keyId: string | null;
  email: string | null;
  beforeId: string | null;
  limit: number;
};

export const USAGE_PAGE_MAX = 1000;

/** Newest first; the next page begins before the last id of this one, at the same cost however deep. */
export async function usagePage(tx: Tx, filter: UsageFilter): Promise<UsageEntry[]> {
  const limit = Math.min(filter.limit, USAGE_PAGE_MAX);
  const keyIds = await keysOf(tx, filter);
  if (keyIds === null) return readPage(tx, { keyId: null, beforeId: filter.beforeId, limit });
  // A page of each key, then the newest of them all: every one is a walk along the index, none a sort of a table.
  const pages: UsageEntry[] = [];
  for (const keyId of keyIds)
    pages.push(...(await readPage(tx, { keyId, beforeId: filter.beforeId, limit })));
  return pages.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}

/** Null: every key. */
async function keysOf(tx: Tx, { keyId, email }: UsageFilter): Promise<string[] | null> {
  if (email === null) return keyId === null ? null : [keyId];
  const rows = await tx.all(
    "select keys.id as id from keys join accounts on accounts.id = keys.account_id where accounts.email = ?",
    email.toLowerCase(),
  );
  const ids = rows.map(row => text(row["id"]));
  return keyId === null ? ids : ids.filter(id => id === keyId);
}

type Page = { keyId: string | null; beforeId: string | null; limit: number };

async function readPage(tx: Tx, { keyId, beforeId, limit }: Page): Promise<UsageEntry[]> {
  const where: string[] = [];
  const params: SqlValue[] = [];
  const narrow = (condition: string, value: string | null) => {
    if (value === null) return;
    where.push(condition);
    params.push(value);
  };
  narrow("usage.key_id = ?", keyId);
  narrow("usage.id < ?", beforeId);
  const rows = await tx.all(
    `select usage.*, keys.name as key_name, accounts.email as email, groups.name as group_name from usage
       join keys on keys.id = usage.key_id join accounts on accounts.id = usage.account_id
       join groups on groups.id = usage.group_id
       ${where.length === 0 ? "" : `where ${where.join(" and ")}`} order by usage.id desc limit ?`,
    ...params,
    limit,
  );
  return rows.map(toEntry);
}

export function toUsage(row: SqlRow): Usage {
  return {
    input: whole(row["input"]),
    cacheRead: whole(row["cache_read"]),
    cacheWrite5m: whole(row["cache_write_5m"]),
    cacheWrite1h: whole(row["cache_write_1h"]),
    output: whole(row["output"]),
    reasoning: whole(row["reasoning"]),
  };
}

function toEntry(row: SqlRow): UsageEntry {
  return {
    id: text(row["id"]),
    keyId: text(row["key_id"]),
    key: text(row["key_name"]),
    account: text(row["email"]),
    group: text(row["group_name"]),
    state: text(row["state"]) as UsageState,
    reason: textOrNull(row["reason"]),
    status: wholeOrNull(row["status"]),
    dialect: text(row["dialect"]) as Operation,
    stream: whole(row["stream"]) === 1,
    model: text(row["model"]),
    upstream: textOrNull(row["upstream"]),
    tool: text(row["tool"]),
    address: text(row["address"]),
    startedAtMs: whole(row["started_at_ms"]),
    firstByteMs: wholeOrNull(row["first_byte_ms"]),
    durationMs: wholeOrNull(row["duration_ms"]),
    usage: toUsage(row),
    priceId: textOrNull(row["price_id"]),
    multiplier: wholeOrNull(row["multiplier"]),
    hold: big(row["hold"]),
    cost: big(row["cost"]),
    source: textOrNull(row["source"]) as UsageSource | null,
    pocket: textOrNull(row["pocket"]),
    attempts: JSON.parse(textOrNull(row["attempts"]) ?? "[]") as Attempt[],
  };
}
