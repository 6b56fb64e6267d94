import type { z } from "zod";
import { formatUsd } from "../../domain/money.ts";
import type { Bar, Summary, SummaryAsked } from "../../store/usage-summary.ts";
import { DAY_MS, HOUR_MS, spanStart } from "../../store/usage-sums.ts";
import type { usageSummary } from "../contract/usage.ts";
import { type GivenFilter, readFilter, readTimes, wrong } from "./query.ts";
import { instantOf } from "./row.ts";

export type SummaryView = z.output<typeof usageSummary>;
type SeriesView = SummaryView["series"][number];

const NAMED_MAX = 8;
const DAYS_DEFAULT = 30;
const DAYS_MAX = 1_100;
/** The day on which clocks are set back is a day as well. */
const HOURS_OF_A_DAY_MAX = 25;

export type SummaryGiven = GivenFilter & { by?: SummaryAsked["by"] | undefined };

/** Without an end it goes up to now, and without a beginning it has the last thirty days. */
export function readSummary(
  given: SummaryGiven,
  { accountId, nowMs }: { accountId: string | null; nowMs: number },
): SummaryAsked {
  const times = readTimes(given);
  const endMs = times.toMs ?? nowMs;
  const fromMs = times.fromMs ?? spanStart(24, endMs) - (DAYS_DEFAULT - 1) * DAY_MS;
  const bucket = endMs - fromMs <= HOURS_OF_A_DAY_MAX * HOUR_MS ? 1 : 24;
  const width = bucket * HOUR_MS;
  const toMs = times.toMs ?? Math.max(spanStart(bucket, nowMs), spanStart(bucket, fromMs)) + width;
  if (toMs - fromMs > DAYS_MAX * DAY_MS) throw wrong("from", "must be at most three years before the end");
  const query = readFilter(given, accountId);
  return { query, fromMs, toMs, by: given.by ?? "key", bucket, top: NAMED_MAX };
}

export function summaryView(summary: Summary, { fromMs, toMs, bucket }: SummaryAsked): SummaryView {
  const { totals, names, bars, firstByteMs } = summary;
  const width = bucket * HOUR_MS;
  const starts: number[] = [];
  for (let startMs = spanStart(bucket, fromMs); startMs < toMs; startMs += width) starts.push(startMs);
  const named = names.map(({ name, label }) => {
    const own = bars.filter(bar => bar.name === name);
    return { name: label, id: name, ...heights(own, starts) };
  });
  const rest = bars.filter(bar => bar.name === null);
  const { requests, refused, failed, cost, input, cacheRead, cacheWrite, output, reasoning } = totals;
  return {
    totals: {
      ...{ requests, refused, failed, cost_usd: formatUsd(cost), first_byte_ms: firstByteMs },
      tokens: { input, cache_read: cacheRead, cache_write: cacheWrite, output, reasoning },
    },
    buckets: starts.map(instantOf),
    bucket: bucket === 1 ? "hour" : "day",
    series: rest.length === 0 ? named : [...named, { name: null, id: null, ...heights(rest, starts) }],
  };
}

/** One of each for every bucket, none where there is no bar. */
function heights(bars: readonly Bar[], starts: readonly number[]): Omit<SeriesView, "name" | "id"> {
  const found = new Map<number, Omit<Bar, "name" | "startMs">>();
  for (const { startMs, requests, errors, tokens, cost, ourCost } of bars) {
    const before = found.get(startMs) ?? NONE;
    found.set(startMs, {
      requests: before.requests + requests,
      errors: before.errors + errors,
      tokens: before.tokens + tokens,
      cost: before.cost + cost,
      ourCost: before.ourCost + ourCost,
    });
  }
  const at = starts.map(startMs => found.get(startMs) ?? NONE);
  return {
    cost_usd: at.map(({ cost }) => formatUsd(cost)),
    requests: at.map(({ requests }) => requests),
    errors: at.map(({ errors }) => errors),
    tokens: at.map(({ tokens }) => tokens),
  };
}

const NONE = { requests: 0, errors: 0, tokens: 0, cost: 0n, ourCost: 0n };
