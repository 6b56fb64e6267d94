import type { z } from "zod";
import type { AuditEntry } from "../../../store/audit.ts";
import type { AuditFilter } from "../../../store/audit-page.ts";
import { chainState } from "../../audit-watch.ts";
import type { auditEndpoints, auditEntry } from "../../contract/operator/records.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers } from "../visit.ts";
import { auditFile, auditFileType } from "./audit-file.ts";

const LIMIT_DEFAULT = 50;
const DAY_CHARACTERS = 10;

export const auditHandlers = {
  "GET /operator/audit": async ({ desk }, { query }) => {
    const { limit = LIMIT_DEFAULT } = query;
    // One more than is shown tells whether there is another page.
    const page = { filter: readFilter(query), before: readBefore(query.before), limit: limit + 1 };
    const [entries, chain] = await Promise.all([desk.store.report("audit.page", page), chainState(desk)]);
    const shown = entries.slice(0, limit);
    const next = entries.length > limit ? (shown.at(-1)?.number ?? null) : null;
    return { entries: shown.map(entryView), next: next === null ? null : String(next), chain };
  },

  "GET /operator/audit/names": async ({ desk }) => {
    const { actors, nouns } = await desk.store.report("audit.names", {});
    // Whoever acts by a token is found by their own name.
    return { by: [...new Set(actors.map(actor => actor.replace(/ \(token .*$/, "")))], nouns };
  },

  "GET /operator/audit/export": async ({ desk, nowMs }, { query }) => {
    const { format } = query;
    const day = new Date(nowMs).toISOString().slice(0, DAY_CHARACTERS);
    return new Response(auditFile(desk.store, { filter: readFilter(query), format }), {
      headers: {
        "content-type": auditFileType(format),
        "content-disposition": `attachment; filename="audit-${day}.${format}"`,
      },
    });
  },
} satisfies Pick<Handlers, keyof typeof auditEndpoints>;

type Given = { [K in "by" | "noun" | "name" | "from" | "to"]?: string | undefined };

function readFilter({ by, noun, name, from, to }: Given): AuditFilter {
  return {
    by: given(by),
    noun: given(noun),
    name: given(name),
    fromMs: from === undefined ? null : Date.parse(from),
    toMs: to === undefined ? null : Date.parse(to),
  };
}

/** A field of a form that was left empty asks for nothing. */
function given(text: string | undefined): string | null {
  const bare = text?.trim() ?? "";
  return bare === "" ? null : bare;
}

function readBefore(before: string | undefined): number | null {
  if (before === undefined) return null;
  if (/^\d{1,15}$/.test(before)) return Number(before);
  const message = "must be the “next” of the page before";
  throw new ConsoleProblem("invalid", `“before” ${message}.`, { fields: [{ path: "before", message }] });
}

function entryView(entry: AuditEntry): z.output<typeof auditEntry> {
  const { number, atMs, actor, through, address, noun, name, id, action, fields } = entry;
  return {
    number,
    at: new Date(atMs).toISOString(),
    by: actor,
    ...{ through, address, noun, name, id, action },
    fields: fields.map(([field, before, after]) => ({ field, before, after })),
  };
}
