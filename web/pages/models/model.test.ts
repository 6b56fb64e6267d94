import { describe, expect, test } from "bun:test";
import { isPerCall, type Model, matching, type Offer, offersOf } from "./model.ts";
import { tokensText } from "./model-cells.tsx";

const price = (input: string, output: string, request = "0"): Offer["price"] => ({
  ...{ input, output, cache_read: "0", cache_write_5m: "0", cache_write_1h: "0", request, tiers: [] },
});

function model(name: string, groups: Offer[]): Model {
  const limits = { context_tokens: 128_000, max_output_tokens: null };
  return { name, native_dialects: ["chat"], is_served: true, groups, ...limits };
}

const standard: Offer = { id: "grp_1", name: "standard", multiplier: "1", price: price("10", "20") };
const economy: Offer = { id: "grp_2", name: "economy", multiplier: "0.6", price: price("9.5", "12") };
const sonnet = model("claude-sonnet-5", [standard, economy]);
const mini = model("gpt-5.5-mini", [economy]);

describe("the list of models", () => {
  const names = (filter: Parameters<typeof matching>[1]) =>
    matching([sonnet, mini], filter).map(({ name }) => name);

  test("is searched by every word, in names of models and groups alike", () => {
    expect(names({})).toEqual(["claude-sonnet-5", "gpt-5.5-mini"]);
    expect(names({ q: "SONNET claude" })).toEqual(["claude-sonnet-5"]);
    expect(names({ q: "standard" })).toEqual(["claude-sonnet-5"]);
    expect(names({ q: "sonnet mini" })).toEqual([]);
    expect(names({ q: "<b>" })).toEqual([]);
  });

  test("shows a group's own models alone", () => {
    expect(names({ group: "grp_1" })).toEqual(["claude-sonnet-5"]);
    expect(names({ group: "grp_of_somebody_else" })).toEqual([]);
  });
});

describe("the offers of a model", () => {
  test("come cheapest first, by value and not by letters", () => {
    expect(offersOf(sonnet, undefined).map(({ name }) => name)).toEqual(["economy", "standard"]);
    expect(offersOf(sonnet, "grp_1").map(({ name }) => name)).toEqual(["standard"]);
  });

  test("are by the call where only the call costs", () => {
    expect(isPerCall({ ...standard, price: price("0", "0.00", "0.04") })).toBe(true);
    expect(isPerCall({ ...standard, price: price("1", "0", "0.04") })).toBe(false);
    expect(isPerCall({ ...standard, price: price("0", "0", "0") })).toBe(false);
  });
});

test("counts of tokens are short in every language", () => {
  expect([999, 8192, 128_000, 1_000_000, 1_048_576, 2_500_000].map(tokensText)).toEqual([
    "999",
    "8.2K",
    "128K",
    "1M",
    "1M",
    "2.5M",
  ]);
});
