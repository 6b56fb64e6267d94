import type { AuditEntry } from "../../../store/audit.ts";
import type { AuditFilter } from "../../../store/audit-page.ts";
import type { Store } from "../../../store/store.ts";
import { csvCell } from "../../usage/csv.ts";

export type AuditFileAsked = { filter: AuditFilter; format: "csv" | "json" };

const PAGE_ENTRIES = 500;
const LINE_END = "\r\n";

type Cell = Parameters<typeof csvCell>[0];

const COLUMNS: readonly (readonly [name: string, of: (entry: AuditEntry) => Cell])[] = [
  ["number", entry => entry.number],
  ["at", entry => new Date(entry.atMs).toISOString()],
  ["by", entry => entry.actor],
  ["through", entry => entry.through],
  ["address", entry => entry.address],
  ["noun", entry => entry.noun],
  ["name", entry => entry.name],
  ["id", entry => entry.id],
  ["action", entry => entry.action],
  ["changes", entry => entry.fields.map(([field, from, to]) => `${field}: ${from} → ${to}`).join("\n")],
  // Kept elsewhere, it tells later whether the chain was written anew.
  ["hash", entry => entry.hash],
];

type Form = {
  head: string;
  entry: (entry: AuditEntry) => string;
  between: string;
  foot: string;
  type: string;
};

const FORMS: Readonly<Record<AuditFileAsked["format"], Form>> = {
  csv: {
    head: COLUMNS.map(([name]) => name).join(",") + LINE_END,
    entry: entry => COLUMNS.map(([, of]) => csvCell(of(entry))).join(",") + LINE_END,
    between: "",
    foot: "",
    type: "text/csv; charset=utf-8",
  },
  json: {
    head: "[\n",
    entry: ({ atMs, actor, fields, ...entry }) =>
      JSON.stringify({
        ...entry,
        at: new Date(atMs).toISOString(),
        by: actor,
        fields: fields.map(([field, before, after]) => ({ field, before, after })),
      }),
    between: ",\n",
    foot: "\n]\n",
    type: "application/json",
  },
};

export function auditFileType(format: AuditFileAsked["format"]): string {
  return FORMS[format].type;
}

/** Newest first, a page at a time and only when the client has taken the one before: it costs the same however long. */
export function auditFile(
  store: Pick<Store, "report">,
  { filter, format }: AuditFileAsked,
): ReadableStream<Uint8Array> {
  const form = FORMS[format];
  const encoder = new TextEncoder();
  let before: number | null = null;
  let separator = "";
  return new ReadableStream<Uint8Array>(
    {
      start: controller => controller.enqueue(encoder.encode(form.head)),
      pull: async controller => {
        const entries = await store.report("audit.page", { filter, before, limit: PAGE_ENTRIES });
        before = entries.at(-1)?.number ?? null;
        const text = entries.map(form.entry).join(form.between);
        if (text !== "") controller.enqueue(encoder.encode(separator + text));
        separator = form.between;
        if (entries.length === PAGE_ENTRIES) return;
        if (form.foot !== "") controller.enqueue(encoder.encode(form.foot));
        controller.close();
      },
    },
    { highWaterMark: 1 },
  );
}
