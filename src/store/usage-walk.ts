import { outcomeOf } from "../domain/outcome.ts";
import { toolName } from "../domain/tool-name.ts";
import type { UsageState } from "../domain/usage.ts";
import { big, text, textOrNull } from "./rows.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";
import { type IdSpan, isPlain, seriesCondition, type UsageQuery } from "./usage-filter.ts";

/**
 * Every row that matches, newest first, at a cost that does not depend on how many there are, how deep it is, or how
 * rare a match is. The rows of one key, or of one series, stand together in an index by their ids: the newest of each
 * say which can have rows on the page at all, and only those are walked along.
 */
export type Walked = {
  ids: string[];
  /** All that match from here on are in `ids`; what stands below has not been looked at. Null: nothing does. */
  end: string | null;
};

/** Rows that stand together in an index. */
type Strand = { column: "key_id" | "series"; value: SqlValue; newest: string };

/** Of a client that sends another model name with each request; others have some hundreds. */
export const SERIES_MAX = 4_000;
const STRANDS_PER_STATEMENT = 50;
const OPEN_MAX = 5_000;
const SCANNED_PER_STEP = 2_000;
const SCANNED_MAX = 20_000;

export async function walk(tx: Tx, query: UsageQuery, count: number): Promise<Walked> {
  if (isPlain(query) && query.accountId === null && query.keyId === null) return everything(tx, query, count);
  if (isPlain(query)) return merge(tx, { query, count, strands: await keyStrands(tx, query), open: [] });
  const open = await openIds(tx, query);
  if (query.outcome === "running") return cut(open, count);
  const strands = await seriesStrands(tx, query);
  if (strands === null) return scan(tx, query, count);
  return merge(tx, { query, count, strands, open });
}

/** Every row of every account: they stand in this order anyway. */
async function everything(tx: Tx, { low, high }: UsageQuery, count: number): Promise<Walked> {
  const sql = "select id from usage where id >= ? and id < ? order by id desc limit ?";
  return cut(
    (await tx.all(sql, low, high, count)).map(row => text(row["id"])),
    count,
  );
}

function keyStrands(tx: Tx, { accountId, keyId, low, high }: UsageQuery): Promise<Strand[]> {
  const wanted = [
    ...(accountId === null ? [] : [["keys.account_id = ?", accountId] as const]),
    ...(keyId === null ? [] : [["keys.id = ?", keyId] as const]),
  ];
  return strandsOf(tx, "key_id", {
    sql: `select keys.id as strand, (select usage.id from usage where usage.key_id = keys.id and usage.id >= ?
        and usage.id < ? order by usage.id desc limit 1) as newest from keys
        where ${wanted.map(([condition]) => condition).join(" and ")}`,
    params: [low, high, ...wanted.map(([, value]) => value)],
  });
}

/** Null where there are too many to ask each of them. */
async function seriesStrands(tx: Tx, query: UsageQuery): Promise<Strand[] | null> {
  const { sql, params } = seriesCondition(query);
  const [found] = await tx.all(
    `select count(*) as n from (select id from usage_series where ${sql} limit ?) as found`,
    ...[...params, SERIES_MAX + 1],
  );
  if (big(found?.["n"]) > BigInt(SERIES_MAX)) return null;
  return strandsOf(tx, "series", {
    sql: `select usage_series.id as strand, (select usage.id from usage where usage.series = usage_series.id
        and usage.id >= ? and usage.id < ? order by usage.id desc limit 1) as newest from usage_series where ${sql}`,
    params: [query.low, query.high, ...params],
  });
}

async function strandsOf(
  tx: Tx,
  column: Strand["column"],
  { sql, params }: { sql: string; params: SqlValue[] },
): Promise<Strand[]> {
  const rows = (await tx.all(sql, ...params)).filter(row => row["newest"] !== null);
  const strands = rows.map(row => ({ column, value: row["strand"] ?? null, newest: text(row["newest"]) }));
  return strands.sort((a, b) => (a.newest < b.newest ? 1 : -1));
}

/** The newest row of the query that is in none of these series; null where there is none. */
export async function newestBeside(tx: Tx, query: UsageQuery, series: bigint): Promise<string | null> {
  const strands = await seriesStrands(tx, query);
  if (strands === null) return null;
  const other = strands.find(({ value }) => value !== series)?.newest ?? null;
  const [open] = await openIds(tx, query);
  if (other === null || open === undefined) return other ?? open ?? "";
  return other > open ? other : open;
}

type Merge = { query: IdSpan; count: number; strands: readonly Strand[]; open: readonly string[] };

