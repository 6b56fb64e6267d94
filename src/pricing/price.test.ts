import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Price } from "../domain/model.ts";
import { nanosUp, parseMultiplier, parsePricePerMillion, parseUsd } from "../domain/money.ts";
import { NO_USAGE, type Usage } from "../domain/usage.ts";
import { cost, outputTokensBound, quote } from "./price.ts";

type Prices = {
  input?: string;
  cacheRead?: string;
  cacheWrite5m?: string;
  cacheWrite1h?: string;
  output?: string;
  request?: string;
};

/** As an operator writes it: USD per million tokens, and USD per call. */
function priced(prices: Prices): Price {
  const picos = (text: string | undefined) => parsePricePerMillion(text ?? "0") ?? -1n;
  return {
    id: "prc_test",
    inputPicos: picos(prices.input),
    cacheReadPicos: picos(prices.cacheRead),
    cacheWrite5mPicos: picos(prices.cacheWrite5m),
    cacheWrite1hPicos: picos(prices.cacheWrite1h),
    outputPicos: picos(prices.output),
    requestPicos: (parseUsd(prices.request ?? "0") ?? -1n) * 1_000n,
  };
}

/** Nine decimals, always. */
function usd(nanos: bigint): string {
  return `${nanos / 1_000_000_000n}.${(nanos % 1_000_000_000n).toString().padStart(9, "0")}`;
}

const CACHED: Prices = { input: "1.25", cacheRead: "0.125", output: "10" };
const WRITES: Prices = {
  input: "3",
  cacheRead: "0.30",
  cacheWrite5m: "3.75",
  cacheWrite1h: "6",
  output: "15",
};
const CACHED_USE: Partial<Usage> = { input: 2_000, cacheRead: 8_000, output: 300 };

/** Worked by hand: what each row costs stands beside it, sum first, then the multiplier. */
const WORKED: readonly [string, Prices, Partial<Usage>, string, string][] = [
  ["nothing", WRITES, {}, "1", "0.000000000"],
  // 1,000 × 0.000003 = 0.003; 500 × 0.000015 = 0.0075
  ["input and output", WRITES, { input: 1_000, output: 500 }, "1", "0.010500000"],
  // 2,000 × 0.00000125 = 0.0025; 8,000 × 0.000000125 = 0.001; 300 × 0.00001 = 0.003
  ["cached input", CACHED, CACHED_USE, "1", "0.006500000"],
  ["cached input, half price", CACHED, CACHED_USE, "0.5", "0.003250000"],
  ["cached input, dearer", CACHED, CACHED_USE, "1.37", "0.008905000"],
  ["cached input, for nothing", CACHED, CACHED_USE, "0", "0.000000000"],
  // 10 × 0.000003 = 0.00003; 1,000 × 0.00000375 = 0.00375; 200 × 0.000006 = 0.0012;
  // 50,000 × 0.0000003 = 0.015; 1 × 0.000015
  [
    "cache writes of both kinds",
    WRITES,
    { input: 10, cacheWrite5m: 1_000, cacheWrite1h: 200, cacheRead: 50_000, output: 1 },
    "1",
    "0.019995000",
  ],
  // 500 × 0.000015 = 0.0075, of which 400 were reasoning
  ["reasoning, which is in the output", WRITES, { output: 500, reasoning: 400 }, "1", "0.007500000"],
  ["a call", { request: "0.04" }, {}, "1", "0.040000000"],
  ["a call, dearer", { request: "0.04" }, {}, "1.37", "0.054800000"],
  // 0.04 + 100 × 0.000003 = 0.0403
  ["a call and its tokens", { request: "0.04", input: "3" }, { input: 100 }, "0.5", "0.020150000"],
  // 1 × 0.0000000001: a tenth of a nano-dollar
  ["a fraction of a nano-dollar", { input: "0.0001" }, { input: 1 }, "1", "0.000000001"],
  // 3 × 0.000000075 = 0.000000225; × 1.37 = 0.00000030825
  ["a fraction from the multiplier", { output: "0.075" }, { output: 3 }, "1.37", "0.000000309"],
  // 1 × 0.000000015; × 0.5 = 0.0000000075
  ["half a nano-dollar", { input: "0.015" }, { input: 1 }, "0.5", "0.000000008"],
  // 0.4 + 0.3 + 0.2 nano-dollars are 0.9, rounded once
  [
    "fractions that are summed before they are rounded",
    { input: "0.0004", cacheRead: "0.0003", output: "0.0002" },
    { input: 1, cacheRead: 1, output: 1 },
    "1",
    "0.000000001",
  ],
  ["a whole nano-dollar stays one", { input: "0.001" }, { input: 1 }, "1", "0.000000001"],
  ["the smallest price and multiplier", { input: "0.000001" }, { input: 1 }, "0.0001", "0.000000001"],
  // 1,000,000,000 × 0.999999999999
  ["the largest of all", { input: "999999.999999" }, { input: 1_000_000_000 }, "1", "999999999.999000000"],
];

