import { expect, test } from "bun:test";
import { filterOf, isNarrowed } from "./filter.ts";

const NOW = new Date(2026, 10, 15, 12, 30).getTime();
const local = (month: number, day: number) => new Date(2026, month - 1, day).toISOString();

test("nothing chosen asks for everything", () => {
  expect(filterOf({}, NOW)).toEqual({});
  expect(isNarrowed({ entry: 4 } as Parameters<typeof isNarrowed>[0])).toBe(false);
});

test("a range ends today and has so many days", () => {
  expect(filterOf({ range: "today" }, NOW)).toEqual({ from: local(11, 15) });
  expect(filterOf({ range: "7d" }, NOW)).toEqual({ from: local(11, 9) });
});

test("days that were chosen count before a range, and both are included", () => {
  expect(filterOf({ range: "7d", from: "2026-11-01", to: "2026-11-03" }, NOW)).toEqual({
    from: local(11, 1),
    to: local(11, 4),
  });
});

test("who, what and which are passed on", () => {
  const chosen = { by: "ann@example.org", noun: "group", name: "eco" };
  expect(filterOf(chosen, NOW)).toEqual(chosen);
  expect(isNarrowed(chosen)).toBe(true);
});
