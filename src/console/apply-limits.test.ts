import { describe, expect, test } from "bun:test";
import { readApplyFile } from "./apply-file.ts";

function read(text: string) {
  return readApplyFile(new TextEncoder().encode(text), {});
}

/** `line:column message` of every problem. */
function problems(text: string): string[] {
  const result = read(text);
  return "problems" in result ? result.problems.map(p => `${p.line}:${p.column} ${p.message}`) : [];
}

function document(text: string) {
  const result = read(text);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return result.file.document;
}

const PRICE =
  "must be USD per million tokens such as 1.25: not negative, below 1000000, with at most 6 decimals";
const AMOUNT =
  "must be an amount of USD such as 12.50: not negative, below 1000000000, with at most 9 decimals";
const COUNT = "must be a whole number from 1 to 1000000000, in plain digits";
const NOT_NONE = "must be at least 1: leave the field out where there is no limit";
const NOT_FREE = "must be more than 0: leave the field out where there is no limit";

/** What is written, where the problem is, and how it begins. */
type Bad = readonly (readonly [string, string])[];

function refuses(bad: Bad, around: (text: string) => string): void {
  for (const [written, expected] of bad) {
    test(written, () => {
      const found = problems(around(written));
      expect(found).toHaveLength(1);
      expect(found[0]).toStartWith(expected);
    });
  }
}

describe("limits", () => {
  const LIMITS = `requests_per_minute: 60, tokens_per_minute: 1000000000, concurrency: 1,
      spend_per_day: 0.000000001, spend_per_week: "5", spend_per_month: 999999999.999999999`;
  const expected = {
    requests_per_minute: 60,
    tokens_per_minute: 1_000_000_000,
    concurrency: 1,
    spend_per_day: 1n,
    spend_per_week: 5_000_000_000n,
    spend_per_month: 999_999_999_999_999_999n,
  };

  test("stand in a map on accounts and groups, and beside the quota on keys", () => {
    const { accounts, groups, keys } = document(`
accounts: [{ email: a@b.c, limits: { ${LIMITS} } }]
groups: [{ name: g, models: [], limits: { ${LIMITS} } }]
keys: [{ account: a@b.c, name: k, group: g, quota: 5, ${LIMITS} }]
`);
    expect(accounts?.[0]?.limits).toEqual(expected);
    expect(groups?.[0]?.limits).toEqual(expected);
    expect(keys?.[0]).toMatchObject({ ...expected, quota: 5_000_000_000n });
  });

  test("may be none", () => {
    expect(document("accounts: [{ email: a@b.c, limits: {} }]\n").accounts?.[0]?.limits).toEqual({});
    expect(document("accounts: [{ email: a@b.c }]\n").accounts?.[0]).not.toHaveProperty("limits");
  });

  const bad: Bad = [
    ["requests_per_minute: 0", `4:28 “requests_per_minute” ${NOT_NONE}`],
    ["requests_per_minute: 000", `4:28 “requests_per_minute” ${NOT_NONE}`],
    ["requests_per_minute: -1", `4:28 “requests_per_minute” ${COUNT}`],
    ["requests_per_minute: 1.5", `4:28 “requests_per_minute” ${COUNT}`],
    ["requests_per_minute: 1e3", `4:28 “requests_per_minute” ${COUNT}`],
    ["tokens_per_minute: 1000000001", `4:26 “tokens_per_minute” ${COUNT}`],
    ["tokens_per_minute: 99999999999999999999", `4:26 “tokens_per_minute” ${COUNT}`],
    ["tokens_per_minute: .inf", `4:26 “tokens_per_minute” ${COUNT}`],
    ["concurrency: many", `4:20 “concurrency” ${COUNT}`],
    ["concurrency:", "4:19 “concurrency” has no value: write one, or leave the field out"],
    ["spend_per_day: 0", `4:22 “spend_per_day” ${NOT_FREE}`],
    ["spend_per_day: 0.000000000", `4:22 “spend_per_day” ${NOT_FREE}`],
    ["spend_per_day: -0.01", `4:22 “spend_per_day” ${AMOUNT}`],
    ["spend_per_week: 1000000000", `4:23 “spend_per_week” ${AMOUNT}`],
    ["spend_per_week: 0.0000000001", `4:23 “spend_per_week” ${AMOUNT}`],
    ["spend_per_month: .nan", `4:24 “spend_per_month” ${AMOUNT}`],
    ["spend_per_month: [5]", `4:24 “spend_per_month” ${AMOUNT}`],
    [
      "spend_per_year: 5",
      "4:7 “spend_per_year” is not a field that is known here: a map of limits has requests_per_minute,",
    ],
  ];
  refuses(bad, text => `accounts:\n  - email: a@b.c\n    limits:\n      ${text}\n`);

  refuses(
    [
      ["limits:", "4:12 “limits” must have fields"],
      ["limits: 5", "4:13 “limits” must have fields"],
      ["limits: none", "4:13 “limits” must have fields"],
      ["limits: { concurrency: 0 }", `4:28 “concurrency” ${NOT_NONE}`],
      [
        "limits: { rpm: 5 }",
        "4:15 “rpm” is not a field that is known here: a map of limits has requests_per",
      ],
    ],
    text => `groups:\n  - name: g\n    models: []\n    ${text}\n`,
  );

  refuses(
    [
      ["spend_per_day: 0", `5:20 “spend_per_day” ${NOT_FREE}`],
      ["concurrency: 0", `5:18 “concurrency” ${NOT_NONE}`],
      ["limits: { concurrency: 1 }", "5:5 “limits” is not a field that is known here: a key has account,"],
    ],
    text => `keys:\n  - account: a@b.c\n    name: k\n    group: g\n    ${text}\n`,
  );
});

