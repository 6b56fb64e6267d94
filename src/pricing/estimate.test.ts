import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inputTokensBound, inputTokensGuess, textTokensGuess } from "./estimate.ts";

describe("the bound", () => {
  test("counts every byte as a token, and an image apart from its letters", () => {
    expect(inputTokensBound({ bytes: 1_000, dataBytes: 0, dataParts: 0 })).toBe(1_000);
    expect(inputTokensBound({ bytes: 1_000, dataBytes: 900, dataParts: 1 })).toBe(20_100);
    expect(inputTokensBound({ bytes: 500_000, dataBytes: 499_000, dataParts: 3 })).toBe(61_000);
  });

  test("is never below nothing", () => {
    expect(inputTokensBound({ bytes: 10, dataBytes: 11, dataParts: 0 })).toBe(0);
    expect(inputTokensGuess({ bytes: 10, dataBytes: 11, dataParts: 0 })).toBe(0);
  });

  test("is never below the guess", () => {
    const count = fc.nat({ max: 40_000_000 });
    fc.assert(
      fc.property(count, count, fc.nat({ max: 1_000 }), (bytes, dataBytes, dataParts) => {
        const size = { bytes, dataBytes, dataParts };
        expect(inputTokensGuess(size)).toBeLessThanOrEqual(inputTokensBound(size));
        expect(Number.isSafeInteger(inputTokensGuess(size))).toBe(true);
      }),
    );
  });
});

describe("the guess", () => {
  test("takes four bytes for a token, upward", () => {
    expect([0, 1, 4, 5, 8, 4_001].map(textTokensGuess)).toEqual([0, 1, 1, 2, 2, 1_001]);
  });

  test("takes a thousand tokens for an image", () => {
    expect(inputTokensGuess({ bytes: 1_400, dataBytes: 1_000, dataParts: 2 })).toBe(2_100);
  });
});
