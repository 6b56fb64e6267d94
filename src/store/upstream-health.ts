import type { Attempt } from "../domain/usage.ts";
import { big, text, whole, wholeOrNull } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** What requests of a span of time say about one upstream and one model. */
export type UpstreamTraffic = {
  upstream: string;
  model: string;
  /** That it was asked last for; those that went on to another are in `passedOver`. */
  requests: number;
  good: number;
  /** The upstream's own failures; what a client or the gateway ended is neither good nor failed. */
  failed: number;
  passedOver: number;
  firstByteMsMedian: number | null;
  firstByteMsP95: number | null;
  outputTokens: number;
  /** From the first byte to the end, of those that streamed and ended well. */
  streamMs: number;
  streamTokens: number;
  costs: readonly TrafficCost[];
};

/** By what the price was multiplied with. */
export type TrafficCost = {
  multiplier: number;
  /** As it was charged. */
  cost: bigint;
  /** At the price itself, without its tiers for long inputs; for where the multiplier is nothing. */
  atPrice: bigint;
};

/** Ids sort by time, so a span of time is a span of ids. */
export type TrafficSpan = { fromId: string; toId: string; upstream: string | null };

const FAILED = "('upstream_failed', 'upstream_timeout', 'upstream_overloaded')";
/** In nano-dollars, as money is; prices are a thousand times finer. */
const AT_PRICE = `coalesce((usage.input * prices.input + usage.cache_read * prices.cache_read
  + usage.cache_write_5m * prices.cache_write_5m + usage.cache_write_1h * prices.cache_write_1h
  + usage.output * prices.output + prices.request) / 1000, 0)`;
const ATTEMPTS_MAX = 100_000;

export async function upstreamTraffic(tx: Tx, span: TrafficSpan): Promise<UpstreamTraffic[]> {
  const { fromId, toId, upstream } = span;
  const only = upstream === null ? "" : "and usage.upstream = ?";
  const where = `usage.id >= ? and usage.id < ? and usage.upstream is not null ${only}`;
  const params = upstream === null ? [fromId, toId] : [fromId, toId, upstream];
  const counts = await tx.all(
    `select upstream, model, count(*) as requests,
       sum(case when state = 'settled' and reason is null then 1 else 0 end) as good,
       sum(case when reason in ${FAILED} then 1 else 0 end) as failed, sum(output) as output_tokens,
       sum(case when stream = 1 and reason is null and duration_ms > first_byte_ms
         then duration_ms - first_byte_ms else 0 end) as stream_ms,
       sum(case when stream = 1 and reason is null and duration_ms > first_byte_ms
         then output else 0 end) as stream_tokens
       from usage where ${where} and state <> 'open' group by upstream, model order by upstream, model`,
    ...params,
  );
  const costs = await tx.all(
    `select usage.upstream, usage.model, usage.multiplier, sum(usage.cost) as cost, sum(${AT_PRICE}) as at_price
       from usage left join prices on prices.id = usage.price_id
       where ${where} and usage.state in ('settled', 'interrupted')
       group by usage.upstream, usage.model, usage.multiplier order by usage.multiplier`,
    ...params,
  );
  const times = await firstBytes(tx, where, params);
  const passed = await passedOver(tx, span);
  return complete({ counts, costs, times, passed });
}

type Parts = {
  counts: readonly SqlRow[];
  costs: readonly SqlRow[];
  times: ReadonlyMap<string, FirstBytes>;
  passed: ReadonlyMap<string, number>;
};

/** One that only ever failed before another was asked has no row of its own, and is told of all the same. */
function complete({ counts, costs, times, passed }: Parts): UpstreamTraffic[] {
  const byName = new Map(counts.map(row => [nameOf(row), row]));
  const names = [...new Set([...byName.keys(), ...passed.keys()])].toSorted();
  return names.map(name => {
    const [upstream = "", model = ""] = JSON.parse(name) as string[];
    const row = byName.get(name) ?? {};
    return {
      upstream,
      model,
      requests: whole(row["requests"]),
      good: whole(row["good"]),
      failed: whole(row["failed"]),
      passedOver: passed.get(name) ?? 0,
      firstByteMsMedian: times.get(name)?.median ?? null,
      firstByteMsP95: times.get(name)?.p95 ?? null,
      outputTokens: whole(row["output_tokens"]),
      streamMs: whole(row["stream_ms"]),
      streamTokens: whole(row["stream_tokens"]),
      costs: costs.filter(cost => nameOf(cost) === name).map(toCost),
    };
  });
}

function nameOf(row: SqlRow): string {
  return JSON.stringify([text(row["upstream"]), text(row["model"])]);
}

function toCost(row: SqlRow): TrafficCost {
  return { multiplier: whole(row["multiplier"]), cost: big(row["cost"]), atPrice: big(row["at_price"]) };
}

type FirstBytes = { median: number | null; p95: number | null };

/** By nearest rank, so that each is a time that really was. */
async function firstBytes(
  tx: Tx,
  where: string,
  params: readonly string[],
): Promise<Map<string, FirstBytes>> {
  const rows = await tx.all(
    `select upstream, model, max(case when place = (everybody + 1) / 2 then first_byte_ms end) as median,
       max(case when place = (everybody * 95 + 99) / 100 then first_byte_ms end) as p95
       from (select upstream, model, first_byte_ms,
         row_number() over (partition by upstream, model order by first_byte_ms) as place,
         count(*) over (partition by upstream, model) as everybody
         from usage where ${where} and state <> 'open' and first_byte_ms is not null) as ranked
       group by upstream, model`,
    ...params,
  );
  return new Map(
    rows.map(row => [nameOf(row), { median: wholeOrNull(row["median"]), p95: wholeOrNull(row["p95"]) }]),
  );
}

async function passedOver(tx: Tx, { fromId, toId, upstream }: TrafficSpan): Promise<Map<string, number>> {
  const rows = await tx.all(
    `select model, attempts from usage where id >= ? and id < ? and attempts is not null order by id desc limit ?`,
    ...[fromId, toId, ATTEMPTS_MAX],
  );
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const attempt of JSON.parse(text(row["attempts"])) as Attempt[]) {
      if (upstream !== null && attempt.upstream !== upstream) continue;
      const name = JSON.stringify([attempt.upstream, text(row["model"])]);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}
