import { isId } from "../../domain/ids.ts";
import type { usageEndpoints } from "../contract/usage.ts";
import { exportStream, exportType } from "../usage/export.ts";
import { noSuchRequest, readKeptFrom } from "../usage/kept-from.ts";
import { readFilter, readQuery, readTimes } from "../usage/query.ts";
import { receiptView } from "../usage/receipt.ts";
import { rowView } from "../usage/row.ts";
import { readSummary, summaryView } from "../usage/summary.ts";
import type { Handlers } from "./visit.ts";

const LIMIT_DEFAULT = 50;
const DAY_CHARACTERS = 10;

export const usageHandlers = {
  "GET /usage": async ({ desk, visitor }, { query: given }) => {
    const { limit = LIMIT_DEFAULT } = given;
    const query = readQuery(given, visitor.id);
    const { lines, next } = await desk.store.report("usage.lines", { query, limit });
    return { rows: lines.map(rowView), next, kept_from: await readKeptFrom(desk) };
  },

  "GET /usage/names": async ({ desk, visitor }) => {
    const { keys, models, tools } = await desk.store.report("usage.names", { accountId: visitor.id });
    return {
      keys: keys.map(({ id, name, isDeleted }) => ({ id, name, is_deleted: isDeleted })),
      models,
      tools,
    };
  },

  "GET /usage/summary": async ({ desk, visitor, nowMs }, { query }) => {
    const asked = readSummary(query, { accountId: visitor.id, nowMs });
    return summaryView(await desk.store.report("usage.summary", asked), asked);
  },

  "GET /usage/export": async ({ desk, visitor, nowMs }, { query: given }) => {
    const { format } = given;
    const { fromMs, toMs } = readTimes(given);
    // What arrives while it is being written would never let it end.
    const endMs = Math.min(toMs ?? nowMs + 1, nowMs + 1);
    const query = readQuery({ ...given, to: new Date(Math.max(endMs, 1)).toISOString() }, visitor.id);
    const span = { fromMs: fromMs ?? 0, toMs: endMs };
    const { count } = await desk.store.report("usage.count", {
      query: readFilter(given, visitor.id),
      ...span,
    });
    const day = new Date(nowMs).toISOString().slice(0, DAY_CHARACTERS);
    return new Response(exportStream(desk.store, { query, format }), {
      headers: {
        "content-type": exportType(format),
        "content-disposition": `attachment; filename="usage-${day}.${format}"`,
        // Of rows, for whoever shows how far it is; those that still run are not in it.
        "x-total-estimate": String(count),
      },
    });
  },

  "GET /usage/{id}": async ({ desk, visitor }, { params: { id } }) => {
    const found = isId("req", id)
      ? await desk.store.report("usage.receipt", { accountId: visitor.id, id })
      : null;
    if (found === null) throw await noSuchRequest(desk, id);
    return receiptView(found);
  },
} satisfies Pick<Handlers, keyof typeof usageEndpoints>;
