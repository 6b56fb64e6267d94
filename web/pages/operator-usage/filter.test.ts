import { expect, test } from "bun:test";
import { operatorUsageSearch } from "../../app/search.ts";
import { filterOf, isNarrowed } from "./filter.ts";

const NOW = Date.parse("2026-11-15T10:30:00Z");

test("everything an address narrows by reaches list, figures, chart and export", () => {
  const search = operatorUsageSearch({
    ...{ account: "acc_1", key: "key_1", upstream: "first", model: "gpt-5", outcome: "failed", tool: "curl" },
    ...{ from: "2026-11-01", to: "2026-11-02", by: "upstream", chart: "margin", receipt: "req_1" },
  });
  expect(filterOf(search, NOW)).toEqual({
    ...{ account: "acc_1", key: "key_1", upstream: "first", model: "gpt-5", outcome: "failed", tool: "curl" },
    ...{ from: "2026-11-01T00:00:00.000Z", to: "2026-11-03T00:00:00.000Z" },
  });
  expect(isNarrowed(search)).toBe(true);
});

test("a range is no filter, and what is not of its form is dropped", () => {
  const search = operatorUsageSearch({ range: "7d", by: "key", chart: "colour", outcome: "odd" });
  expect(isNarrowed(search)).toBe(false);
  expect(search).toMatchObject({ range: "7d" });
  expect([search.by, search.chart, search.outcome]).toEqual([undefined, undefined, undefined]);
  expect(filterOf(search, NOW)).toEqual({ from: "2026-11-09T00:00:00.000Z" });
});
