import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Price, PriceTier, TokenPrices } from "../domain/model.ts";
import { nanosUp, parseMultiplier, parsePricePerMillion, parseUsd } from "../domain/money.ts";
import { NO_USAGE, type Usage } from "../domain/usage.ts";
import { cost, outputTokensBound, quote } from "./price.ts";

type Tokens = {
  input?: string;
  cacheRead?: string;
  cacheWrite5m?: string;
  cacheWrite1h?: string;
  output?: string;
};
type Prices = Tokens & { request?: string; tiers?: readonly (Tokens & { above: number })[] };

/** As an operator writes it: USD per million tokens, and USD per call. */
function priced({ request, tiers, ...base }: Prices): Price {
  return {
    id: "prc_test",
    ...tokenPrices(base),
    requestPicos: (parseUsd(request ?? "0") ?? -1n) * 1_000n,
    tiers: (tiers ?? []).map(({ above, ...prices }) => ({ aboveTokens: above, ...tokenPrices(prices) })),
  };
}

function tokenPrices(prices: Tokens): TokenPrices {
  const picos = (text: string | undefined) => parsePricePerMillion(text ?? "0") ?? -1n;
  return {
    inputPicos: picos(prices.input),
    cacheReadPicos: picos(prices.cacheRead),
    cacheWrite5mPicos: picos(prices.cacheWrite5m),
    cacheWrite1hPicos: picos(prices.cacheWrite1h),
    outputPicos: picos(prices.output),
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
const LONG: Prices = {
  ...CACHED,
  tiers: [{ above: 200_000, input: "2.50", cacheRead: "0.25", output: "15" }],
};
const LONGER: Prices = {
  ...CACHED,
  tiers: [
    { above: 1_000, input: "2", output: "20" },
    { above: 10_000, input: "4", output: "30" },
  ],
};
const BULK: Prices = { input: "4", output: "8", tiers: [{ above: 1_000, input: "1", output: "2" }] };
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
  // 200,000 × 0.00000125 = 0.25; 1,000 × 0.00001 = 0.01
  ["a tier, just at it", LONG, { input: 200_000, output: 1_000 }, "1", "0.260000000"],
  // 200,001 × 0.0000025 = 0.5000025; 1,000 × 0.000015 = 0.015
  ["a tier, one token above", LONG, { input: 200_001, output: 1_000 }, "1", "0.515002500"],
  // 1,000 × 0.0000025 = 0.0025; 199,001 × 0.00000025 = 0.04975025; 10 × 0.000015 = 0.00015
  [
    "a tier that cached input reaches",
    LONG,
    { input: 1_000, cacheRead: 199_001, output: 10 },
    "1",
    "0.052400250",
  ],
  // 150,000 × 0.0000025 = 0.375, and both writes have no price in the tier
  [
    "a tier that cache writes reach",
    LONG,
    { input: 150_000, cacheWrite5m: 50_000, cacheWrite1h: 1 },
    "1",
    "0.375000000",
  ],
  // 1,000 × 0.00000125 = 0.00125; 300,000 × 0.00001 = 3: a long answer is no long context
  ["a tier that output alone does not reach", LONG, { input: 1_000, output: 300_000 }, "1", "3.001250000"],
  // 1,000 × 0.00000125 = 0.00125; 100 × 0.00001 = 0.001
  ["below both of two tiers", LONGER, { input: 1_000, output: 100 }, "1", "0.002250000"],
  // 10,000 × 0.000002 = 0.02; 100 × 0.00002 = 0.002
  ["the first of two tiers", LONGER, { input: 10_000, output: 100 }, "1", "0.022000000"],
  // 10,001 × 0.000004 = 0.040004; 100 × 0.00003 = 0.003
  ["the second of two tiers", LONGER, { input: 10_001, output: 100 }, "1", "0.043004000"],
  // 1,000 × 0.000004 = 0.004; 50 × 0.000008 = 0.0004
  ["below a cheaper tier", BULK, { input: 1_000, output: 50 }, "1", "0.004400000"],
  // 1,001 × 0.000001 = 0.001001; 50 × 0.000002 = 0.0001
  ["a cheaper tier", BULK, { input: 1_001, output: 50 }, "1", "0.001101000"],
  // 200,001 × 0.0000025 = 0.5000025; 1 × 0.000015; 0.5000175 × 1.37 = 0.685023975
  ["a tier, dearer", LONG, { input: 200_001, output: 1 }, "1.37", "0.685023975"],
  // 0.5000175 × 0.3333 = 0.16665583275
  ["a tier, a third of it", LONG, { input: 200_001, output: 1 }, "0.3333", "0.166655833"],
  // 0.04 + 1,001 × 0.000001 = 0.041001: a tier does not touch the price of the call
  ["a call with tiers", { ...BULK, request: "0.04" }, { input: 1_001 }, "1", "0.041001000"],
  // 0.04 + 10 × 0.000004 = 0.04004; × 0.5
  ["a call below its tiers", { ...BULK, request: "0.04" }, { input: 10 }, "0.5", "0.020020000"],
];

describe("what a request costs:", () => {
  test.each(WORKED)("%s", (_, prices, usage, multiplier, expected) => {
    const spent = cost({ ...NO_USAGE, ...usage }, priced(prices), parseMultiplier(multiplier) ?? -1);
    expect(usd(spent)).toBe(expected);
  });
});

const picos = fc.bigInt({ min: 0n, max: 10n ** 12n - 1n });
const kinds = {
  inputPicos: picos,
  cacheReadPicos: picos,
  cacheWrite5mPicos: picos,
  cacheWrite1hPicos: picos,
  outputPicos: picos,
};
const tokens = fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 10_000_000 }));
/** Thresholds in the reach of the tokens above, rising. */
const anyTiers: fc.Arbitrary<PriceTier[]> = fc
  .uniqueArray(
    fc.record({
      aboveTokens: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 50_000_000 })),
      ...kinds,
    }),
    { selector: tier => tier.aboveTokens, maxLength: 5 },
  )
  .map(tiers => tiers.sort((a, b) => a.aboveTokens - b.aboveTokens));
