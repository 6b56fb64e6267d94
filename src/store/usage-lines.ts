import { type Outcome, outcomeOf } from "../domain/outcome.ts";
import { toolName } from "../domain/tool-name.ts";
import type { Operation, Usage, UsageSource, UsageState } from "../domain/usage.ts";
import { big, bigOrNull, text, textOrNull, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { toUsage } from "./usage.ts";
import type { UsageQuery } from "./usage-filter.ts";
import { keptFrom } from "./usage-kept.ts";
import { countRun } from "./usage-run.ts";
import { newestBeside, rowsById, walk } from "./usage-walk.ts";

/** One request as its account holder sees it: nothing of upstreams. */
export type UsageRow = {
  id: string;
  keyId: string;
  key: string;
  model: string;
  operation: Operation;
  stream: boolean;
  tool: string;
  address: string;
  state: UsageState;
  outcome: Outcome;
  status: number | null;
  reason: string | null;
  startedAtMs: number;
  firstByteMs: number | null;
  durationMs: number | null;
  usage: Usage;
  cost: bigint;
  source: UsageSource | null;
  series: bigint | null;
};

/** A row, or several identical refusals in a row: the newest of them, how many, and the oldest. */
export type UsageLine = UsageRow & { count: number; oldestId: string };

export type LinesAsked = { query: UsageQuery; limit: number };
/** The next page begins below `next`; null where there is none. */
export type UsageLines = { lines: UsageLine[]; next: string | null };

const COLUMNS = `usage.id as id, usage.key_id as key_id, keys.name as key_name, usage.model as model,
  usage.dialect as dialect, usage.stream as stream, usage.tool as tool, usage.address as address,
  usage.state as state, usage.status as status, usage.reason as reason, usage.started_at_ms as started_at_ms,
  usage.first_byte_ms as first_byte_ms, usage.duration_ms as duration_ms, usage.input as input,
  usage.cache_read as cache_read, usage.cache_write_5m as cache_write_5m, usage.cache_write_1h as cache_write_1h,
  usage.output as output, usage.reasoning as reasoning, usage.cost as cost, usage.source as source,
  usage.series as series`;
const FROM = "usage join keys on keys.id = usage.key_id";

/** A page may be short of this, and the next one goes on: nobody's log makes one page cost more. */
const ROWS_PER_PAGE_MAX = 1_500;
const ROWS_PER_STEP_MAX = 400;
/** A shorter one is read. */
const RUN_MIN = 20;

export async function usageLines(tx: Tx, { query, limit }: LinesAsked): Promise<UsageLines> {
  const lines: UsageLine[] = [];
  let high = query.high;
  let size = limit + 1;
  for (let work = 0; work < ROWS_PER_PAGE_MAX; ) {
    const { ids, end } = await walk(tx, { ...query, high }, size);
    for (const row of await readRows(tx, { ids, accountId: query.accountId })) {
      const last = lines.at(-1);
      if (last !== undefined && isSameRefusal(last, row)) {
        last.count += 1;
        last.oldestId = row.id;
      } else if (lines.length === limit) return { lines, next: last?.oldestId ?? null };
      else lines.push({ ...row, count: 1, oldestId: row.id });
    }
    if (end === null) return { lines, next: null };
    // It has looked at as much as one page may.
    if (ids.length < size) return { lines, next: end };
    high = end;
    work += ids.length;
    high = (await passRun(tx, { ...query, high }, lines.at(-1))) ?? high;
    size = Math.min(size * 4, ROWS_PER_STEP_MAX);
  }
  return { lines, next: high };
}

export type RowsAsked = { ids: readonly string[]; accountId: string | null };

export async function readRows(tx: Tx, { ids, accountId }: RowsAsked): Promise<UsageRow[]> {
  return (await rowsById(tx, { ids, accountId, columns: COLUMNS, from: FROM })).map(toRow);
}

function isSameRefusal(one: UsageRow, other: UsageRow): boolean {
  return (
    one.state === "refused" &&
    other.state === "refused" &&
    one.keyId === other.keyId &&
    one.model === other.model &&
    one.reason === other.reason &&
    one.tool === other.tool
  );
}

/**
 * Takes the rest of a run of refusals into its line without reading its rows: all of its series down to the newest row
 * of any other.
 */
async function passRun(tx: Tx, query: UsageQuery, line: UsageLine | undefined): Promise<string | null> {
  if (line === undefined || line.count < RUN_MIN || line.series === null) return null;
  const [unsummed] = await tx.all("select id from usage where series is null and state <> 'open' limit 1");
  if (unsummed !== undefined) return null;
  const beside = await newestBeside(tx, query, line.series);
  if (beside === null) return null;
  // The sums count what is kept no longer, too.
  const low = [beside, query.low, (await keptFrom(tx, {})) ?? ""].sort().at(-1) ?? "";
  const run = low < query.high ? await countRun(tx, line.series, { low, high: query.high }) : null;
  if (run === null) return null;
  line.count += run.count;
  line.oldestId = run.oldestId;
  return run.oldestId;
}

function toRow(row: SqlRow): UsageRow {
  const state = text(row["state"]) as UsageState;
  const reason = textOrNull(row["reason"]);
  return {
    id: text(row["id"]),
    keyId: text(row["key_id"]),
    key: text(row["key_name"]),
    model: text(row["model"]),
    operation: text(row["dialect"]) as Operation,
    stream: whole(row["stream"]) === 1,
    tool: toolName(text(row["tool"])),
    address: text(row["address"]),
    state,
    outcome: outcomeOf(state, reason),
    status: wholeOrNull(row["status"]),
    reason,
    startedAtMs: whole(row["started_at_ms"]),
    firstByteMs: wholeOrNull(row["first_byte_ms"]),
    durationMs: wholeOrNull(row["duration_ms"]),
    usage: toUsage(row),
    cost: big(row["cost"]),
    source: textOrNull(row["source"]) as UsageSource | null,
    series: bigOrNull(row["series"]),
  };
}

/** Rows as they are, for a file: as many as are asked for at a time. */
export async function usageRows(
  tx: Tx,
  { query, limit }: LinesAsked,
): Promise<{ rows: UsageRow[]; next: string | null }> {
  const { ids, end } = await walk(tx, query, limit);
  return { rows: await readRows(tx, { ids, accountId: query.accountId }), next: end };
}
