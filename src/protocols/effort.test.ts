import { expect, test } from "bun:test";
import { effortOfBudget } from "./effort.ts";

test("a budget of tokens is an effort by its size", () => {
  const efforts = [1_024, 4_096, 4_097, 16_384, 16_385].map(effortOfBudget);
  expect(efforts).toEqual(["low", "low", "medium", "medium", "high"]);
});
