import { createHash } from "node:crypto";
import { idTimeMs } from "../domain/id-time.ts";
import type { Id } from "../domain/ids.ts";
import type { Nanos } from "../domain/money.ts";
import { type Outcome, outcomeOf } from "../domain/outcome.ts";
import { toolName } from "../domain/tool-name.ts";
import type { Usage, UsageState } from "../domain/usage.ts";

/** Everything that a request can be filtered by. */
export type SeriesName = {
  accountId: string;
  keyId: string;
  model: string;
  tool: string;
  /** Empty where none was asked. */
  upstream: string;
  outcome: Outcome;
  reason: string;
};

export type Series = SeriesName & { id: bigint };

/** What the rows of a series come to within a span that began at `startMs`. */
export type Sum = {
  series: bigint;
  span: Span;
  startMs: number;
  requests: bigint;
  input: bigint;
  cacheRead: bigint;
  cacheWrite: bigint;
  output: bigint;
  reasoning: bigint;
  cost: Nanos;
  ourCost: Nanos;
};

/** In hours. */
export type Span = 1 | 24;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/**
 * Long after midnight a day is put together, and a row that ends even later says that it has to be done again. Clocks
 * of several machines differ by far less than what is between the two.
 */
export const ROLLED_AFTER_MS = 2 * HOUR_MS;
const LATE_AFTER_MS = HOUR_MS;

/** No request has more tokens of a kind; what an upstream claims beyond it would, summed up, fit into no column. */
export const SUMMED_TOKENS_MAX = 1_000_000_000;

/** A row that has ended, as the sums count it. */
export type Ended = {
  id: Id<"req">;
  accountId: string;
  keyId: string;
  model: string;
  /** The client's user agent. */
  tool: string;
  upstream: string | null;
  state: UsageState;
  reason: string | null;
  usage: Usage;
  cost: Nanos;
  /** What the upstream asked of us for it. */
  ourCost: Nanos;
};

const KNOWN_MAX = 50_000;
/** Of one key; a client may send another model or user agent with each request. */
const KNOWN_OF_KEY_MAX = 64;

type Met = Pick<Ended, "model" | "tool" | "upstream" | "state" | "reason"> & { series: Series };
/** Of each key the last few, those that come often in front: most requests of a key are like the one before. */
const known = new Map<string, Met[]>();
let knownCount = 0;

/**
 * A series is named by its own hash, so that whoever meets it first needs to ask nobody for a number. The hash is of
 * the kind that nobody finds a second text for by chance.
 */
export function seriesOf(ended: Ended): Series {
  const mets = known.get(ended.keyId);
  return (mets === undefined ? undefined : metBefore(mets, ended)) ?? meet(mets ?? [], ended);
}

function metBefore(mets: Met[], { model, tool, upstream, state, reason }: Ended): Series | undefined {
  const at = mets.findIndex(met => {
    const isOfClient = met.model === model && met.tool === tool;
    return isOfClient && met.upstream === upstream && met.state === state && met.reason === reason;
  });
  const found = mets[at];
  const before = mets[at - 1];
  if (found !== undefined && before !== undefined) {
    mets[at - 1] = found;
    mets[at] = before;
  }
  return found?.series;
}

function meet(mets: Met[], { accountId, keyId, model, tool, upstream, state, reason }: Ended): Series {
  const name = {
    ...{ accountId, keyId, model, tool: toolName(tool) },
    ...{ upstream: upstream ?? "", outcome: outcomeOf(state, reason), reason: reason ?? "" },
  };
  const series = { ...name, id: hashOf(name) };
  if (knownCount >= KNOWN_MAX) {
    known.clear();
    knownCount = 0;
    mets.length = 0;
  }
  if (mets.length < KNOWN_OF_KEY_MAX) knownCount += 1;
  else mets.pop();
  mets.push({ model, tool, upstream, state, reason, series });
  known.set(keyId, mets);
  return series;
}

function hashOf({ accountId, keyId, model, tool, upstream, outcome, reason }: SeriesName): bigint {
  const text = JSON.stringify([accountId, keyId, model, tool, upstream, outcome, reason]);
  return BigInt.asUintN(63, createHash("sha256").update(text).digest().readBigUInt64BE());
}

export function spanStart(span: Span, ms: number): number {
  return Math.floor(ms / (span * HOUR_MS)) * span * HOUR_MS;
}

/** What one batch adds to the sums: one line for each series, however many rows of it have ended. */
export class SumBook {
  readonly series = new Map<bigint, Series>();
  readonly days = new Set<number>();
  /** By the hour, and in it by the series. */
  readonly #hours = new Map<number, Map<bigint, Adding>>();

