import { firstIdAt } from "../domain/id-time.ts";
import { big, text, whole } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { GRAINS } from "./usage-roll.ts";
import { DAY_MS, QUANTITIES, SUMS_OF_ROWS } from "./usage-sums.ts";

/** A place where the sums of the usage log do not say what its rows say. */
export type SumFinding = { row: string; found: string };

const SUMS = QUANTITIES.map(name => `sum(${name}) as ${name}`).join(", ");
const LIMIT = 20;
/** Rows that are in the wrong series, or in one that nobody knows. A row of an older version is in none yet. */
const MISPLACED = `select usage.id as row_id from usage left join usage_series as own on own.id = usage.series
  where usage.series is not null and (own.id is null or usage.state = 'open' or own.account_id <> usage.account_id
    or own.key_id <> usage.key_id or own.model <> usage.model or own.reason <> coalesce(usage.reason, '')
    or own.upstream <> coalesce(usage.upstream, ''))
  limit ${LIMIT}`;

/** Day by day, because a day's rows stand together; then that no row is left that is on none of these days. */
export async function sumFindings(tx: Tx): Promise<SumFinding[]> {
  const misplaced = (await tx.all(MISPLACED)).map(row => ({
    row: text(row["row_id"]),
    found: "in a series that is not its own",
  }));
  const findings = [...misplaced];
  let counted = 0n;
  for (let dayMs = await nextDay(tx, -1); dayMs !== null; dayMs = await nextDay(tx, dayMs)) {
    const { found, requests } = await dayFindings(tx, dayMs);
    findings.push(...found);
    counted += requests;
    if (findings.length >= LIMIT) return findings;
  }
  const [rows] = await tx.all("select count(*) as n from usage where series is not null");
  if (big(rows?.["n"]) === counted) return findings;
  const found = `${counted} of ${big(rows?.["n"])} rows are on a day that has sums`;
  return [...findings, { row: "usage_sums", found }];
}

async function nextDay(tx: Tx, afterMs: number): Promise<number | null> {
  const sql = "select min(start_ms) as day from usage_days where start_ms > ?";
  const [row] = await tx.all(sql, afterMs);
  return row?.["day"] === null || row?.["day"] === undefined ? null : whole(row["day"]);
}

async function dayFindings(tx: Tx, dayMs: number): Promise<{ found: SumFinding[]; requests: bigint }> {
  const stored = await tx.all(
    `select series, ${SUMS} from usage_sums where span = 1 and start_ms >= ? and start_ms < ? group by series`,
    ...[dayMs, dayMs + DAY_MS],
  );
  const rows = await tx.all(
    `select series, ${SUMS_OF_ROWS} from usage where id >= ? and id < ? and series is not null group by series`,
    ...[firstIdAt("req", dayMs), firstIdAt("req", dayMs + DAY_MS)],
  );
  const removed = await tx.all(
    `select series, ${QUANTITIES.join(", ")} from usage_removed where start_ms = ?`,
    dayMs,
  );
  const day = new Date(dayMs).toISOString().slice(0, 10);
  const expected = together([...rows, ...removed]);
  const found: SumFinding[] = [];
  for (const row of stored) {
    const want = expected.get(big(row["series"]));
    expected.delete(big(row["series"]));
    if (want === undefined || !isSame(row, want))
      found.push({ row: placeOf(row, day), found: told(row, want) });
  }
  for (const want of expected.values())
    found.push({ row: placeOf(want, day), found: `stored nothing, expected ${tell(want)}` });
  found.push(...(await rolledFindings(tx, dayMs)).map(what => ({ row: day, found: what })));
  return { found, requests: rows.reduce((sum, row) => sum + big(row["requests"]), 0n) };
}

/** What the rows of a series come to, with those that are kept no longer. */
function together(rows: readonly SqlRow[]): Map<bigint, SqlRow> {
  const all = new Map<bigint, SqlRow>();
  for (const row of rows) {
    const series = big(row["series"]);
    const other = all.get(series);
    const sums = QUANTITIES.map(name => [name, big(row[name]) + big(other?.[name])] as const);
    all.set(series, { series, ...Object.fromEntries(sums) });
  }
  return all;
}

/** Whether what was put together for a day that is over is what its hours come to. */
async function rolledFindings(tx: Tx, dayMs: number): Promise<string[]> {
  const [day] = await tx.all("select is_rolled from usage_days where start_ms = ?", dayMs);
  if (whole(day?.["is_rolled"]) !== 1) return [];
  const differ = QUANTITIES.map(name => `sum(case when span = 1 then ${name} else -${name} end) <> 0`);
  const series = await tx.all(
    `select series from usage_sums where span in (1, 24) and start_ms >= ? and start_ms < ? group by series
      having ${differ.join(" or ")} limit 1`,
    ...[dayMs, dayMs + DAY_MS],
  );
  const found = series.map(row => `the hours of series ${big(row["series"])} do not come to its day`);
  for (const { grain, column, whose } of GRAINS) {
    const account = whose === "''" ? whose : "own.account_id";
    const mine = whose === "''" ? "account_id = ''" : "account_id <> ''";
    const sides = (sign: string) => QUANTITIES.map(name => `${sign}sums.${name} as ${name}`).join(", ");
    const wrong = await tx.all(
      `select account_id, name from (
        select account_id, name, outcome, ${sides("")} from usage_rolled as sums where ${mine} and grain = ?
          and start_ms = ?
        union all select ${account}, own.${column}, own.outcome, ${sides("-")} from usage_sums as sums
          join usage_series as own on own.id = sums.series where sums.span = 24 and sums.start_ms = ?
        union all select ${account}, own.${column}, '', ${sides("-")} from usage_sums as sums
          join usage_series as own on own.id = sums.series where sums.span = 24 and sums.start_ms = ?) as both_sides
        group by account_id, name, outcome having ${QUANTITIES.map(name => `sum(${name}) <> 0`).join(" or ")} limit 1`,
      ...[grain, dayMs, dayMs, dayMs],
    );
    found.push(...wrong.map(row => `the day of ${grain} ${text(row["name"])} is not that of its series`));
  }
  return found;
}

function isSame(one: SqlRow, other: SqlRow): boolean {
  return QUANTITIES.every(name => big(one[name]) === big(other[name]));
}

function told(stored: SqlRow, want: SqlRow | undefined): string {
  return `stored ${tell(stored)}, expected ${want === undefined ? "nothing" : tell(want)}`;
}

function tell(row: SqlRow): string {
  return QUANTITIES.map(name => `${name} ${big(row[name])}`).join(", ");
}

function placeOf(row: SqlRow, day: string): string {
  return `series ${big(row["series"])} on ${day}`;
}
