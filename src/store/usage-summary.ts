import { firstIdAt } from "../domain/id-time.ts";
import type { Nanos } from "../domain/money.ts";
import { big, text, textOrNull, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";
import { idSpan, seriesCondition, type UsageQuery } from "./usage-filter.ts";
import { keptFromMs } from "./usage-kept.ts";
import { DAY_MS, HOUR_MS, type Span, SUMS_OF_ROWS, spanStart } from "./usage-sums.ts";
import { rowsById, walk } from "./usage-walk.ts";

export type SummaryAsked = {
  query: Omit<UsageQuery, "low" | "high">;
  fromMs: number;
  toMs: number;
  /** The last two are for operators alone. */
  by: "key" | "model" | "account" | "upstream";
  /** How wide a bar is. */
  bucket: Span;
  /** How many are shown by name. */
  top: number;
};

export type Totals = {
  requests: number;
  refused: number;
  failed: number;
  cost: Nanos;
  ourCost: Nanos;
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
};

/** One bar of one series; the name is null for all that are not shown by name. */
export type Bar = {
  startMs: number;
  name: string | null;
  requests: number;
  errors: number;
  tokens: number;
  cost: Nanos;
  ourCost: Nanos;
};

export type Summary = {
  totals: Totals;
  /** By what they cost, then by how many they are. */
  names: { name: string; label: string }[];
  bars: Bar[];
  firstByteMs: number | null;
};

/** Where the sums of a part of the span come from. */
export type Part = { fromMs: number; toMs: number; source: Span | "rows" };

const MEDIAN_OF = 200;

/**
 * From the sums of whole days as far as they are put together, of whole hours elsewhere, and of the rows themselves in
 * the minutes that are left: so that it is exact for every span of time, and costs the same for a year of one row and
 * of millions.
 */
export async function usageSummary(tx: Tx, asked: SummaryAsked): Promise<Summary> {
  const parts = await readParts(tx, asked);
  const sums: Named[] = [];
  const cells = new Map<Part, Cell[]>();
  for (const part of parts) {
    if (isReadOnce(asked, part)) cells.set(part, await readCells(tx, asked, part));
    sums.push(...(cells.get(part) ?? (await namedSums(tx, asked, part))));
  }
  const names = namesOf(sums).slice(0, asked.top);
  const bars: Bar[] = [];
  for (const part of parts) {
    const read = cells.get(part);
    bars.push(...(read === undefined ? await barsOf(tx, { asked, part, names }) : drawn(read, names)));
  }
  return {
    totals: totalsOf(sums),
    names: await labelled(tx, asked.by, names),
    bars,
    firstByteMs: await medianFirstByte(tx, asked),
  };
}

type TimeSpan = Pick<SummaryAsked, "fromMs" | "toMs" | "bucket">;

export async function readParts(tx: Tx, span: TimeSpan): Promise<Part[]> {
  const sql = "select start_ms from usage_days where is_rolled = 1 and start_ms >= ? and start_ms < ?";
  const rolled = (await tx.all(sql, span.fromMs, span.toMs)).map(row => whole(row["start_ms"]));
  const keptMs = await keptFromMs(tx);
  return partsOf(span, new Set(rolled)).map(part => (part.fromMs < keptMs ? wholeHour(part) : part));
}

/** Where rows are kept no longer, nobody can tell the minutes of an hour apart. */
function wholeHour(part: Part): Part {
  if (part.source !== "rows") return part;
  const fromMs = spanStart(1, part.fromMs);
  return { fromMs, toMs: fromMs + HOUR_MS, source: 1 };
}

/** Days are cut by the clock of UTC. */
export function partsOf({ fromMs, toMs, bucket }: TimeSpan, rolled: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  let restMs = fromMs;
  for (let dayMs = spanStart(24, fromMs); bucket === 24 && dayMs + DAY_MS <= toMs; dayMs += DAY_MS) {
    if (dayMs < fromMs || !rolled.has(dayMs)) continue;
    parts.push(...hourParts(restMs, dayMs));
    const last = parts.at(-1);
    restMs = dayMs + DAY_MS;
    if (last?.source === 24 && last.toMs === dayMs) last.toMs = restMs;
    else parts.push({ fromMs: dayMs, toMs: restMs, source: 24 });
  }
  return [...parts, ...hourParts(restMs, toMs)];
}

function hourParts(fromMs: number, toMs: number): Part[] {
  const [first, last] = [spanStart(1, fromMs + HOUR_MS - 1), spanStart(1, toMs)];
  if (first > last) return rowParts(fromMs, toMs);
  const hours: Part[] = first < last ? [{ fromMs: first, toMs: last, source: 1 }] : [];
  return [...rowParts(fromMs, first), ...hours, ...rowParts(last, toMs)];
}

function rowParts(fromMs: number, toMs: number): Part[] {
  return fromMs < toMs ? [{ fromMs, toMs, source: "rows" }] : [];
}

/** Where sums are read from, and what is called there what. */
type From = { sql: string; params: SqlValue[]; name: string; refused: string; failed: string };

const COLUMNS = { key: "key_id", model: "model", account: "account_id", upstream: "upstream" } as const;

function fromOf(asked: SummaryAsked, part: Part): From {
  const { fromMs, toMs, source } = part;
  const rolled = source === 24 ? fromRolled(asked, part) : null;
  if (rolled !== null) return rolled;
  const condition = seriesCondition({ ...asked.query, ...idSpan({ fromMs: null, toMs: null }) });
  const of = (outcome: string) =>
    `case when usage_series.outcome = '${outcome}' then sums.requests else 0 end`;
  const name = `usage_series.${COLUMNS[asked.by]}`;
  const columns = { name, refused: of("refused"), failed: of("failed") };
  if (source !== "rows") {
    // To SQLite a cross join says what comes first: by the sums of everybody in that time it would take long, unless
    // everybody is meant.
    const isOfAll = condition.params.length === 0 && source === 1;
    const tables = isOfAll
      ? "usage_sums as sums cross join usage_series"
      : "usage_series cross join usage_sums as sums";
    const sql = `${tables} where sums.series = usage_series.id and sums.span = ?
      and sums.start_ms >= ? and sums.start_ms < ? and ${condition.sql}`;
    return { ...columns, sql, params: [source, fromMs, toMs, ...condition.params] };
  }
  const sql = `usage_series join (select usage.series as series, min(cast(? as bigint)) as start_ms, ${SUMS_OF_ROWS}
      from usage where usage.series in (select usage_series.id from usage_series where ${condition.sql})
        and usage.id >= ? and usage.id < ? group by usage.series) as sums
    on sums.series = usage_series.id where ${condition.sql}`;
  const ids = [firstIdAt("req", fromMs), firstIdAt("req", toMs)];
  const params = [spanStart(1, fromMs), ...condition.params, ...ids, ...condition.params];
  return { ...columns, sql, params };
}

/** Where nothing but the account, or nothing but what it is told by, narrows it. Null where something else does. */
function fromRolled({ query, by }: SummaryAsked, { fromMs, toMs }: Part): From | null {
  const { accountId, keyId, model, tool, upstream = null } = query;
  const given = { key: keyId, model, upstream, account: accountId };
  const { [by]: own, ...others } = given;
  const isOfAccount = accountId !== null && (by === "key" || by === "model");
  const isNarrow = Object.entries(others).some(([name, value]) => {
    return value !== null && !(isOfAccount && name === "account");
  });
  if (isNarrow || tool !== null) return null;
  const sql = `usage_rolled as sums where sums.account_id = ? and sums.grain = ? and sums.outcome = ?
    and sums.start_ms >= ? and sums.start_ms < ? ${own === null ? "" : "and sums.name = ?"}`;
  const whose = isOfAccount ? accountId : "";
  const params = [whose, by, query.outcome ?? "", fromMs, toMs, ...(own === null ? [] : [own])];
  return { sql, params, name: "sums.name", refused: "sums.refused", failed: "sums.failed" };
}

export type Named = Totals & { name: string };

const sum = (expression: string) => `coalesce(sum(${expression}), 0)`;
const totalsFrom = ({ refused, failed }: From) => `${sum("sums.requests")} as requests,
  ${sum(refused)} as refused, ${sum(failed)} as failed, ${sum("sums.cost")} as cost,
  ${sum("sums.our_cost")} as our_cost, ${sum("sums.input")} as input, ${sum("sums.cache_read")} as cache_read,
  ${sum("sums.cache_write")} as cache_write, ${sum("sums.output")} as output, ${sum("sums.reasoning")} as reasoning`;

export async function namedSums(tx: Tx, asked: SummaryAsked, part: Part): Promise<Named[]> {
  const from = fromOf(asked, part);
  const rows = await tx.all(
    `select ${from.name} as name, ${totalsFrom(from)} from ${from.sql} group by ${from.name}`,
    ...from.params,
  );
  return rows.map(row => ({ name: text(row["name"]), ...toTotals(row) }));
}

/** What one name comes to within one bar. */
type Cell = Named & { startMs: number };

/** Where many sums have to be read and names are few, they are read once, and names and bars made of that. */
function isReadOnce(asked: SummaryAsked, part: Part): boolean {
  const isFew = asked.by === "model" || asked.by === "upstream";
  return isFew && part.source === 24 && fromRolled(asked, part) === null;
}

async function readCells(tx: Tx, asked: SummaryAsked, part: Part): Promise<Cell[]> {
  const from = fromOf(asked, part);
  const bar = `sums.start_ms - sums.start_ms % ${asked.bucket * HOUR_MS}`;
  const rows = await tx.all(
    `select ${bar} as bar_ms, ${from.name} as name, ${totalsFrom(from)} from ${from.sql}
      group by ${bar}, ${from.name}`,
    ...from.params,
  );
  return rows.map(row => ({ startMs: whole(row["bar_ms"]), name: text(row["name"]), ...toTotals(row) }));
}

/** The bars of those that are shown by name, and one for all the others together. */
function drawn(cells: readonly Cell[], names: readonly string[]): Bar[] {
  const shown = new Set(names);
  const bars = new Map<string, Bar>();
  for (const { startMs, name: own, requests, refused, failed, cost, ourCost, ...tokens } of cells) {
    const name = shown.has(own) ? own : null;
    const key = JSON.stringify([startMs, name]);
    const before = bars.get(key) ?? { requests: 0, errors: 0, tokens: 0, cost: 0n, ourCost: 0n };
    bars.set(key, {
      ...{ startMs, name },
      requests: before.requests + requests,
      errors: before.errors + refused + failed,
      tokens: before.tokens + tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.output,
      cost: before.cost + cost,
      ourCost: before.ourCost + ourCost,
    });
  }
  return [...bars.values()];
}

export function toTotals(row: SqlRow): Totals {
  return {
    requests: whole(row["requests"]),
    refused: whole(row["refused"]),
    failed: whole(row["failed"]),
    cost: big(row["cost"]),
    ourCost: big(row["our_cost"]),
    input: whole(row["input"]),
    cacheRead: whole(row["cache_read"]),
    cacheWrite: whole(row["cache_write"]),
    output: whole(row["output"]),
    reasoning: whole(row["reasoning"]),
  };
}

export function totalsOf(sums: readonly Totals[]): Totals {
  const add = (field: Exclude<keyof Totals, "cost" | "ourCost">) =>
    sums.reduce((total, one) => total + one[field], 0);
  return {
    requests: add("requests"),
    refused: add("refused"),
    failed: add("failed"),
    cost: sums.reduce((total, one) => total + one.cost, 0n),
    ourCost: sums.reduce((total, one) => total + one.ourCost, 0n),
    input: add("input"),
    cacheRead: add("cacheRead"),
    cacheWrite: add("cacheWrite"),
    output: add("output"),
    reasoning: add("reasoning"),
  };
}

function namesOf(sums: readonly Named[]): string[] {
  const found = new Map<string, { cost: Nanos; requests: number }>();
  for (const { name, cost, requests } of sums) {
    const before = found.get(name) ?? { cost: 0n, requests: 0 };
    found.set(name, { cost: before.cost + cost, requests: before.requests + requests });
  }
  return [...found]
    .sort(([one, a], [other, b]) => {
      if (a.cost !== b.cost) return a.cost < b.cost ? 1 : -1;
      return b.requests - a.requests || (one < other ? -1 : 1);
    })
    .map(([name]) => name);
}

type BarsAsked = { asked: SummaryAsked; part: Part; names: readonly string[] };

/** All of them together. */
export function totalBars(tx: Tx, asked: SummaryAsked, part: Part): Promise<Bar[]> {
  return readBars(tx, { asked, part, names: [] });
}

async function barsOf(tx: Tx, bars: BarsAsked): Promise<Bar[]> {
  return bars.names.length === 0 ? [] : readBars(tx, bars);
}

async function readBars(tx: Tx, { asked, part, names }: BarsAsked): Promise<Bar[]> {
  const from = fromOf(asked, part);
  const width = asked.bucket * HOUR_MS;
  const marks = names.map(() => "?").join(", ");
  const named = names.length === 0 ? "''" : `case when ${from.name} in (${marks}) then ${from.name} end`;
  const rows = await tx.all(
    `select start_ms, name, sum(requests) as requests, sum(errors) as errors, sum(tokens) as tokens,
      sum(cost) as cost, sum(our_cost) as our_cost from (select sums.start_ms - sums.start_ms % ${width} as start_ms,
        ${named} as name, sums.requests as requests,
        ${from.refused} + ${from.failed} as errors,
        sums.input + sums.cache_read + sums.cache_write + sums.output as tokens, sums.cost as cost,
        sums.our_cost as our_cost
        from ${from.sql}) as bars group by start_ms, name`,
    ...[...names, ...from.params],
  );
  return rows.map(row => ({
    startMs: whole(row["start_ms"]),
    name: textOrNull(row["name"]),
    requests: whole(row["requests"]),
    errors: whole(row["errors"]),
    tokens: whole(row["tokens"]),
    cost: big(row["cost"]),
    ourCost: big(row["our_cost"]),
  }));
}

const LABELS = {
  key: "select id, name as label from keys where id in",
  account: "select id, email as label from accounts where id in",
  model: null,
  upstream: null,
} as const;

async function labelled(tx: Tx, by: SummaryAsked["by"], names: readonly string[]): Promise<Summary["names"]> {
  const sql = LABELS[by];
  if (sql === null || names.length === 0) return names.map(name => ({ name, label: name }));
  const marks = names.map(() => "?").join(", ");
  const rows = await tx.all(`${sql} (${marks})`, ...names);
  const labels = new Map(rows.map(row => [text(row["id"]), text(row["label"])]));
  return names.map(name => ({ name, label: labels.get(name) ?? name }));
}

/** Of the newest requests, because a median cannot be summed up. */
export async function medianFirstByte(
  tx: Tx,
  { query, fromMs, toMs }: Pick<SummaryAsked, "query" | "fromMs" | "toMs">,
): Promise<number | null> {
  const { ids } = await walk(tx, { ...query, ...idSpan({ fromMs, toMs }) }, MEDIAN_OF);
  const rows = await rowsById(tx, { ids, columns: "id, first_byte_ms", accountId: query.accountId });
  const times = rows.flatMap(row => wholeOrNull(row["first_byte_ms"]) ?? []).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? null;
}

/** How many rows there are, from the sums: exact for whole hours, and of rows that have ended. */
export async function usageCount(
  tx: Tx,
  asked: Omit<SummaryAsked, "by" | "top" | "bucket">,
): Promise<{ count: number }> {
  let count = 0;
  const fromMs = Math.max(asked.fromMs, await keptFromMs(tx));
  if (fromMs >= asked.toMs) return { count };
  for (const part of await readParts(tx, { ...asked, fromMs, bucket: 24 })) {
    const from = fromOf({ ...asked, by: "key", top: 0, bucket: 24 }, part);
    const [row] = await tx.all(`select ${sum("sums.requests")} as n from ${from.sql}`, ...from.params);
    count += whole(row?.["n"]);
  }
  return { count };
}
