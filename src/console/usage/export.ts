import type { Store } from "../../store/store.ts";
import type { UsageQuery } from "../../store/usage-filter.ts";
import { COLUMNS, type Columns, csvHeader, csvLine } from "./csv.ts";
import { rowView } from "./row.ts";

export type ExportFormat = "csv" | "json";
export type ExportAsked = { query: UsageQuery; format: ExportFormat };

export const PAGE_ROWS = 1_000;

/** How a file is written: what stands before, between and after its rows. */
type Form<R> = { head: string; row: (row: R) => string; between: string; foot: string };

const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
};

function formOf<R>(format: ExportFormat, columns: Columns<R>): Form<R> {
  return format === "csv"
    ? { head: csvHeader(columns), row: row => csvLine(row, columns), between: "", foot: "" }
    : { head: "[\n", row: row => JSON.stringify(row), between: ",\n", foot: "\n]\n" };
}

/** Rows below `high`, newest first, and where the next page begins. */
export type Pages<R> = (high: string) => Promise<{ rows: R[]; next: string | null }>;

export type FileAsked<R> = { high: string; format: ExportFormat; columns: Columns<R> };

/** An account's own rows. */
export function exportStream(
  store: Pick<Store, "report">,
  { query, format }: ExportAsked,
): ReadableStream<Uint8Array> {
  const pages = async (high: string) => {
    const asked = { query: { ...query, high }, limit: PAGE_ROWS };
    const { rows, next } = await store.report("usage.rows", asked);
    return { rows: rows.map(rowView), next };
  };
  return fileStream(pages, { high: query.high, format, columns: COLUMNS });
}

/**
 * The rows as a file, newest first, a page at a time and only when the client has taken the one before: so that it
 * costs the same memory however long it is, and ends when the client leaves. Where the database fails in the middle,
 * the connection is cut, so that half a file is not taken for a whole one.
 */
export function fileStream<R>(
  pages: Pages<R>,
  { high: from, format, columns }: FileAsked<R>,
): ReadableStream<Uint8Array> {
  const form = formOf(format, columns);
  const encoder = new TextEncoder();
  let high: string | null = from;
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      start: controller => controller.enqueue(encoder.encode(form.head)),
      pull: async controller => {
        if (high === null) return end(controller, encoder.encode(form.foot));
        const { rows, next } = await pages(high);
        high = next;
        const text = rows.map(form.row).join(form.between);
        const begin = isFirst || rows.length === 0 ? "" : form.between;
        isFirst &&= rows.length === 0;
        if (text !== "") controller.enqueue(encoder.encode(begin + text));
        if (high === null) end(controller, encoder.encode(form.foot));
      },
    },
    { highWaterMark: 1 },
  );
}

function end(controller: ReadableStreamDefaultController<Uint8Array>, foot: Uint8Array): void {
  if (foot.length > 0) controller.enqueue(foot);
  controller.close();
}

export function exportType(format: ExportFormat): string {
  return TYPES[format];
}
