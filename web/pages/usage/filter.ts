import type { Query } from "../../api/client.ts";
import type { usageSearch } from "../../app/search.ts";
import type { Range, RangePreset } from "../../parts/date-range.tsx";

export type UsageSearch = ReturnType<typeof usageSearch>;
/** What list, figures, chart and export are all narrowed by. */
export type UsageFilter = Pick<Query<"GET /usage">, "key" | "model" | "outcome" | "tool" | "from" | "to">;

export const NARROWING = ["key", "model", "outcome", "tool"] as const;

const RANGE_DEFAULT = "30d";
const DAY_MS = 86_400_000;
const DAYS: Record<Exclude<RangePreset, "today">, number> = { "7d": 7, "30d": 30, "90d": 90 };

type RangeSearch = Pick<UsageSearch, "range" | "from" | "to">;

export function rangeOf({ range, from, to }: RangeSearch): Range {
  if (from !== undefined && to !== undefined && from <= to) return { preset: "custom", from, to };
  return { preset: range ?? RANGE_DEFAULT };
}

/** As the address has it; the default is not written. */
export function searchOfRange(range: Range): RangeSearch {
  if (range.preset === "custom") return { from: range.from, to: range.to };
  return range.preset === RANGE_DEFAULT ? {} : { range: range.preset };
}

/**
 * One day is a day of whoever looks, shown by the hour. Longer ranges are whole days in UTC, because the server sums
 * them up by those, and list and chart have to agree.
 */
export function timesOf(range: Range, nowMs: number): { from: string; to?: string } {
  if (range.preset === "today") return { from: localDay(new Date(nowMs), 0) };
  if (range.preset !== "custom") {
    const today = nowMs - (nowMs % DAY_MS);
    return { from: new Date(today - (DAYS[range.preset] - 1) * DAY_MS).toISOString() };
  }
  if (range.from === range.to) {
    const noon = new Date(`${range.from}T12:00:00`);
    return { from: localDay(noon, 0), to: localDay(noon, 1) };
  }
  const end = Date.parse(`${range.to}T00:00:00Z`) + DAY_MS;
  return { from: `${range.from}T00:00:00.000Z`, to: new Date(end).toISOString() };
}

function localDay(at: Date, daysOn: number): string {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + daysOn).toISOString();
}

export function filterOf(search: UsageSearch, nowMs: number): UsageFilter {
  const filter: UsageFilter = timesOf(rangeOf(search), nowMs);
  for (const name of NARROWING) {
    const value = search[name];
    if (value !== undefined) Object.assign(filter, { [name]: value });
  }
  return filter;
}

/** Whether something can still be added to it. */
export function isOpenEnded({ to }: UsageFilter, nowMs: number): boolean {
  return to === undefined || Date.parse(to) > nowMs;
}

/** From when on single requests are kept, where the range begins before it; null where nothing of it is missing. */
export function cutAt({ from }: UsageFilter, keptFrom: string | null | undefined): string | null {
  if (keptFrom === null || keptFrom === undefined) return null;
  return from === undefined || Date.parse(from) < Date.parse(keptFrom) ? keptFrom : null;
}

export function isNarrowed(search: UsageSearch): boolean {
  return NARROWING.some(name => search[name] !== undefined);
}