describe("what a request costs:", () => {
  test.each(WORKED)("%s", (_, prices, usage, multiplier, expected) => {
    const spent = cost({ ...NO_USAGE, ...usage }, priced(prices), parseMultiplier(multiplier) ?? -1);
    expect(usd(spent)).toBe(expected);
  });
});

const picos = fc.bigInt({ min: 0n, max: 10n ** 12n - 1n });
const anyPrice: fc.Arbitrary<Price> = fc.record({
  id: fc.constant("prc_test" as const),
  inputPicos: picos,
  cacheReadPicos: picos,
  cacheWrite5mPicos: picos,
  cacheWrite1hPicos: picos,
  outputPicos: picos,
  requestPicos: picos,
});
const tokens = fc.nat({ max: 10_000_000 });
const multipliers = fc.integer({ min: 0, max: 99_999_999 });

describe("a quote", () => {
  test("is never exceeded by a request that stays within its bound", () => {
    const usages = fc.record({
      input: tokens,
      cacheRead: tokens,
      cacheWrite5m: tokens,
      cacheWrite1h: tokens,
      output: tokens,
      reasoning: tokens,
    });
    fc.assert(
      fc.property(anyPrice, usages, tokens, tokens, multipliers, (price, usage, moreIn, moreOut, times) => {
        const read = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
        const asked = quote(price, {
          inputTokens: read + moreIn,
          outputTokens: usage.output + moreOut,
          choices: 1,
        });
        const hold = nanosUp(asked.basePicos + asked.outputPicos * BigInt(asked.outputTokens), times);
        expect(cost(usage, price, times) <= hold).toBe(true);
      }),
    );
  });

  test("is exact where all input is of the dearest kind", () => {
    const price = priced({ ...WRITES, request: "0.01" });
    const asked = quote(price, { inputTokens: 100, outputTokens: 20, choices: 1 });
    // 100 × 0.000006 + 0.01 = 0.0106; 20 × 0.000015 = 0.0003
    expect(asked).toEqual({
      priceId: price.id,
      basePicos: 10_600_000_000n,
      outputPicos: 15_000_000n,
      outputTokens: 20,
      choices: 1,
    });
    const usage = { ...NO_USAGE, cacheWrite1h: 100, output: 20 };
    expect(usd(cost(usage, price, 10_000))).toBe("0.010900000");
  });
});

describe("the most that may be answered is", () => {
  test("what the client asked for, each choice", () => {
    expect(outputTokensBound({ outputTokensMax: 1_000 }, 300, 1)).toBe(300);
    expect(outputTokensBound({ outputTokensMax: 1_000 }, 300, 4)).toBe(1_200);
  });
  test("else the model's maximum, each choice", () => {
    expect(outputTokensBound({ outputTokensMax: 1_000 }, null, 3)).toBe(3_000);
  });
  test("else a default", () => {
    expect(outputTokensBound({ outputTokensMax: null }, null, 2)).toBe(32_768);
  });
});
