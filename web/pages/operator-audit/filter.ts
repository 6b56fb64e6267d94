import type { Query } from "../../api/client.ts";
import type { auditSearch } from "../../app/search.ts";

export type AuditSearch = ReturnType<typeof auditSearch>;
export type AuditFilter = Pick<Query<"GET /operator/audit">, "by" | "noun" | "name" | "from" | "to">;

const DAYS = { "7d": 7, "30d": 30, "90d": 90 } as const;

/** Midnight of a day where whoever looks is. */
function midnight(at: Date, daysOn: number): string {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + daysOn).toISOString();
}

/** Days that were chosen count before a range; both are included. */
export function filterOf(search: AuditSearch, nowMs: number): AuditFilter {
  const { by, noun, name, range, from, to } = search;
  const filter: AuditFilter = {};
  if (by !== undefined) filter.by = by;
  if (noun !== undefined) filter.noun = noun;
  if (name !== undefined) filter.name = name;
  if (from !== undefined) filter.from = midnight(new Date(`${from}T12:00:00`), 0);
  if (to !== undefined) filter.to = midnight(new Date(`${to}T12:00:00`), 1);
  if (from === undefined && to === undefined && range !== undefined) {
    filter.from = midnight(new Date(nowMs), range === "today" ? 0 : 1 - DAYS[range]);
  }
  return filter;
}

export function isNarrowed({ by, noun, name, range, from, to }: AuditSearch): boolean {
  return [by, noun, name, range, from, to].some(value => value !== undefined);
}
