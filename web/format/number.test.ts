import { describe, expect, test } from "bun:test";
import { formatCompact, formatCount, formatDuration, formatShare } from "./number.ts";

describe("numbers", () => {
  test("are written as the language writes them", () => {
    expect(formatCount(48_210, "en")).toBe("48,210");
    expect(formatCompact(214_600_000, "en")).toBe("214.6M");
    expect(formatCompact(214_600_000, "zh")).toBe("2.1亿");
    expect(formatShare(0.714, "en")).toBe("71%");
  });

  test("of durations have a unit and as many digits as matter", () => {
    expect(formatDuration(812.4, "en")).toBe("812ms");
    expect(formatDuration(812, "zh")).toBe("812毫秒");
    expect(formatDuration(9410, "en")).toBe("9.41s");
    expect(formatDuration(123_000, "en")).toBe("2m 3s");
    expect(formatDuration(7_200_000, "en")).toBe("2h");
  });
});
