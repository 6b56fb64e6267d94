import { describe, expect, test } from "bun:test";
import {
  bodyOf,
  changesOf,
  draftOf,
  multiplierOf,
  NEW_GROUP,
  patternsOf,
  problemsOf,
} from "./group-draft.ts";
import { type Group, matching } from "./group-reads.ts";
import { plainAmount } from "./plain-amount.ts";

const GROUP: Group = {
  ...{ id: "grp_1", name: "standard", description: "For all", enabled: true, multiplier: "0.6" },
  ...{ models: ["claude-*", "gpt-5"], matches: ["claude-x", "gpt-5"], billing: "balance", accounts: null },
  limits: {
    ...{ requests_per_minute: 60, tokens_per_minute: null, concurrency: null },
    ...{ spend_per_day_usd: "2.50", spend_per_week_usd: null, spend_per_month_usd: null },
  },
  ...{ keys: 2, holders: 1 },
};

test("models are parted by lines, commas and blanks, each once", () => {
  expect(patternsOf(" gpt-5, claude-*\n\ngpt-5；qwen ")).toEqual(["gpt-5", "claude-*", "qwen"]);
  expect(patternsOf(" \n,")).toEqual([]);
});

test("a multiplier is sent to the last digit, and nothing else", () => {
  expect(multiplierOf("0.6")).toBe("0.6");
  expect(multiplierOf(".25")).toBe("0.25");
  expect(multiplierOf("1.")).toBe("1");
  for (const wrong of ["", "10000", "1.23456", "x"]) expect(multiplierOf(wrong)).toBeNull();
});

test("amounts are shown as they are typed", () => {
  expect(["50.00", "2.50", "100", "0.000000001"].map(plainAmount)).toEqual([
    "50",
    "2.5",
    "100",
    "0.000000001",
  ]);
});

describe("a group's form", () => {
  test("begins as a group that works: every model, at the list price, for everybody", () => {
    expect(bodyOf({ ...NEW_GROUP, name: " a " })).toMatchObject({
      ...{ name: "a", enabled: true, multiplier: "1", models: ["*"], billing: "balance", accounts: null },
      limits: { requests_per_minute: null, spend_per_day_usd: null },
    });
    expect([...problemsOf(NEW_GROUP)]).toEqual([["name", "nameMissing"]]);
  });

  test("sends what differs alone, so that another's change is not undone", () => {
    const draft = draftOf(GROUP);
    expect(changesOf(GROUP, draft)).toEqual({});
    expect(changesOf(GROUP, { ...draft, multiplier: "0.7", name: "standard " })).toEqual({
      multiplier: "0.7",
    });
    expect(changesOf(GROUP, { ...draft, isForAll: false, accounts: ["a@b.org"] })).toEqual({
      accounts: ["a@b.org"],
    });
    const limits = { ...draft.limits, requests_per_minute: "" };
    expect(changesOf(GROUP, { ...draft, limits }).limits).toMatchObject({
      requests_per_minute: null,
      spend_per_day_usd: "2.5",
    });
  });

  test("says what is wrong at the field that is", () => {
    const wrong = {
      ...draftOf(GROUP),
      ...{ name: " ", multiplier: "", models: " ", isForAll: false, accounts: [] },
      limits: { ...NEW_GROUP.limits, concurrency: "0", spend_per_week_usd: "0" },
    };
    expect(Object.fromEntries(problemsOf(wrong))).toEqual({
      ...{ name: "nameMissing", multiplier: "multiplierWrong", models: "modelsMissing" },
      ...{ accounts: "accountsMissing", concurrency: "countWrong", spend_per_week_usd: "amountWrong" },
    });
  });
});

test("groups are found by their name, their words and their models", () => {
  const other = { ...GROUP, id: "grp_2", name: "economy", description: "", models: ["qwen"], matches: [] };
  const found = (q: string) => matching([GROUP, other], { q }).map(({ name }) => name);
  expect(found("")).toEqual(["standard", "economy"]);
  expect(found("claude-x")).toEqual(["standard"]);
  expect(found("ECON qwen")).toEqual(["economy"]);
  expect(found("nothing")).toEqual([]);
});
