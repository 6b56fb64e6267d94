import type { Query } from "../../api/client.ts";
import type { operatorUsageSearch } from "../../app/search.ts";
import { rangeOf, timesOf } from "../usage/filter.ts";

export type HouseSearch = ReturnType<typeof operatorUsageSearch>;
export type HouseFilter = Pick<
  Query<"GET /operator/usage">,
  "account" | "key" | "upstream" | "model" | "outcome" | "tool" | "from" | "to"
>;

export const NARROWING = ["account", "key", "upstream", "model", "outcome", "tool"] as const;

export function filterOf(search: HouseSearch, nowMs: number): HouseFilter {
  const filter: HouseFilter = timesOf(rangeOf(search), nowMs);
  for (const name of NARROWING) {
    const value = search[name];
    if (value !== undefined) Object.assign(filter, { [name]: value });
  }
  return filter;
}

export function isNarrowed(search: HouseSearch): boolean {
  return NARROWING.some(name => search[name] !== undefined);
}
