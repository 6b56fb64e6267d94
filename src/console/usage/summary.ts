import type { z } from "zod";
import { formatUsd } from "../../domain/money.ts";
import type { Bar, Summary, SummaryAsked } from "../../store/usage-summary.ts";
import { DAY_MS, HOUR_MS, spanStart } from "../../store/usage-sums.ts";
import type { operatorUsageEndpoints } from "../contract/operator/usage.ts";
import type { usageSummary } from "../contract/usage.ts";
import { type GivenFilter, readFilter, readTimes, wrong } from "./query.ts";
import { instantOf } from "./row.ts";

export type SummaryView = z.output<typeof usageSummary>;
type HouseSummaryView = z.output<(typeof operatorUsageEndpoints)["GET /operator/usage/summary"]["answer"]>;
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

export function summaryView(summary: Summary, asked: SummaryAsked): SummaryView {
  const { totals, firstByteMs } = summary;
  const { starts, series } = heightsOf(summary, asked);
  const { requests, refused, failed, cost, input, cacheRead, cacheWrite, output, reasoning } = totals;
  return {
    totals: {
      ...{ requests, refused, failed, cost_usd: formatUsd(cost), first_byte_ms: firstByteMs },
      tokens: { input, cache_read: cacheRead, cache_write: cacheWrite, output, reasoning },
    },
    buckets: starts.map(instantOf),
    bucket: asked.bucket === 1 ? "hour" : "day",
    series: series.map(seriesView),
  };
}

/** The same with what it cost the house, for operators alone. */
export function houseSummaryView(summary: Summary, asked: SummaryAsked): HouseSummaryView {
  const { cost, ourCost } = summary.totals;
  const { series } = heightsOf(summary, asked);
  return {
    ...summaryView(summary, asked),
    series: series.map(one => ({
      ...seriesView(one),
      our_cost_usd: one.at.map(height => formatUsd(height.ourCost)),
    })),
    our_cost_usd: formatUsd(ourCost),
    margin_usd: formatUsd(cost - ourCost),
  };
}

type Height = Omit<Bar, "name" | "startMs">;
type Heights = { name: string | null; id: string | null; at: Height[] };

const NONE: Height = { requests: 0, errors: 0, tokens: 0, cost: 0n, ourCost: 0n };

/** One bar for every bucket of every series, an empty one where there is none. */
function heightsOf(
  { names, bars }: Summary,
  { fromMs, toMs, bucket }: SummaryAsked,
): { starts: number[]; series: Heights[] } {
  const starts: number[] = [];
  for (let startMs = spanStart(bucket, fromMs); startMs < toMs; startMs += bucket * HOUR_MS)
    starts.push(startMs);
  const named = names.map(({ name, label }) => {
    const own = bars.filter(bar => bar.name === name);
    return { name: label, id: name, at: heights(own, starts) };
  });
  const rest = bars.filter(bar => bar.name === null);
  if (rest.length === 0) return { starts, series: named };
  return { starts, series: [...named, { name: null, id: null, at: heights(rest, starts) }] };
}

function heights(bars: readonly Bar[], starts: readonly number[]): Height[] {
  const found = new Map<number, Height>();
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
  return starts.map(startMs => found.get(startMs) ?? NONE);
}

function seriesView({ name, id, at }: Heights): SeriesView {
  return {
    ...{ name, id },
    cost_usd: at.map(({ cost }) => formatUsd(cost)),
    requests: at.map(({ requests }) => requests),
    errors: at.map(({ errors }) => errors),
    tokens: at.map(({ tokens }) => tokens),
  };
}
