import type { RowView } from "./row.ts";

/** RFC 4180, and harmless in a spreadsheet. */

const LINE_END = "\r\n";
/** What a spreadsheet would take for a formula, it is made to take for text. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

type Cell = string | number | boolean | null;

export type Columns<R> = readonly (readonly [name: string, of: (row: R) => Cell])[];

export const COLUMNS: Columns<RowView> = [
  ["id", row => row.id],
  ["at", row => row.at],
  ["key", row => row.key.name],
  ["key_id", row => row.key.id],
  ["model", row => row.model],
  ["operation", row => row.operation],
  ["stream", row => row.stream],
  ["tool", row => row.tool],
  ["address", row => row.address],
  ["outcome", row => row.outcome],
  ["status", row => row.status],
  ["reason", row => row.reason],
  ["input_tokens", row => row.tokens.input],
  ["cache_read_tokens", row => row.tokens.cache_read],
  ["cache_write_tokens", row => row.tokens.cache_write],
  ["output_tokens", row => row.tokens.output],
  ["reasoning_tokens", row => row.tokens.reasoning],
  ["cost_usd", row => row.cost_usd],
  ["is_estimated", row => row.is_estimated],
  ["first_byte_ms", row => row.first_byte_ms],
  ["duration_ms", row => row.duration_ms],
];

export function csvHeader<R>(columns: Columns<R>): string {
  return columns.map(([name]) => name).join(",") + LINE_END;
}

export function csvLine<R>(row: R, columns: Columns<R>): string {
  return columns.map(([, of]) => csvCell(of(row))).join(",") + LINE_END;
}

export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
