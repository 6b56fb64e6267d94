import { isId } from "../../../domain/ids.ts";
import { formatUsd } from "../../../domain/money.ts";
import type { UsageQuery } from "../../../store/usage-filter.ts";
import type { UsageLine, UsageRow } from "../../../store/usage-lines.ts";
import type { HouseRow } from "../../../store/usage-operator.ts";
import type { SummaryAsked } from "../../../store/usage-summary.ts";
import type { Calls } from "../../contract/contract.ts";
import type { operatorUsageEndpoints } from "../../contract/operator/usage.ts";
import { COLUMNS, type Columns } from "../../usage/csv.ts";
import { exportType, fileStream, PAGE_ROWS } from "../../usage/export.ts";
import { noSuchRequest, readKeptFrom } from "../../usage/kept-from.ts";
import { type GivenFilter, type GivenPage, readQuery, readTimes } from "../../usage/query.ts";
import { receiptView } from "../../usage/receipt.ts";
import { rowView } from "../../usage/row.ts";
import { houseSummaryView, readSummary } from "../../usage/summary.ts";
import type { Handlers } from "../visit.ts";

type RowView = Calls["GET /operator/usage"]["answer"]["rows"][number];
type Wider = { account?: string | undefined; upstream?: string | undefined };

const LIMIT_DEFAULT = 50;
const DAY_CHARACTERS = 10;

/** The columns of the holders' file, and what only operators see. */
const HOUSE_COLUMNS: Columns<RowView> = [
  ...COLUMNS,
  ["account", row => row.account.email],
  ["account_id", row => row.account.id],
  ["upstream", row => row.upstream],
  ["attempts", row => row.attempts],
  ["our_cost_usd", row => row.our_cost_usd],
];

export const operatorUsageHandlers = {
  "GET /operator/usage": async ({ desk }, { query: given }) => {
    const { limit = LIMIT_DEFAULT } = given;
    const { lines, next } = await desk.store.report("usage.house_lines", { query: houseQuery(given), limit });
    return { rows: lines.map(houseView), next, kept_from: await readKeptFrom(desk) };
  },

  "GET /operator/usage/names": async ({ desk }) => desk.store.report("usage.house_names", {}),

  "GET /operator/usage/summary": async ({ desk, nowMs }, { query: given }) => {
    const { account = null, upstream = null } = given;
    const read = readSummary({ by: "model", ...given }, { accountId: account, nowMs });
    const asked: SummaryAsked = { ...read, query: { ...read.query, upstream } };
    const summary = await desk.store.report("usage.summary", asked);
    return houseSummaryView(summary, asked);
  },

  "GET /operator/usage/export": async ({ desk, nowMs }, { query: given }) => {
    const { format } = given;
    const { fromMs, toMs } = readTimes(given);
    // What arrives while it is being written would never let it end.
    const endMs = Math.min(toMs ?? nowMs + 1, nowMs + 1);
    const query = houseQuery({ ...given, to: new Date(Math.max(endMs, 1)).toISOString() });
    const { low: _, high, ...filter } = query;
    const { count } = await desk.store.report("usage.count", {
      ...{ query: filter, fromMs: fromMs ?? 0, toMs: endMs },
    });
    const pages = async (from: string) => {
      const asked = { query: { ...query, high: from }, limit: PAGE_ROWS };
      const { rows, next } = await desk.store.report("usage.house_rows", asked);
      return { rows: rows.map(houseView), next };
    };
    const day = new Date(nowMs).toISOString().slice(0, DAY_CHARACTERS);
    return new Response(fileStream(pages, { high, format, columns: HOUSE_COLUMNS }), {
      headers: {
        "content-type": exportType(format),
        "content-disposition": `attachment; filename="usage-of-all-${day}.${format}"`,
        // Of rows, for whoever shows how far it is; those that still run are not in it.
        "x-total-estimate": String(count),
      },
    });
  },

  "GET /operator/usage/{id}": async ({ desk }, { params: { id } }) => {
    const found = isId("req", id) ? await desk.store.report("usage.house_receipt", { id }) : null;
    if (found === null) throw await noSuchRequest(desk, id);
    const { house } = found;
    return {
      ...receiptView(found),
      account: { id: house.accountId, email: house.email },
      upstream: house.upstream,
      our_cost_usd: formatUsd(house.ourCost),
      attempts: house.attempts.map(({ upstream, why, ms }) => ({ upstream, why, ms })),
    };
  },
} satisfies Pick<Handlers, keyof typeof operatorUsageEndpoints>;

function houseQuery(given: GivenFilter & GivenPage & Wider): UsageQuery {
  const { account = null, upstream = null } = given;
  return { ...readQuery(given, account), upstream };
}

/** The last one, which answered or gave up, is an attempt as well. */
function houseView(row: (UsageRow | UsageLine) & HouseRow): RowView {
  return {
    ...rowView(row),
    account: { id: row.accountId, email: row.email },
    upstream: row.upstream,
    attempts: row.attempts.length + (row.upstream === null ? 0 : 1),
    our_cost_usd: formatUsd(row.ourCost),
  };
}
