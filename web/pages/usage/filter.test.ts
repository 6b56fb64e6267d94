import { describe, expect, test } from "bun:test";
import { usageSearch } from "../../app/search.ts";
import { cutAt, filterOf, isNarrowed, isOpenEnded, rangeOf, searchOfRange, timesOf } from "./filter.ts";

const NOW = Date.parse("2026-11-15T10:30:00Z");

describe("the range of the usage page", () => {
  test("is thirty days unless the address says another, and then the address is short", () => {
    expect(rangeOf({})).toEqual({ preset: "30d" });
    expect(searchOfRange({ preset: "30d" })).toEqual({});
    expect(searchOfRange({ preset: "7d" })).toEqual({ range: "7d" });
  });

  test.each([
    ["7d", "2026-11-09T00:00:00.000Z"],
    ["30d", "2026-10-17T00:00:00.000Z"],
    ["90d", "2026-08-18T00:00:00.000Z"],
  ] as const)("%s begins at %s and has no end", (preset, from) => {
    expect(timesOf({ preset }, NOW)).toEqual({ from });
  });

  test("days from one to another have both of them", () => {
    expect(timesOf({ preset: "custom", from: "2026-10-30", to: "2026-11-02" }, NOW)).toEqual({
      from: "2026-10-30T00:00:00.000Z",
      to: "2026-11-03T00:00:00.000Z",
    });
  });

  test("one day, and today, are those of whoever looks", () => {
    const midnight = new Date(2026, 10, 15).toISOString();
    expect(timesOf({ preset: "today" }, new Date(2026, 10, 15, 18).getTime())).toEqual({ from: midnight });
    expect(timesOf({ preset: "custom", from: "2026-11-15", to: "2026-11-15" }, NOW)).toEqual({
      from: midnight,
      to: new Date(2026, 10, 16).toISOString(),
    });
  });

  test("an end before the beginning is no range", () => {
    expect(rangeOf({ from: "2026-11-05", to: "2026-11-01", range: "7d" })).toEqual({ preset: "7d" });
  });

  test("what is over is not followed", () => {
    expect(isOpenEnded({ from: "2026-11-01T00:00:00.000Z" }, NOW)).toBe(true);
    expect(isOpenEnded({ to: "2026-11-15T10:30:00.000Z" }, NOW)).toBe(false);
    expect(isOpenEnded({ to: "2026-11-16T00:00:00.000Z" }, NOW)).toBe(true);
  });
});

describe("filters in the address", () => {
  test("reach the server as they are, and nothing else does", () => {
    const search = usageSearch({
      ...{ key: "key_1", model: "a/b c", outcome: "refused", tool: "curl", receipt: "req_1", by: "model" },
      ...{ chart: "tokens", page: "2", "<script>": "x" },
    });
    expect(filterOf(search, NOW)).toEqual({
      ...{ key: "key_1", model: "a/b c", outcome: "refused", tool: "curl" },
      from: "2026-10-17T00:00:00.000Z",
    });
    expect(isNarrowed(search)).toBe(true);
  });

  test("of no known form are dropped", () => {
    const search = usageSearch({
      outcome: "great",
      range: "1y",
      from: "2026-13-45",
      to: "soon",
      key: "x".repeat(65),
    });
    expect(search).toEqual({});
    expect(isNarrowed(search)).toBe(false);
  });
});

test("a range that begins before what is kept is said to be cut, and no other", () => {
  const from = "2026-10-17T00:00:00.000Z";
  expect(cutAt({ from }, "2026-11-01T00:00:00.000Z")).toBe("2026-11-01T00:00:00.000Z");
  expect(cutAt({ from }, "2026-10-17T00:00:00.000Z")).toBeNull();
  expect([cutAt({ from }, null), cutAt({ from }, undefined)]).toEqual([null, null]);
  expect(cutAt({}, "2026-11-01T00:00:00.000Z")).not.toBeNull();
});
