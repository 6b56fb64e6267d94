import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { correctTokens, nextArrival, rateLeft, requestMeter, tokenMeter, waitSeconds } from "./rate.ts";

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const MINUTE_NS = 60_000_000_000n;
const ns = (ms: number) => BigInt(ms) * 1_000_000n;
const atRest = { arrivalNs: 0n, tokenArrivalNs: 0n };

/** Sends requests at the given times; true where one passes. */
function sent(perMinute: number, times: readonly number[]): boolean[] {
  let meters = atRest;
  return times.map(at => {
    const meter = requestMeter(meters, perMinute);
    if (waitSeconds(meter, at) > 0) return false;
    meters = { ...meters, arrivalNs: nextArrival(meter, at) };
    return true;
  });
}

/** The same as a queue: each that passes is a piece of work, and a minute's work may wait. */
function queued(perMinute: number, times: readonly number[]): boolean[] {
  const work = MINUTE_NS / BigInt(perMinute);
  let [backlog, before] = [0n, 0n];
  return times.map(at => {
    const passed = ns(at) - before;
    backlog = backlog > passed ? backlog - passed : 0n;
    before = ns(at);
    const fits = backlog === 0n || backlog + work <= MINUTE_NS;
    if (fits) backlog += work;
    return fits;
  });
}

const perMinute = fc.integer({ min: 1, max: 100 });
const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 2_000 }), fc.nat({ max: 90_000 })), {
  maxLength: 200,
});
const timesOf = (some: readonly number[]) => {
  let at = NOW;
  return some.map(gap => {
    at += gap;
    return at;
  });
};

describe("a limit of requests per minute", () => {
  test("lets a minute's worth through at once, then one for each interval", () => {
    const times = [...Array(6).fill(NOW), NOW + 11_999, NOW + 12_000, NOW + 12_000];
    expect(sent(5, times)).toEqual([true, true, true, true, true, false, false, true, false]);
  });

  test("passes exactly what a queue of a minute's work takes in", () => {
    fc.assert(
      fc.property(perMinute, gaps, (limit, some) => {
        expect(sent(limit, timesOf(some))).toEqual(queued(limit, timesOf(some)));
      }),
    );
  });

  test("never passes more in any time than a minute's worth and what that time allows", () => {
    fc.assert(
      fc.property(perMinute, gaps, (limit, some) => {
        const times = timesOf(some);
        const passed = times.filter((_, place) => sent(limit, times)[place]);
        const interval = MINUTE_NS / BigInt(limit);
        for (const [place, from] of passed.entries()) {
          const last = passed.at(-1) ?? from;
          const most = (MINUTE_NS + ns(last - from)) / interval + 1n;
          expect(BigInt(passed.length - place)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("tells how long to wait, to the second: it passes then, and not a second before", () => {
    const ahead = fc.bigInt({ min: 0n, max: MINUTE_NS });
    fc.assert(
      fc.property(perMinute, ahead, (limit, aheadNs) => {
        const meter = requestMeter({ ...atRest, arrivalNs: ns(NOW) + aheadNs }, limit);
        const seconds = waitSeconds(meter, NOW);
        expect(waitSeconds(meter, NOW + seconds * 1_000)).toBe(0);
        if (seconds > 0) expect(waitSeconds(meter, NOW + (seconds - 1) * 1_000)).toBeGreaterThan(0);
      }),
    );
  });

  test("tells how many more would pass at once", () => {
    const even = fc.constantFrom(1, 2, 3, 5, 6, 10, 12, 30, 60, 100);
    fc.assert(
      fc.property(even, fc.bigInt({ min: 0n, max: MINUTE_NS }), (limit, aheadNs) => {
        const arrivalNs = ns(NOW) + aheadNs;
        const { left, resetSeconds } = rateLeft(requestMeter({ ...atRest, arrivalNs }, limit), NOW);
        let meters = { ...atRest, arrivalNs };
        for (let place = 0; place < left; place += 1) {
          expect(waitSeconds(requestMeter(meters, limit), NOW)).toBe(0);
          meters = { ...meters, arrivalNs: nextArrival(requestMeter(meters, limit), NOW) };
        }
        expect(waitSeconds(requestMeter(meters, limit), NOW)).toBeGreaterThan(0);
        const after = rateLeft(requestMeter({ ...atRest, arrivalNs }, limit), NOW + resetSeconds * 1_000);
        expect(after).toEqual({ left: limit, resetSeconds: 0 });
      }),
    );
  });

  test("that is off passes everything and keeps its meter as it is", () => {
    const meter = requestMeter({ ...atRest, arrivalNs: ns(NOW) * 2n }, null);
    expect(waitSeconds(meter, NOW)).toBe(0);
    expect(nextArrival(meter, NOW)).toBe(meter.arrivalNs);
  });
});

describe("a clock that is set back", () => {
  test("makes nobody wait longer than for one interval of a full minute", () => {
    fc.assert(
      fc.property(perMinute, fc.nat({ max: 10 ** 10 }), (limit, backMs) => {
        const full = requestMeter({ ...atRest, arrivalNs: ns(NOW + MINUTE_MS) }, limit);
        expect(waitSeconds(full, NOW - backMs)).toBeLessThanOrEqual(Math.ceil(60 / limit));
      }),
    );
  });

  test("makes nobody wait longer than an hour for tokens", () => {
    const meter = tokenMeter({ ...atRest, tokenArrivalNs: ns(NOW + MINUTE_MS) }, 60, 60);
    expect(waitSeconds(meter, NOW - 10 ** 10)).toBe(3_600);
    expect(nextArrival(meter, NOW - 10 ** 10)).toBe(ns(NOW - 10 ** 10 + 61 * MINUTE_MS));
  });
});

describe("a limit of tokens per minute", () => {
  test("passes more than a minute's worth in one piece when it is at rest, and makes up for it afterwards", () => {
    const large = tokenMeter(atRest, 100, 250);
    expect(waitSeconds(large, NOW)).toBe(0);
    const tokenArrivalNs = nextArrival(large, NOW);
    expect(tokenArrivalNs).toBe(ns(NOW + 150_000));
    expect(waitSeconds(tokenMeter({ ...atRest, tokenArrivalNs }, 100, 1), NOW)).toBe(91);
  });

  test("is put right when the real count is known, as if it had been known from the beginning", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000 }), fc.nat({ max: 1_000 }), (guessed, real) => {
        const limit = 100;
        const guess = { ...atRest, tokenArrivalNs: nextArrival(tokenMeter(atRest, limit, guessed), NOW) };
        const right = correctTokens(tokenMeter(guess, limit, 0), { guessed, real }, NOW);
        expect(right).toBe(nextArrival(tokenMeter(atRest, limit, real), NOW));
      }),
    );
  });

  test("is never further ahead than an hour, whatever was claimed, and untouched where it is off", () => {
    const counted = { guessed: 10, real: 2_000_000_000 };
    expect(correctTokens(tokenMeter(atRest, 1, 0), counted, NOW)).toBe(ns(NOW + 60 * MINUTE_MS));
    expect(correctTokens(tokenMeter(atRest, null, 0), counted, NOW)).toBe(0n);
  });
});
