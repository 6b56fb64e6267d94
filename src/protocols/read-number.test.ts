import { describe, expect, test } from "bun:test";
import { Problems } from "./problems.ts";
import { readNumber } from "./read-number.ts";

const SHARE = { min: 0, max: 1 };
const COUNT = { min: 1, max: 100, isWhole: true } as const;

function told(value: unknown, range: Parameters<typeof readNumber>[1]): string | undefined {
  const problems = new Problems();
  expect(readNumber({ value, at: "n", problems }, range)).toBeNull();
  return problems.first?.problem;
}

describe("a number of a prompt", () => {
  test("is taken within its range, and may be left out", () => {
    const problems = new Problems();
    const read = (value: unknown) => readNumber({ value, at: "n", problems }, SHARE);
    expect([0, 0.5, 1, undefined, null].map(read)).toEqual([0, 0.5, 1, null, null]);
    expect(problems.first).toBeNull();
  });

  test("is a problem where it is none, or out of its range", () => {
    for (const value of [-0.1, 1.1, Number.NaN, "0.5", true, {}])
      expect(told(value, SHARE)).toBe("“n” must be a number from 0 to 1");
    for (const value of [0, 1.5, 101])
      expect(told(value, COUNT)).toBe("“n” must be a whole number from 1 to 100");
  });

  test("may have no upper bound but that of exact numbers", () => {
    const range = { min: 1, isWhole: true } as const;
    const problem = "“n” must be a whole number of at least 1";
    expect([0, 2 ** 53].map(value => told(value, range))).toEqual([problem, problem]);
  });
});
