import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ApiError } from "../../api/api-error.ts";
import { amountOf } from "./amount.ts";
import { dayOf, endOfDay } from "./day.ts";
import { limitsChange } from "./limits-change.ts";
import { newOnce } from "./once.ts";
import { sentenceOf, sentenceZh } from "./sentences.ts";
import { matching } from "./use-accounts-search.ts";

describe("an amount that was typed", () => {
  test("is sent as it is, to the last digit", () => {
    expect(amountOf("5")).toBe("5");
    expect(amountOf("0.000000001")).toBe("0.000000001");
    expect(amountOf("5.")).toBe("5");
    expect(amountOf(".5")).toBe("0.5");
  });

  test("is none where it is nothing, zero or beyond what money has", () => {
    for (const text of ["", ".", "0", "0.000", "1234567890", "0.0000000001"])
      expect(amountOf(text)).toBeNull();
  });
});

test("every movement of money has a name of its own, in a form the ledger takes", () => {
  const names = Array.from({ length: 50 }, newOnce);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[\x21-\x7e]{20,100}$/);
});

test("a day is included to its end", () => {
  expect(dayOf(endOfDay("2026-12-31"))).toBe("2026-12-31");
  expect(Date.parse(endOfDay("2026-12-31")) - new Date("2026-12-31T00:00:00").getTime()).toBe(86_399_000);
});

describe("a change of limits", () => {
  const limits = {
    requests_per_minute: 60,
    tokens_per_minute: null,
    concurrency: null,
    spend_per_day_usd: "5",
    spend_per_week_usd: null,
    spend_per_month_usd: null,
  };
  const typed = {
    requests_per_minute: "60",
    tokens_per_minute: "",
    concurrency: "",
    spend_per_day_usd: "5",
    spend_per_week_usd: "",
    spend_per_month_usd: "",
  };

  test("says only what differs, and null where a limit is taken away", () => {
    expect(limitsChange(limits, typed)).toEqual({});
    expect(limitsChange(limits, { ...typed, requests_per_minute: "", concurrency: "4" })).toEqual({
      requests_per_minute: null,
      concurrency: 4,
    });
    expect(limitsChange(limits, { ...typed, spend_per_day_usd: "", spend_per_week_usd: "20.5" })).toEqual({
      spend_per_day_usd: null,
      spend_per_week_usd: "20.5",
    });
  });

  test("is none where a value is no limit", () => {
    expect(limitsChange(limits, { ...typed, concurrency: "0" })).toBeNull();
    expect(limitsChange(limits, { ...typed, concurrency: "100001" })).toBeNull();
    expect(limitsChange(limits, { ...typed, spend_per_day_usd: "0" })).toBeNull();
  });
});

test("accounts are found by a part of their e-mail, role and state together", () => {
  const person = (email: string, role: "holder" | "operator", enabled: boolean) => ({
    ...{ id: `acc_${email}`, email, role, enabled, balance_usd: "0" },
    ...{ created_at: "2026-01-01T00:00:00Z", last_seen_at: null },
  });
  const people = [
    person("ann@example.org", "operator", true),
    person("bo@example.org", "holder", true),
    person("anna@example.org", "holder", false),
  ];
  const found = (search: Parameters<typeof matching>[1]) =>
    matching(people, search).map(({ email }) => email);
  expect(found({})).toHaveLength(3);
  expect(found({ q: " ANN" })).toEqual(["ann@example.org", "anna@example.org"]);
  expect(found({ q: "ann", state: "disabled" })).toEqual(["anna@example.org"]);
  expect(found({ role: "operator", state: "enabled" })).toEqual(["ann@example.org"]);
  expect(found({ q: "acc_bo@example.org" })).toEqual(["bo@example.org"]);
});

/** As the server says them; the part before the bar stands in its source as it is. */
const SENTENCES = [
  "This would leave no operator who can sign in|.",
  "This is your own account: you would be signed out|.",
  "One of these accounts is not there any more|, so nothing was changed.",
  "This plan is not there any more|.",
  "This subscription has ended already|.",
  "This idempotency key was used before|, for another change.",
  "Enter an amount other than zero|.",
  "Enter more than zero|.",
  "Say why, because the ledger keeps it|.",
  "This time has passed. Choose a later one, or none|.",
  "This time has passed. Choose a later one, or end|",
  "A code must be worth more than zero|.",
  "Only an operator whose account is enabled can have a token|, and a@b is not.",
  "must have 1 to 100 characters, and none that control the text|",
];
const FILLED = [
  {
    source: "USD free, which is less than the debit",
    said: "a@b.org has 3.5 USD free, which is less than the debit.",
  },
  { source: "would have more than", said: "a@b.org would have more than 1,000 USD, which is the most." },
  {
    source: "A code is worth at most",
    said: "A code is worth at most 1,000 USD, the most that an account may have.",
  },
  {
    source: "was redeemed by",
    said: "The code code_1 was redeemed by a@b.org: what it credited can only be debited again.",
  },
  {
    source: "tokens, which is the most",
    said: "a@b.org has 50 tokens, which is the most: end some that are not used.",
  },
  { source: "There is an account", said: "There is an account a@b.org already." },
  {
    source: "has an account here and can sign in",
    said: "a@b.org has an account here and can sign in; make a reset link if the password is lost.",
  },
  {
    source: "has an account here already, as",
    said: "a@b.org has an account here already, as holder; invite as that, or change its role first.",
  },
  { source: "is disabled; enable it first", said: "The account a@b.org is disabled; enable it first." },
];

describe("the server's sentences", () => {
  const root = join(import.meta.dir, "..", "..", "..", "src");
  const source = [...new Glob("{domain,store,console}/**/*.ts").scanSync({ cwd: root })]
    .filter(path => !path.includes(".test."))
    .map(path => readFileSync(join(root, path), "utf8"))
    .join("\n");

  test("are said in Chinese too, each as the server has it", () => {
    const plain = SENTENCES.map(text => ({ source: text.split("|")[0] ?? "", said: text.replace("|", "") }));
    for (const { source: part, said } of [...plain, ...FILLED]) {
      expect(source).toContain(part);
      expect(sentenceZh(said)).toMatch(/[\u4e00-\u9fff]/);
    }
    expect(sentenceZh("Something new.")).toBeNull();
  });

  test("stay as they are in English, and where nobody knows them in Chinese", () => {
    const error = new ApiError({ code: "conflict", message: "This subscription has ended already." });
    expect(sentenceOf(error, "en")).toBe("This subscription has ended already.");
    expect(sentenceOf(error, "zh")).toBe("此订阅已经结束。");
    expect(sentenceOf(new ApiError({ code: "conflict", message: "New." }), "zh")).toBe("New.");
  });
});
