import { firstIdAt } from "../domain/id-time.ts";
import type { Nanos } from "../domain/money.ts";
import { outcomeOf } from "../domain/outcome.ts";
import type { Attempt, UsageState } from "../domain/usage.ts";
import { big, text, textOrNull, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { idSpan } from "./usage-filter.ts";
import { HOUR_MS, spanStart } from "./usage-sums.ts";
import { rowsById, walk } from "./usage-walk.ts";

/** What one upstream did, over whole hours. */
export type UpstreamFigures = {
  name: string;
  /** Those that ended there. */
  requests: number;
  good: number;
  /** By a fault of the upstream, those included after which another one was asked. */
  failed: number;
  revenue: Nanos;
  ourCost: Nanos;
  firstByteMs: number | null;
  firstByteMsP95: number | null;
  tokensPerSecond: number | null;
  /** The newest that failed there. */
  lastError: LastError | null;
};

export type LastError = { atMs: number; model: string; why: string };

export type FiguresAsked = { fromMs: number; toMs: number };

/** Times are those of the newest requests, because a median cannot be summed up. */
const NEWEST_ROWS = 2_000;
const ATTEMPTS_MAX = 20_000;

export async function upstreamFigures(tx: Tx, span: FiguresAsked): Promise<UpstreamFigures[]> {
  const fromMs = spanStart(1, span.fromMs);
  const sums = await tx.all(
    `select usage_series.upstream as name, usage_series.outcome as outcome, sum(hourly.requests) as requests,
      sum(hourly.cost) as cost, sum(hourly.our_cost) as our_cost from (select series, sum(requests) as requests,
        sum(cost) as cost, sum(our_cost) as our_cost from usage_sums where span = 1 and start_ms >= ?
        and start_ms < ? group by series) as hourly
      join usage_series on usage_series.id = hourly.series where usage_series.upstream <> ''
      group by usage_series.upstream, usage_series.outcome`,
    ...[fromMs, span.toMs],
  );
  const ids = [firstIdAt("req", fromMs), firstIdAt("req", span.toMs)] as const;
  const newest = await tx.all(
    `select upstream, model, state, stream, reason, started_at_ms, first_byte_ms, duration_ms, output from usage
      where id >= ? and id < ? and upstream is not null order by id desc limit ?`,
    ...[...ids, NEWEST_ROWS],
  );
  const passed = await passedOver(tx, ids);
  const byName = Map.groupBy(sums, row => text(row["name"]));
  const times = Map.groupBy(newest, row => text(row["upstream"]));
  const names = [...new Set([...byName.keys(), ...passed.keys()])].sort();
  return names.map(name => ({
    ...summed(name, byName.get(name) ?? [], passed.get(name)?.count ?? 0),
    ...timesOf(times.get(name) ?? []),
    lastError: newer(failedLast(times.get(name) ?? []), passed.get(name)?.last ?? null),
  }));
}

type Times = Pick<UpstreamFigures, "firstByteMs" | "firstByteMsP95" | "tokensPerSecond">;
type Summed = Omit<UpstreamFigures, keyof Times | "lastError">;

function summed(name: string, rows: readonly SqlRow[], passed: number): Summed {
  const count = (outcome: string) =>
    rows.reduce((sum, row) => sum + (text(row["outcome"]) === outcome ? whole(row["requests"]) : 0), 0);
  return {
    name,
    requests: rows.reduce((sum, row) => sum + whole(row["requests"]), 0),
    good: count("ok"),
    failed: count("failed") + passed,
    revenue: rows.reduce((sum, row) => sum + big(row["cost"]), 0n),
    ourCost: rows.reduce((sum, row) => sum + big(row["our_cost"]), 0n),
  };
}

/** Rows come newest first. */
function failedLast(rows: readonly SqlRow[]): LastError | null {
  const found = rows.find(
    row => outcomeOf(text(row["state"]) as UsageState, textOrNull(row["reason"])) === "failed",
  );
  return found === undefined ? null : lastOf(found, textOrNull(found["reason"]) ?? "");
}

function lastOf(row: SqlRow, why: string): LastError {
  return { atMs: whole(row["started_at_ms"]), model: text(row["model"]), why };
}

function newer(a: LastError | null, b: LastError | null): LastError | null {
  if (a === null || b === null) return a ?? b;
  return a.atMs < b.atMs ? b : a;
}

function timesOf(rows: readonly SqlRow[]): Times {
  const firstBytes = rows.flatMap(row => wholeOrNull(row["first_byte_ms"]) ?? []).sort((a, b) => a - b);
  let [tokens, ms] = [0, 0];
  for (const row of rows) {
    const streamMs = (wholeOrNull(row["duration_ms"]) ?? 0) - (wholeOrNull(row["first_byte_ms"]) ?? 0);
    if (whole(row["stream"]) !== 1 || textOrNull(row["reason"]) !== null || streamMs <= 0) continue;
    tokens += whole(row["output"]);
    ms += streamMs;
  }
  return {
    firstByteMs: firstBytes[Math.floor(firstBytes.length / 2)] ?? null,
    firstByteMsP95: firstBytes[Math.floor(firstBytes.length * 0.95)] ?? null,
    tokensPerSecond: ms === 0 ? null : (1_000 * tokens) / ms,
  };
}

type Passed = { count: number; last: LastError };

async function passedOver(
  tx: Tx,
  [low, high]: readonly [string, string],
): Promise<ReadonlyMap<string, Passed>> {
  const rows = await tx.all(
    `select model, started_at_ms, attempts from usage where attempts is not null and id >= ? and id < ?
      order by id desc limit ?`,
    ...[low, high, ATTEMPTS_MAX],
  );
  const found = new Map<string, Passed>();
  for (const row of rows) {
    for (const { upstream, why } of attemptsOf(row)) {
      const before = found.get(upstream);
      if (before === undefined) found.set(upstream, { count: 1, last: lastOf(row, why) });
      else before.count += 1;
    }
  }
  return found;
}

function attemptsOf(row: SqlRow): Attempt[] {
  return JSON.parse(textOrNull(row["attempts"]) ?? "[]") as Attempt[];
}

/** A request that failed there, whether or not another upstream answered it in the end. */
export type UpstreamError = {
  requestId: string;
  startedAtMs: number;
  model: string;
  why: string;
  ms: number;
};

/** One hour of it. */
export type UpstreamHour = { startMs: number; requests: number; failed: number; firstByteMs: number | null };

export type HistoryAsked = { name: string; fromMs: number; toMs: number };

const ANY = { accountId: null, keyId: null, model: null, tool: null, outcome: null } as const;

/** Newest first. */
export async function upstreamErrors(
  tx: Tx,
  { name, fromMs, toMs, limit }: HistoryAsked & { limit: number },
): Promise<UpstreamError[]> {
  const span = idSpan({ fromMs, toMs });
  const columns = "id, model, reason, started_at_ms, duration_ms, attempts";
  const { ids } = await walk(tx, { ...ANY, ...span, outcome: "failed", upstream: name }, limit);
  const ended = (await rowsById(tx, { ids, columns, accountId: null })).map(row =>
    errorOf(row, { why: textOrNull(row["reason"]) ?? "", ms: wholeOrNull(row["duration_ms"]) ?? 0 }),
  );
  const moved = await tx.all(
    `select ${columns} from usage where attempts is not null and id >= ? and id < ? order by id desc limit ?`,
    ...[span.low, span.high, ATTEMPTS_MAX],
  );
  const passed = moved.flatMap(row =>
    attemptsOf(row)
      .filter(({ upstream }) => upstream === name)
      .map(({ why, ms }) => errorOf(row, { why, ms })),
  );
  return [...ended, ...passed].sort((a, b) => (a.requestId < b.requestId ? 1 : -1)).slice(0, limit);
}

function errorOf(row: SqlRow, { why, ms }: Pick<UpstreamError, "why" | "ms">): UpstreamError {
  const startedAtMs = whole(row["started_at_ms"]);
  return { requestId: text(row["id"]), startedAtMs, model: text(row["model"]), why, ms };
}

/** None is left out. */
export async function upstreamHours(tx: Tx, { name, fromMs, toMs }: HistoryAsked): Promise<UpstreamHour[]> {
  const firstMs = spanStart(1, fromMs);
  const rows = await tx.all(
    `select sums.start_ms as start_ms, sum(sums.requests) as requests,
      sum(case when usage_series.outcome = 'failed' then sums.requests else 0 end) as failed
      from usage_sums as sums join usage_series on usage_series.id = sums.series
      where sums.span = 1 and sums.start_ms >= ? and sums.start_ms < ? and usage_series.upstream = ?
      group by sums.start_ms`,
    ...[firstMs, toMs, name],
  );
  const counts = new Map(rows.map(row => [whole(row["start_ms"]), row]));
  const passed = await passedByHour(tx, { name, firstMs, toMs });
  const times = await timesByHour(tx, { name, firstMs, toMs });
  const hours: UpstreamHour[] = [];
  for (let startMs = firstMs; startMs < toMs; startMs += HOUR_MS) {
    const row = counts.get(startMs) ?? {};
    const missed = passed.get(startMs) ?? 0;
    const [requests, failed] = [whole(row["requests"]) + missed, whole(row["failed"]) + missed];
    hours.push({ startMs, requests, failed, firstByteMs: times.get(startMs) ?? null });
  }
  return hours;
}

type Hours = { name: string; firstMs: number; toMs: number };

async function passedByHour(tx: Tx, { name, firstMs, toMs }: Hours): Promise<Map<number, number>> {
  const { low, high } = idSpan({ fromMs: firstMs, toMs });
  const rows = await tx.all(
    `select started_at_ms, attempts from usage where attempts is not null and id >= ? and id < ?
      order by id desc limit ?`,
    ...[low, high, ATTEMPTS_MAX],
  );
  const counts = new Map<number, number>();
  for (const row of rows) {
    const startMs = spanStart(1, whole(row["started_at_ms"]));
    const count = attemptsOf(row).filter(({ upstream }) => upstream === name).length;
    if (count > 0) counts.set(startMs, (counts.get(startMs) ?? 0) + count);
  }
  return counts;
}

/** Of the newest of each hour. */
const TIMES_PER_HOUR = 50;

async function timesByHour(tx: Tx, { name, firstMs, toMs }: Hours): Promise<Map<number, number>> {
  const medians = new Map<number, number>();
  for (let startMs = firstMs; startMs < toMs; startMs += HOUR_MS) {
    const span = idSpan({ fromMs: startMs, toMs: startMs + HOUR_MS });
    const { ids } = await walk(tx, { ...ANY, ...span, upstream: name }, TIMES_PER_HOUR);
    const rows = await rowsById(tx, { ids, columns: "id, first_byte_ms", accountId: null });
    const { firstByteMs } = timesOf(rows);
    if (firstByteMs !== null) medians.set(startMs, firstByteMs);
  }
  return medians;
}
