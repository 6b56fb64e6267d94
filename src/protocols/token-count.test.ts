import { expect, test } from "bun:test";
import { tokenCount } from "./token-count.ts";

test("a number of tokens is whole, not negative, and not larger than any request", () => {
  expect([0, 1, 1_000_000_000].map(tokenCount)).toEqual([0, 1, 1_000_000_000]);
  for (const value of [
    -1,
    0.5,
    1_000_000_001,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "5",
    null,
    undefined,
    [],
  ])
    expect(tokenCount(value)).toBeNull();
});
