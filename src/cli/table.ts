import { type Paint, printable } from "./paint.ts";

export type Column = { title: string; right?: true };

const GAP = "  ";

/** Columns as wide as their widest cell; numbers stand to the right. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Pick<Paint, "bold">,
): string {
  const clean = rows.map(row => row.map(printable));
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...clean.map(row => (row[at] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    columns
      .map(({ right }, at) => {
        const cell = cells[at] ?? "";
        return right ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
      })
      .join(GAP)
      .trimEnd();
  const head = paint.bold(line(columns.map(({ title }) => title)));
  return `${[head, ...clean.map(line)].join("\n")}\n`;
}

export function timeText(ms: number | null): string {
  return ms === null ? "" : new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