  /** Gives the series that the row is in. */
  add(ended: Ended): bigint {
    const series = seriesOf(ended);
    const startMs = spanStart(1, idTimeMs(ended.id));
    const hour = this.#hours.get(startMs) ?? this.#addHour(startMs);
    const sum = hour.get(series.id) ?? this.#addSeries(series, hour);
    count(ended, sum);
    return series.id;
  }

  #addHour(startMs: number): Map<bigint, Adding> {
    const hour = new Map<bigint, Adding>();
    this.#hours.set(startMs, hour);
    this.days.add(spanStart(24, startMs));
    return hour;
  }

  #addSeries(series: Series, hour: Map<bigint, Adding>): Adding {
    const sum = { ...NOTHING };
    hour.set(series.id, sum);
    this.series.set(series.id, series);
    return sum;
  }

  get isEmpty(): boolean {
    return this.series.size === 0;
  }

  /** In the order of their names, so that no two that write the same ones wait for each other. */
  sums(): Sum[] {
    const all = [...this.#hours].flatMap(([startMs, hour]) =>
      [...hour].map(([series, adding]) => sumOf({ series, span: 1, startMs }, adding)),
    );
    return all.sort((a, b) => compare(a.series, b.series) || a.startMs - b.startMs);
  }
}

/** A day that has sums; a late one may have been put together before. */
export type SumDay = { startMs: number; isLate: boolean };

/** Which series and days are in the database for certain, so that each is written once by each process. */
export class KnownSeries {
  readonly #ids = new Set<bigint>();
  readonly #days = new Set<number>();

  newOf({ series }: SumBook): Series[] {
    return [...series.values()].filter(({ id }) => !this.#ids.has(id));
  }

  newDaysOf({ days }: SumBook, nowMs: number): SumDay[] {
    const all = [...days].sort((a, b) => a - b);
    return all
      .map(startMs => ({ startMs, isLate: nowMs - startMs >= DAY_MS + LATE_AFTER_MS }))
      .filter(({ startMs, isLate }) => isLate || !this.#days.has(startMs));
  }

  /** After a commit. */
  add({ series, days }: SumBook): void {
    if (this.#days.size > KNOWN_MAX) this.#days.clear();
    for (const day of days) this.#days.add(day);
    if (this.#ids.size + series.size > KNOWN_MAX) this.#ids.clear();
    for (const id of series.keys()) this.#ids.add(id);
  }
}

/** A sum while it is added up: of no more rows than a number counts exactly, at most so many tokens each. */
type Adding = Record<"requests" | "input" | "cacheRead" | "cacheWrite" | "output" | "reasoning", number> &
  Pick<Sum, "cost" | "ourCost">;

const NOTHING: Adding = {
  requests: 0,
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  cost: 0n,
  ourCost: 0n,
};

function count({ usage, cost, ourCost }: Ended, sum: Adding): void {
  sum.requests += 1;
  sum.input += counted(usage.input);
  sum.cacheRead += counted(usage.cacheRead);
  sum.cacheWrite += counted(usage.cacheWrite5m) + counted(usage.cacheWrite1h);
  sum.output += counted(usage.output);
  sum.reasoning += counted(usage.reasoning);
  sum.cost += cost;
  sum.ourCost += ourCost;
}

function counted(tokens: number): number {
  return Math.min(tokens, SUMMED_TOKENS_MAX);
}

function sumOf(place: Pick<Sum, "series" | "span" | "startMs">, adding: Adding): Sum {
  const { requests, input, cacheRead, cacheWrite, output, reasoning, cost, ourCost } = adding;
  return {
    ...place,
    requests: BigInt(requests),
    input: BigInt(input),
    cacheRead: BigInt(cacheRead),
    cacheWrite: BigInt(cacheWrite),
    output: BigInt(output),
    reasoning: BigInt(reasoning),
    cost,
    ourCost,
  };
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same in SQL, over rows of the log. */
const capped = (column: string) =>
  `case when ${column} > ${SUMMED_TOKENS_MAX} then ${SUMMED_TOKENS_MAX} else ${column} end`;
const total = (expression: string) => `coalesce(sum(${expression}), 0)`;
export const SUMS_OF_ROWS = `count(*) as requests, ${total(capped("usage.input"))} as input,
  ${total(capped("usage.cache_read"))} as cache_read,
  ${total(`${capped("usage.cache_write_5m")} + ${capped("usage.cache_write_1h")}`)} as cache_write,
  ${total(capped("usage.output"))} as output, ${total(capped("usage.reasoning"))} as reasoning,
  ${total("usage.cost")} as cost, ${total("usage.our_cost")} as our_cost`;

/** What a sum is made of, by the names of its columns. */
export const QUANTITIES = [
  ...["requests", "input", "cache_read", "cache_write", "output", "reasoning", "cost", "our_cost"],
] as const;