describe("tiers of a price", () => {
  test("are exact, from the digits that were written", () => {
    const { models } = document(`models:
  - name: m
    price:
      input: 1.25
      tiers:
        - { above: 200000, input: 2.5, output: 15, cache_read: 0.25, cache_write_5m: 0, cache_write_1h: 0.000001 }
        - { above: 1000000000, output: "0.1" }
`);
    expect(models?.[0]?.price?.tiers).toEqual([
      {
        above: 200_000,
        input: 2_500_000n,
        output: 15_000_000n,
        cache_read: 250_000n,
        cache_write_5m: 0n,
        cache_write_1h: 1n,
      },
      { above: 1_000_000_000, output: 100_000n },
    ]);
    expect(document("models: [{ name: m, price: { input: 1, tiers: [] } }]\n").models?.[0]?.price).toEqual({
      input: 1_000_000n,
      tiers: [],
    });
  });

  const ABOVE = "must be a whole number from 1 to 1000000000, in plain digits";
  refuses(
    [
      ["5", "5:14 “tiers” must be a list"],
      ["[5]", "5:15 an entry of “tiers” must have fields"],
      ["[{ input: 1 }]", "5:15 “above” is missing"],
      ["[{ above: 5 }]", "5:15 an entry of “tiers” changes no price: write at least one beside “above”"],
      ["[{ above: 0, input: 1 }]", `5:24 “above” ${ABOVE}`],
      ["[{ above: -5, input: 1 }]", `5:24 “above” ${ABOVE}`],
      ["[{ above: 1.5, input: 1 }]", `5:24 “above” ${ABOVE}`],
      ["[{ above: 1000000001, input: 1 }]", `5:24 “above” ${ABOVE}`],
      ["[{ above: 200_000, input: 1 }]", `5:24 “above” ${ABOVE}`],
      ["[{ above: 5, input: -1 }]", `5:34 “input” ${PRICE}`],
      ["[{ above: 5, input: 1000000 }]", `5:34 “input” ${PRICE}`],
      ["[{ above: 5, output: 0.0000001 }]", `5:35 “output” ${PRICE}`],
      [
        "[{ above: 5, input: 1, request: 1 }]",
        "5:37 “request” is not a field that is known here: a tier has above, input",
      ],
      [
        "[{ above: 5, input: 1, tiers: [] }]",
        "5:37 “tiers” is not a field that is known here: a tier has above",
      ],
      [
        "[{ above: 5, input: 1 }, { above: 5, input: 2 }]",
        "5:48 “above” must be more than the 5 of the tier before it",
      ],
      [
        "[{ above: 5, input: 1 }, { above: 9, input: 2 }, { above: 8, input: 2 }]",
        "5:72 “above” must be more than the 9 of the tier before it",
      ],
    ],
    text => `models:\n  - name: m\n    price:\n      input: 1\n      tiers: ${text}\n`,
  );

  test("do not make a price by themselves", () => {
    const alone = "3:12 “price” has tiers alone: write at least one price below them";
    for (const tiers of ["[]", "[{ above: 5, input: 1 }]"]) {
      expect(problems(`models:\n  - name: m\n    price: { tiers: ${tiers} }\n`)[0]).toStartWith(alone);
    }
  });
});

describe("subscriptions and plans", () => {
  test("a plan stands once in the list of an account", () => {
    const text = "accounts:\n  - email: a@b.c\n    subscriptions: [{ plan: p }, { plan: q }, { plan: p }]\n";
    expect(problems(text)).toEqual(["3:55 “plan” is named in this list already"]);
  });

  test("a window that does not exist is refused with the four that do", () => {
    const text = "plans:\n  - { name: p, groups: [g], quota: 1, window: fortnight }\n";
    expect(problems(text)).toEqual(["2:47 “window” must be one of day, week, month, total"]);
  });
});
