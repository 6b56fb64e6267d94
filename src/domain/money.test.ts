import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  formatPricePerMillion,
  formatUsd,
  nanosUp,
  parseMultiplier,
  parsePricePerMillion,
  parseUsd,
} from "./money.ts";

const NOT_AMOUNTS = [
  ..."1e3|NaN|1,5||0x10|.5|5.|+1|--1|1.2.3|1_000|1 000|$5|5 USD|Infinity|1n|١|½|1e-9|-".split("|"),
  "1.0000000001",
  "1000000000000",
];

describe("an amount of USD", () => {
  test("is read to the nano-dollar", () => {
    expect(parseUsd("12.5")).toBe(12_500_000_000n);
    expect(parseUsd("0.000000001")).toBe(1n);
    expect(parseUsd("-3.07")).toBe(-3_070_000_000n);
    expect(parseUsd(" 100 ")).toBe(100_000_000_000n);
    expect(parseUsd("007.10")).toBe(7_100_000_000n);
    expect(parseUsd("-0")).toBe(0n);
    expect(parseUsd("999999999.999999999")).toBe(999_999_999_999_999_999n);
  });

  test.each(NOT_AMOUNTS)("%p is none", text => expect(parseUsd(text)).toBeNull());

  test("is written with two decimals or as many as it needs", () => {
    expect(formatUsd(0n)).toBe("0.00");
    expect(formatUsd(1n)).toBe("0.000000001");
    expect(formatUsd(12_500_000_000n)).toBe("12.50");
    expect(formatUsd(-3_070_000_000n)).toBe("-3.07");
    expect(formatUsd(-1n)).toBe("-0.000000001");
    expect(formatUsd(1_234_567_890n)).toBe("1.23456789");
    expect(formatUsd(100_000_000_000n)).toBe("100.00");
    expect(formatUsd(10_010_000_000n)).toBe("10.01");
  });

  test("written and read again is the same", () => {
    const limit = 10n ** 18n - 1n;
    fc.assert(
      fc.property(fc.bigInt({ min: -limit, max: limit }), nanos => {
        expect(parseUsd(formatUsd(nanos))).toBe(nanos);
        expect(formatUsd(nanos)).toMatch(/^-?\d+\.\d{2,9}$/);
      }),
    );
  });
});

describe("the one rounding", () => {
  test("goes up to the next nano-dollar", () => {
    // A thousandth of a nano-dollar costs a whole one; exact amounts stay.
    expect(nanosUp(0n, 10_000)).toBe(0n);
    expect(nanosUp(1n, 10_000)).toBe(1n);
    expect(nanosUp(999n, 10_000)).toBe(1n);
    expect(nanosUp(1_000n, 10_000)).toBe(1n);
    expect(nanosUp(1_001n, 10_000)).toBe(2n);
    expect(nanosUp(1n, 1)).toBe(1n);
    expect(nanosUp(5_000_000n, 0)).toBe(0n);
  });

  test("comes after the multiplier", () => {
    // 1,000 tokens at $3 per million × 1.5 = $0.0045.
    expect(formatUsd(nanosUp(1_000n * 3_000_000n, 15_000))).toBe("0.0045");
    // 7 tokens at $0.075 per million × 0.8 = $0.00000042.
    expect(formatUsd(nanosUp(7n * 75_000n, 8_000))).toBe("0.00000042");
    // 1 token at $0.0001 per million × 1.2345 = $0.00000000012345.
    expect(formatUsd(nanosUp(100n, 12_345))).toBe("0.000000001");
    // 333 tokens at $1.10 per million × 1.0001 = $0.00036633663, and the rest costs a whole nano-dollar.
    expect(formatUsd(nanosUp(333n * 1_100_000n, 10_001))).toBe("0.000366337");
    // 3.001 nano-dollars × 0.5 = 1.5005.
    expect(nanosUp(3_001n, 5_000)).toBe(2n);
  });

  test("never takes less than the exact amount, nor a whole nano-dollar more", () => {
    const picos = fc.bigInt({ min: 0n, max: 10n ** 18n });
    fc.assert(
      fc.property(picos, fc.integer({ min: 0, max: 99_999_999 }), (amount, multiplier) => {
        const surplus = nanosUp(amount, multiplier) * 10_000_000n - amount * BigInt(multiplier);
        expect(surplus >= 0n && surplus < 10_000_000n).toBe(true);
      }),
    );
  });
});

describe("a price per million tokens", () => {
  test("becomes whole pico-dollars a token", () => {
    expect(parsePricePerMillion("1.25")).toBe(1_250_000n);
    expect(parsePricePerMillion("0.000001")).toBe(1n);
    expect(parsePricePerMillion("75")).toBe(75_000_000n);
    expect(formatPricePerMillion(1_250_000n)).toBe("1.25");
    expect(formatPricePerMillion(75_000_000n)).toBe("75");
    expect(formatPricePerMillion(1n)).toBe("0.000001");
    expect(formatPricePerMillion(0n)).toBe("0");
  });

  test.each([...NOT_AMOUNTS, "-1", "0.0000001"])("%p is none", text =>
    expect(parsePricePerMillion(text)).toBeNull(),
  );

  test("written and read again is the same", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }), picos => {
        expect(parsePricePerMillion(formatPricePerMillion(picos))).toBe(picos);
      }),
    );
  });
});

describe("a multiplier", () => {
  test("becomes basis points", () => {
    expect(parseMultiplier("1")).toBe(10_000);
    expect(parseMultiplier("1.5")).toBe(15_000);
    expect(parseMultiplier("0.0001")).toBe(1);
    expect(parseMultiplier("9999.9999")).toBe(99_999_999);
    expect(parseMultiplier("0")).toBe(0);
  });

  test.each([...NOT_AMOUNTS, "-1", "1.00001", "10000"])("%p is none", text =>
    expect(parseMultiplier(text)).toBeNull(),
  );
});