/** Only as many strands as there are places on the page can be on it, and none of their rows below the last of these. */
async function merge(tx: Tx, { query, count, strands, open }: Merge): Promise<Walked> {
  const able = strands.slice(0, count);
  const low = strands.length > count ? (strands[count]?.newest ?? query.low) : query.low;
  const found = new Set(open);
  for (let from = 0; from < able.length; from += STRANDS_PER_STATEMENT) {
    const some = able.slice(from, from + STRANDS_PER_STATEMENT);
    for (const id of await idsOf(tx, some, { low, high: query.high, count })) found.add(id);
  }
  return cut([...found].sort().reverse(), count);
}

function cut(ids: readonly string[], count: number): Walked {
  const kept = ids.slice(0, count);
  return { ids: kept, end: kept.length < count ? null : (kept.at(-1) ?? null) };
}

async function idsOf(
  tx: Tx,
  strands: readonly Strand[],
  span: IdSpan & { count: number },
): Promise<string[]> {
  const parts = strands.map(
    ({
      column,
    }) => `select id from (select usage.id as id from usage where usage.${column} = ? and usage.id >= ?
      and usage.id < ? order by usage.id desc limit ?) as strand`,
  );
  const params = strands.flatMap(({ value }) => [value, span.low, span.high, span.count]);
  return (await tx.all(parts.join(" union all "), ...params)).map(row => text(row["id"]));
}

/** Those that run are few, and have an index of their own. */
async function openIds(tx: Tx, query: UsageQuery): Promise<string[]> {
  const { accountId } = query;
  // One that runs names its upstream when it has ended.
  if ((query.outcome !== null && query.outcome !== "running") || isNarrow(query)) return [];
  const rows = await tx.all(
    `select id, key_id, model, tool, state, reason, upstream from usage where state = 'open'
      and id >= ? and id < ? ${accountId === null ? "" : "and account_id = ?"} order by id desc limit ${OPEN_MAX}`,
    ...[query.low, query.high, ...(accountId === null ? [] : [accountId])],
  );
  return rows.filter(row => matches(row, query)).map(row => text(row["id"]));
}

function isNarrow({ upstream = null }: UsageQuery): boolean {
  return upstream !== null;
}

function matches(row: SqlRow, { keyId, model, tool, outcome, upstream = null }: UsageQuery): boolean {
  if (upstream !== null && textOrNull(row["upstream"]) !== upstream) return false;
  if (keyId !== null && text(row["key_id"]) !== keyId) return false;
  if (model !== null && text(row["model"]) !== model) return false;
  if (tool !== null && toolName(text(row["tool"])) !== tool) return false;
  const state = text(row["state"]) as UsageState;
  return outcome === null || outcomeOf(state, textOrNull(row["reason"])) === outcome;
}

/** Looks at a bounded number of rows, one after the other: the page may be short, and the next one goes on from there. */
async function scan(tx: Tx, query: UsageQuery, count: number): Promise<Walked> {
  const plain = { ...query, model: null, tool: null, outcome: null, upstream: null };
  const ids: string[] = [];
  let end: string | null = query.high;
  for (let scanned = 0; scanned < SCANNED_MAX && end !== null; scanned += SCANNED_PER_STEP) {
    const step: Walked = await walk(tx, { ...plain, high: end }, SCANNED_PER_STEP);
    const columns = "id, key_id, model, tool, state, reason, upstream";
    const rows = await rowsById(tx, { ids: step.ids, columns, accountId: query.accountId });
    for (const row of rows) {
      if (!matches(row, query)) continue;
      ids.push(text(row["id"]));
      if (ids.length === count) return { ids, end: ids.at(-1) ?? null };
    }
    end = step.end;
  }
  return { ids, end };
}

const IDS_PER_STATEMENT = 500;

export type RowsById = { ids: readonly string[]; columns: string; accountId: string | null; from?: string };

/** Newest first. */
export async function rowsById(
  tx: Tx,
  { ids, columns, accountId, from = "usage" }: RowsById,
): Promise<SqlRow[]> {
  const found: SqlRow[] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) {
    const some = ids.slice(at, at + IDS_PER_STATEMENT);
    const marks = some.map(() => "?").join(", ");
    const whose = accountId === null ? "" : "and usage.account_id = ?";
    const sql = `select ${columns} from ${from} where usage.id in (${marks}) ${whose} order by usage.id desc`;
    found.push(...(await tx.all(sql, ...some, ...(accountId === null ? [] : [accountId]))));
  }
  return found;
}