const anyPrice: fc.Arbitrary<Price> = fc.record({
  id: fc.constant("prc_test" as const),
  ...kinds,
  requestPicos: picos,
  tiers: anyTiers,
});
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
        const outputTokens = usage.output + moreOut;
        const asked = quote(price, {
          inputTokens: read + moreIn,
          outputTokens,
          heldTokens: outputTokens,
          choices: 1,
        });
        const hold = nanosUp(asked.basePicos + asked.outputPicos * BigInt(asked.outputTokens), times);
        expect(cost(usage, price, times) <= hold).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is exact where all input is of the dearest kind", () => {
    const price = priced({ ...WRITES, request: "0.01" });
    const asked = quote(price, { inputTokens: 100, outputTokens: 20, heldTokens: 8, choices: 1 });
    // 100 × 0.000006 + 0.01 = 0.0106; 20 × 0.000015 = 0.0003
    expect(asked).toEqual({
      priceId: price.id,
      basePicos: 10_600_000_000n,
      outputPicos: 15_000_000n,
      outputTokens: 20,
      heldTokens: 8,
      choices: 1,
    });
    const usage = { ...NO_USAGE, cacheWrite1h: 100, output: 20 };
    expect(usd(cost(usage, price, 10_000))).toBe("0.010900000");
  });

  const bound = { outputTokens: 20, heldTokens: 20, choices: 1 };

  test("takes no tier that the input cannot reach", () => {
    // 200,000 × 0.00000125 = 0.25
    const at = quote(priced(LONG), { ...bound, inputTokens: 200_000 });
    expect(at).toMatchObject({ basePicos: 250_000_000_000n, outputPicos: 10_000_000n });
    // 200,001 × 0.0000025 = 0.5000025
    const above = quote(priced(LONG), { ...bound, inputTokens: 200_001 });
    expect(above).toMatchObject({ basePicos: 500_002_500_000n, outputPicos: 15_000_000n });
  });

  test("keeps the dearer price where a tier is cheaper, because the input may end below it", () => {
    // 2,000 × 0.000004 = 0.008
    const asked = quote(priced(BULK), { ...bound, inputTokens: 2_000 });
    expect(asked).toMatchObject({ basePicos: 8_000_000_000n, outputPicos: 8_000_000n });
  });

  test("takes the dearest of each kind, be it in the middle", () => {
    const middle = {
      ...LONGER,
      tiers: [...(LONGER.tiers ?? []), { above: 20_000, input: "1", output: "50" }],
    };
    // 30,000 × 0.000004 = 0.12
    const asked = quote(priced(middle), { ...bound, inputTokens: 30_000 });
    expect(asked).toMatchObject({ basePicos: 120_000_000_000n, outputPicos: 50_000_000n });
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
