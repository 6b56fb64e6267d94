import { describe, expect, test } from "bun:test";
import { formatRelative, formatTime, nextChangeMs } from "./time.ts";

const at = "2026-11-15T10:00:00.000Z";
const now = Date.parse(at);
const after = (ms: number) => formatRelative(at, now + ms, "en");

describe("times", () => {
  test("long ago and ahead are told in the largest unit that fits", () => {
    expect(after(0)).toBe("now");
    expect(after(12_000)).toMatch(/^12 sec.? ago$/);
    expect(after(4 * 60_000)).toMatch(/^4 min.? ago$/);
    expect(after(21 * 86_400_000)).toMatch(/^3 w.*ago$/);
    expect(after(-3 * 86_400_000)).toMatch(/^in 3 days$/);
    expect(formatRelative(at, now + 4 * 60_000, "zh")).toBe("4分钟前");
  });

  test("are shown in a zone, in the language's own order", () => {
    expect(formatTime(at, "en", "date-time", "UTC")).toBe("15 Nov 2026, 10:00");
    expect(formatTime(at, "zh", "date", "UTC")).toBe("2026年11月15日");
  });

  test("are drawn anew when their words change, not more often", () => {
    expect(nextChangeMs(at, now + 5000)).toBe(1000);
    expect(nextChangeMs(at, now + 90_000)).toBeLessThanOrEqual(60_100);
    expect(nextChangeMs(at, now + 5 * 3_600_000)).toBe(3_600_000);
  });
});
