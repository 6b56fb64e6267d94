import { text, whole } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { type FiguresAsked, type UpstreamFigures, upstreamFigures } from "./upstream-admin-figures.ts";
import {
  type Bar,
  medianFirstByte,
  type Named,
  namedSums,
  type Part,
  readParts,
  type SummaryAsked,
  type Totals,
  toTotals,
  totalBars,
  totalsOf,
} from "./usage-summary.ts";
import { QUANTITIES } from "./usage-sums.ts";

/** The whole house over a span of whole hours or days, against the span before it. */
export type OverviewAsked = {
  fromMs: number;
  toMs: number;
  bucket: SummaryAsked["bucket"];
  /** How many of each kind are named. */
  top: number;
  /** How upstreams have been doing, which is about now whatever the span. */
  health: FiguresAsked;
  /** A process that was last seen before is not there. */
  seenAfterMs: number;
};

export type TopName = { id: string; name: string; requests: number; cost: bigint };

export type Overview = {
  totals: Totals;
  before: Totals;
  firstByteMs: number | null;
  running: number;
  instances: number;
  bars: Bar[];
  /** By name. */
  upstreams: { name: string; requests: number }[];
  health: UpstreamFigures[];
  topKeys: TopName[];
  topModels: TopName[];
  topAccounts: TopName[];
};

const EVERYTHING = { accountId: null, keyId: null, model: null, tool: null, outcome: null } as const;

export async function houseOverview(tx: Tx, asked: OverviewAsked): Promise<Overview> {
  const { fromMs, toMs, bucket, top } = asked;
  const span: SummaryAsked = { query: EVERYTHING, fromMs, toMs, bucket, by: "upstream", top };
  const parts = await readParts(tx, span);
  const hours = await hourSums(tx, parts);
  const sums = async (by: SummaryAsked["by"]) => {
    const days = parts.filter(({ source }) => source === 24);
    return addUp([
      ...(await allSums(tx, { ...span, by }, days)),
      ...hours.map(one => ({ ...one, name: one[by] })),
    ]);
  };
  const upstreams = await sums("upstream");
  const earlier = { ...span, fromMs: 2 * fromMs - toMs, toMs: fromMs };
  const past = await readParts(tx, earlier);
  const pastDays = past.filter(({ source }) => source === 24);
  return {
    totals: totalsOf(upstreams),
    before: totalsOf([...(await allSums(tx, earlier, pastDays)), ...(await hourSums(tx, past))]),
    firstByteMs: await medianFirstByte(tx, span),
    running: await count(tx, "select count(*) as n from usage where state = 'open'"),
    instances: await count(tx, "select count(*) as n from instances where seen_at_ms > ?", asked.seenAfterMs),
    bars: await bars(tx, span, parts),
    upstreams: upstreams.map(({ name, requests }) => ({ name, requests })),
    health: await upstreamFigures(tx, asked.health),
    topKeys: await topOf(tx, await sums("key"), { top, sql: "select id, name from keys where id in" }),
    topModels: await topOf(tx, await sums("model"), { top, sql: null }),
    topAccounts: await topOf(tx, await sums("account"), {
      ...{ top, sql: "select id, email as name from accounts where id in" },
    }),
  };
}

type HourSum = Totals & Record<SummaryAsked["by"], string>;

/** Each series once, over the hours that are in no day yet: read once, and told by whatever it is asked by. */
async function hourSums(tx: Tx, parts: readonly Part[]): Promise<HourSum[]> {
  const found: HourSum[] = [];
  for (const { fromMs, toMs } of parts.filter(({ source }) => source === 1)) {
    const rows = await tx.all(
      `select own.account_id as account_id, own.key_id as key_id, own.model as model, own.upstream as upstream,
        case when own.outcome = 'refused' then requests else 0 end as refused,
        case when own.outcome = 'failed' then requests else 0 end as failed, hourly.*
        from (select series, ${SUMS} from usage_sums where span = 1 and start_ms >= ? and start_ms < ?
          group by series) as hourly join usage_series as own on own.id = hourly.series`,
      ...[fromMs, toMs],
    );
    for (const row of rows) found.push({ ...toTotals(row), ...namesOf(row) });
  }
  return found;
}

const SUMS = QUANTITIES.map(name => `sum(${name}) as ${name}`).join(", ");

function namesOf(row: SqlRow): Record<SummaryAsked["by"], string> {
  return {
    account: text(row["account_id"]),
    key: text(row["key_id"]),
    model: text(row["model"]),
    upstream: text(row["upstream"]),
  };
}

async function allSums(tx: Tx, asked: SummaryAsked, parts: readonly Part[]): Promise<Named[]> {
  const sums: Named[] = [];
  for (const part of parts) sums.push(...(await namedSums(tx, asked, part)));
  return sums;
}

/** One of each name. */
function addUp(sums: readonly Named[]): Named[] {
  const byName = Map.groupBy(sums, ({ name }) => name);
  return [...byName].map(([name, own]) => ({ name, ...totalsOf(own) }));
}

async function bars(tx: Tx, asked: SummaryAsked, parts: readonly Part[]): Promise<Bar[]> {
  const found: Bar[] = [];
  for (const part of parts) found.push(...(await totalBars(tx, asked, part)));
  return found;
}

async function count(tx: Tx, sql: string, ...params: number[]): Promise<number> {
  const [row] = await tx.all(sql, ...params);
  return whole(row?.["n"]);
}

type Labels = { top: number; sql: string | null };

async function topOf(tx: Tx, sums: readonly Named[], { top, sql }: Labels): Promise<TopName[]> {
  const largest = sums
    .filter(({ requests, refused }) => requests > refused)
    .sort((a, b) => (a.cost === b.cost ? b.requests - a.requests : a.cost < b.cost ? 1 : -1))
    .slice(0, top);
  const labels = sql === null ? new Map() : await labelsOf(tx, sql, largest);
  return largest.map(({ name, requests, cost }) => {
    return { id: name, name: labels.get(name) ?? name, requests, cost };
  });
}

async function labelsOf(tx: Tx, sql: string, named: readonly Named[]): Promise<Map<string, string>> {
  if (named.length === 0) return new Map();
  const marks = named.map(() => "?").join(", ");
  const rows = await tx.all(`${sql} (${marks})`, ...named.map(({ name }) => name));
  return new Map(rows.map(row => [String(row["id"]), String(row["name"])]));
}
