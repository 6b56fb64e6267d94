import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Answer, Query } from "../../api/client.ts";
import { queryOf } from "../../api/query.ts";

export type Overview = Answer<"GET /operator/overview">;
export type Range = Query<"GET /operator/overview">["range"];

export const RANGES: readonly Range[] = ["day", "week", "month", "quarter", "year"];
const RANGE_FIRST: Range = "day";

/** Figures that are watched come often; a year hardly moves, and costs more to add up. */
const LIVE_MS: Record<Range, number> = {
  day: 3000,
  week: 4000,
  month: 5000,
  quarter: 8000,
  year: 10_000,
};

/** The house over the range of the address, kept fresh while its tab is in sight. */
export function useOverview() {
  const { range = RANGE_FIRST } = useSearch({ from: "/signed-in/operator/overview" });
  const navigate = useNavigate({ from: "/operator/overview" });
  const overview = useQuery({
    ...queryOf("GET /operator/overview", { query: { range } }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS[range],
    staleTime: 0,
  });
  const choose = (next: Range) =>
    void navigate({ search: next === RANGE_FIRST ? {} : { range: next }, replace: true, resetScroll: false });
  return { overview, range, choose };
}
