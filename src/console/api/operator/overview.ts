import { formatUsd, NANOS_PER_USD } from "../../../domain/money.ts";
import type { Overview, TopName } from "../../../store/overview.ts";
import type { UpstreamState } from "../../../store/upstream-record.ts";
import type { UpstreamListing } from "../../../store/upstreams.ts";
import type { Bar, Totals } from "../../../store/usage-summary.ts";
import { HOUR_MS, type Span, spanStart } from "../../../store/usage-sums.ts";
import { chainState } from "../../audit-watch.ts";
import type { Calls } from "../../contract/contract.ts";
import { attentionList } from "../../overview-attention.ts";
import type { Handlers } from "../visit.ts";
import { isRejection } from "./upstreams-view.ts";

type View = Calls["GET /operator/overview"]["answer"];
type Range = Calls["GET /operator/overview"]["query"]["range"];

/** How many bars, and how many hours each has. */
const RANGES: Readonly<Record<Range, { count: number; bucket: Span }>> = {
  day: { count: 24, bucket: 1 },
  week: { count: 7, bucket: 24 },
  month: { count: 30, bucket: 24 },
  quarter: { count: 90, bucket: 24 },
  year: { count: 365, bucket: 24 },
};
const TOP = 8;
const DAY_MS = 24 * HOUR_MS;
/** Processes say that they are there every five seconds. */
const SILENT_MS_MAX = 20_000;
const USED_WITHIN_MS = 7 * DAY_MS;
const LITTLE = NANOS_PER_USD;

export const overviewHandlers = {
  "GET /operator/overview": async ({ desk, nowMs }, { query }) => {
    const { count, bucket } = RANGES[query.range];
    const width = bucket * HOUR_MS;
    const toMs = spanStart(bucket, nowMs) + width;
    const fromMs = toMs - count * width;
    const { store } = desk;
    const [overview, states, upstreams, house, chain] = await Promise.all([
      store.report("overview", {
        ...{ fromMs, toMs, bucket, top: TOP, seenAfterMs: nowMs - SILENT_MS_MAX },
        health: { fromMs: nowMs - DAY_MS, toMs: nowMs + 1 },
      }),
      store.report("upstream.states", {}),
      store.run("upstream.list", {}),
      store.report("overview.concerns", { nowMs, usedAfterMs: nowMs - USED_WITHIN_MS, low: LITTLE }),
      chainState(desk),
    ]);
    const isRegistrationOpen = desk.settings().registration === "open";
    const catalogue = desk.catalogue();
    return {
      attention: attentionList({ catalogue, states, house, chain, isRegistrationOpen, nowMs }),
      totals: figures(overview.totals),
      before: figures(overview.before),
      first_byte_ms: overview.firstByteMs,
      running: overview.running,
      instances: overview.instances,
      ...charts(overview.bars, { fromMs, toMs, bucket }),
      upstreams: upstreams.map(one => upstreamView(one, overview, states)),
      top_keys: overview.topKeys.map(topView),
      top_models: overview.topModels.map(topView),
      top_accounts: overview.topAccounts.map(topView),
    };
  },
} satisfies Pick<Handlers, "GET /operator/overview">;

function figures(totals: Totals): View["totals"] {
  const { requests, refused, failed, input, cacheRead, cacheWrite, output } = totals;
  return {
    ...{ requests, refused, failed, tokens: input + cacheRead + cacheWrite + output },
    revenue_usd: formatUsd(totals.cost),
    cost_usd: formatUsd(totals.ourCost),
  };
}

function topView({ id, name, requests, cost }: TopName): View["top_keys"][number] {
  return { id, name, requests, revenue_usd: formatUsd(cost) };
}

type Spread = { fromMs: number; toMs: number; bucket: Span };

/** One of each for every bucket, none where there is no bar. */
function charts(bars: readonly Bar[], { fromMs, toMs, bucket }: Spread) {
  const starts: number[] = [];
  for (let startMs = fromMs; startMs < toMs; startMs += bucket * HOUR_MS) starts.push(startMs);
  const byStart = Map.groupBy(bars, ({ startMs }) => startMs);
  const own = starts.map(startMs => byStart.get(startMs) ?? []);
  const count = (field: "requests" | "errors") =>
    own.map(some => some.reduce((sum, one) => sum + one[field], 0));
  const money = (field: "cost" | "ourCost") =>
    own.map(some => formatUsd(some.reduce((sum, one) => sum + one[field], 0n)));
  return {
    bucket: bucket === 1 ? ("hour" as const) : ("day" as const),
    buckets: starts.map(startMs => new Date(startMs).toISOString()),
    series: {
      requests: count("requests"),
      errors: count("errors"),
      revenue_usd: money("cost"),
      cost_usd: money("ourCost"),
    },
  };
}

function upstreamView(
  one: UpstreamListing,
  { upstreams, health }: Overview,
  states: readonly UpstreamState[],
): View["upstreams"][number] {
  const { id, name } = one;
  const requests = upstreams.find(other => other.name === name)?.requests ?? 0;
  const done = health.find(other => other.name === name);
  const { good = 0, failed = 0, firstByteMs = null, firstByteMsP95 = null } = done ?? {};
  return {
    ...{ id, name, requests, first_byte_ms: firstByteMs, first_byte_p95_ms: firstByteMsP95 },
    state: stateOf(one, states, requests),
    success_rate: good + failed === 0 ? null : good / (good + failed),
  };
}

/** Rejected, where none of its keys is taken any more. */
function stateOf(
  one: UpstreamListing,
  states: readonly UpstreamState[],
  requests: number,
): View["upstreams"][number]["state"] {
  if (one.isPaused) return "paused";
  const own = states.filter(({ upstreamId }) => upstreamId === one.id);
  const rejected = new Set(own.filter(isRejection).map(({ credentialId }) => credentialId));
  if (one.credentials.length > 0 && one.credentials.every(({ id }) => rejected.has(id))) return "rejected";
  if (own.some(({ credentialId }) => credentialId === null)) return "resting";
  return requests === 0 ? "unused" : "ok";
}
