import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  countedAt,
  formatWindows,
  newWindow,
  PERIODS,
  type Period,
  parseWindows,
  periodEnd,
  periodStart,
  rolled,
  type SpendWindow,
  windowKey,
} from "./spend-window.ts";

const iso = (ms: number | null) => (ms === null ? "never" : new Date(ms).toISOString().slice(0, 16));
const span = (period: Period, at: string) => {
  const ms = Date.parse(`${at}Z`);
  return `${iso(periodStart(period, ms))} to ${iso(periodEnd(period, ms))}`;
};
const DAY_MS = 86_400_000;

describe("a period", () => {
  test.each([
    ["day", "2027-01-15T00:00:00.000", "2027-01-15T00:00 to 2027-01-16T00:00"],
    ["day", "2027-01-15T23:59:59.999", "2027-01-15T00:00 to 2027-01-16T00:00"],
    ["day", "2028-02-29T12:00", "2028-02-29T00:00 to 2028-03-01T00:00"],
    ["day", "2027-02-28T12:00", "2027-02-28T00:00 to 2027-03-01T00:00"],
    ["day", "2026-12-31T23:59:59.999", "2026-12-31T00:00 to 2027-01-01T00:00"],
    ["week", "2027-01-17T23:59:59.999", "2027-01-11T00:00 to 2027-01-18T00:00"],
    ["week", "2027-01-18T00:00:00.000", "2027-01-18T00:00 to 2027-01-25T00:00"],
    ["week", "2027-01-01T12:00", "2026-12-28T00:00 to 2027-01-04T00:00"],
    ["week", "2028-02-29T12:00", "2028-02-28T00:00 to 2028-03-06T00:00"],
    ["month", "2026-12-31T23:59:59.999", "2026-12-01T00:00 to 2027-01-01T00:00"],
    ["month", "2027-01-01T00:00:00.000", "2027-01-01T00:00 to 2027-02-01T00:00"],
    ["month", "2028-02-29T12:00", "2028-02-01T00:00 to 2028-03-01T00:00"],
    ["month", "2027-02-28T23:59:59.999", "2027-02-01T00:00 to 2027-03-01T00:00"],
    ["month", "2100-02-28T23:59:59.999", "2100-02-01T00:00 to 2100-03-01T00:00"],
    ["total", "2027-01-15T12:00", "1970-01-01T00:00 to never"],
  ] as const)("%s at %s is %s", (period, at, expected) => {
    expect(span(period, at)).toBe(expected);
  });

  test("has every moment in it exactly once: each ends where the next begins", () => {
    const moment = fc.integer({ min: 7 * DAY_MS, max: Date.UTC(2200, 0, 1) });
    fc.assert(
      fc.property(fc.constantFrom<Period>("day", "week", "month"), moment, (period, ms) => {
        const [start, end] = [periodStart(period, ms), periodEnd(period, ms) ?? 0];
        expect(start).toBeLessThanOrEqual(ms);
        expect(end).toBeGreaterThan(ms);
        expect(periodStart(period, start)).toBe(start);
        expect(periodStart(period, end - 1)).toBe(start);
        expect(periodStart(period, end)).toBe(end);
        expect(start % DAY_MS).toBe(0);
        if (period === "week") expect(new Date(start).getUTCDay()).toBe(1);
        if (period === "month") expect(new Date(start).getUTCDate()).toBe(1);
      }),
    );
  });
});

const NOON = Date.UTC(2027, 0, 15, 12);
const today: SpendWindow = {
  ...{ ownerId: "key_1", period: "day", startMs: Date.UTC(2027, 0, 15), spent: 30n, held: 5n },
  clockBack: false,
};

describe("a window", () => {
  test("stands as it is within its period, and is empty in a later one", () => {
    expect(rolled(today, NOON + DAY_MS / 2 - 1)).toEqual(today);
    const next = { ...today, startMs: Date.UTC(2027, 0, 16), spent: 0n, held: 0n };
    expect(rolled(today, NOON + DAY_MS / 2)).toEqual(next);
    expect(rolled(newWindow(today), NOON)).toEqual({ ...today, spent: 0n, held: 0n });
  });

  test.each([...PERIODS])("begins by the clock when it is new: %s", period => {
    const { startMs, spent, held } = rolled(newWindow({ ownerId: "key_1", period }), NOON);
    expect({ startMs, spent, held }).toEqual({ startMs: periodStart(period, NOON), spent: 0n, held: 0n });
  });

  test("that never ends stays for ever", () => {
    const once: SpendWindow = { ...today, period: "total", startMs: 0 };
    expect(rolled(once, NOON)).toEqual(once);
    expect(rolled(once, NOON + 10_000 * DAY_MS)).toEqual(once);
  });

  test("keeps all that it knows of when the clock is set back", () => {
    const back = rolled(today, NOON - 3 * DAY_MS);
    expect(back).toMatchObject({ spent: 35n, held: 0n, clockBack: true });
    expect(periodStart("day", back.startMs)).toBe(Date.UTC(2027, 0, 12));
    expect(rolled(back, NOON - 3 * DAY_MS + 1)).toEqual(back);
  });

  test("never has a start that it had before, however the clock is set", () => {
    const moves = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...PERIODS), moves, (period, days) => {
        let window = rolled(newWindow({ ownerId: "key_1", period }), NOON);
        const starts = new Set([window.startMs]);
        let at = NOON;
        for (const day of days) {
          at += day * DAY_MS;
          const next = rolled(window, at);
          expect(periodStart(period, next.startMs)).toBe(periodStart(period, at));
          if (next !== window) expect(starts).not.toContain(next.startMs);
          starts.add(next.startMs);
          window = next;
        }
      }),
    );
  });

  test("of the next period, where another machine has begun it, is the one to count in", () => {
    const midnight = Date.UTC(2027, 0, 16);
    const begun = { ...today, startMs: midnight };
    expect(countedAt([today], NOON)).toBe(NOON);
    expect(countedAt([begun], midnight - 1)).toBe(midnight);
    expect(countedAt([today, begun], midnight - 600_000)).toBe(midnight);
    expect(countedAt([begun], midnight - 600_001)).toBe(midnight - 600_001);
    expect(countedAt([begun], midnight + 1)).toBe(midnight + 1);
    expect(countedAt([], NOON)).toBe(NOON);
  });

  test("is named on a usage row, and read from it again", () => {
    const counted = [
      { ownerId: "key_1", period: "day", startMs: NOON },
      { ownerId: "sub_1", period: "total", startMs: 0 },
    ] as const;
    expect(formatWindows(counted)).toBe(`key_1/day/${NOON},sub_1/total/0`);
    expect(parseWindows(formatWindows(counted))).toEqual([...counted]);
    expect(formatWindows([])).toBeNull();
    expect(parseWindows(null)).toEqual([]);
    expect(windowKey(counted[0])).toBe("key_1/day");
  });
});
