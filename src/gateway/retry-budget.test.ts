import { expect, test } from "bun:test";
import { RetryBudget } from "./retry-budget.ts";

function takeAll(budget: RetryBudget): number {
  let taken = 0;
  while (taken < 1_000 && budget.take()) taken += 1;
  return taken;
}

test("a quiet gateway has twenty second tries saved, and no more", () => {
  const budget = new RetryBudget();
  for (let at = 0; at < 1_000; at++) budget.request();
  expect(takeAll(budget)).toBe(20);
  expect(budget.take()).toBe(false);
});

test("where everything fails, one request of five gets a second try", () => {
  const budget = new RetryBudget();
  takeAll(budget);
  let taken = 0;
  for (let at = 0; at < 10_000; at++) {
    budget.request();
    if (budget.take()) taken += 1;
  }
  expect(taken).toBeGreaterThanOrEqual(1_998);
  expect(taken).toBeLessThanOrEqual(2_000);
});

test("what was not granted costs nothing", () => {
  const budget = new RetryBudget();
  takeAll(budget);
  for (let at = 0; at < 100; at++) expect(budget.take()).toBe(false);
  for (let at = 0; at < 6; at++) budget.request();
  expect(takeAll(budget)).toBe(1);
});
