import { firstIdAt, idTimeMs } from "../domain/id-time.ts";
import { text, whole } from "./rows.ts";
import type { Tx } from "./tx.ts";
import type { IdSpan } from "./usage-filter.ts";
import { HOUR_MS, spanStart } from "./usage-sums.ts";

/** Rows of a series that follow each other: how many, and the oldest of them. */
export type Run = { count: number; oldestId: string };

/** Of a client that asks thousands of times a minute, the rest of the hour is another run. */
const COUNTED_MAX = 20_000;

/** Counted along the index in the hours that are not whole, and by the sums in those that are. */
export async function countRun(tx: Tx, series: bigint, { low, high }: IdSpan): Promise<Run | null> {
  const [fromMs, toMs] = [idTimeMs(low.padEnd(high.length, "0")), idTimeMs(high)];
  const [firstMs, lastMs] = [spanStart(1, fromMs + HOUR_MS - 1), spanStart(1, toMs)];
  if (firstMs >= lastMs) return countRows(tx, series, { low, high });
  const newest = await countRows(tx, series, { low: firstIdAt("req", lastMs), high });
  if (newest?.count === COUNTED_MAX) return newest;
  const hours = await countHours(tx, series, { fromMs: firstMs, toMs: lastMs });
  const oldest = await countRows(tx, series, { low, high: firstIdAt("req", firstMs) });
  const runs = [newest, hours, oldest].filter(run => run !== null);
  const last = runs.at(-1);
  return last === undefined ? null : { ...last, count: runs.reduce((sum, { count }) => sum + count, 0) };
}

async function countRows(tx: Tx, series: bigint, { low, high }: IdSpan): Promise<Run | null> {
  const [run] = await tx.all(
    `select count(*) as n, min(id) as oldest from (select usage.id as id from usage where usage.series = ?
      and usage.id >= ? and usage.id < ? order by usage.id desc limit ${COUNTED_MAX}) as run`,
    ...[series, low, high],
  );
  const count = whole(run?.["n"]);
  return count === 0 ? null : { count, oldestId: text(run?.["oldest"]) };
}

async function countHours(
  tx: Tx,
  series: bigint,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Run | null> {
  const [sum] = await tx.all(
    `select coalesce(sum(requests), 0) as n from usage_sums where series = ? and span = 1 and start_ms >= ?
      and start_ms < ?`,
    ...[series, fromMs, toMs],
  );
  const [oldest] = await tx.all(
    "select id from usage where series = ? and id >= ? and id < ? order by id limit 1",
    ...[series, firstIdAt("req", fromMs), firstIdAt("req", toMs)],
  );
  return oldest === undefined ? null : { count: whole(sum?.["n"]), oldestId: text(oldest["id"]) };
}
