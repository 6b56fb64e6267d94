import { describe, expect, test } from "bun:test";
import { retryAfter } from "./retry-after.ts";

const NOW_MS = Date.parse("2026-10-21T07:28:00Z");
const asked = (headers: Record<string, string>) => retryAfter(new Map(Object.entries(headers)), NOW_MS);

describe("an upstream asks to be left alone", () => {
  const cases: readonly [Record<string, string>, number | null][] = [
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "99999" }, 3_600_000],
    [{ "retry-after-ms": "1250", "retry-after": "2" }, 1_250],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT" }, 30_000],
    // Its own clock is an hour fast, and says so.
    [{ "retry-after": "Wed, 21 Oct 2026 08:28:30 GMT", date: "Wed, 21 Oct 2026 08:28:00 GMT" }, 30_000],
    [{ "retry-after": "Wed, 21 Oct 2027 07:28:30 GMT" }, 3_600_000],
    [{ "retry-after": "Wed, 21 Oct 2026 07:27:59 GMT" }, null],
    ...["", "0", "-3", "soon", "7, 7", "NaN", "1e999"].map((text): [Record<string, string>, null] => [
      { "retry-after": text },
      null,
    ]),
    [{}, null],
  ];
  for (const [headers, ms] of cases) {
    test(`${JSON.stringify(headers)}: ${ms === null ? "not at all" : `for ${ms} ms`}`, () => {
      expect(asked(headers)).toBe(ms);
    });
  }
});
