import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ApiError } from "../../api/api-error.ts";
import { type Model, matching } from "./model-reads.ts";
import {
  changeShare,
  differences,
  draftOf,
  EMPTY,
  inTier,
  type ListPrice,
  priceOf,
  priceText,
  problemsOf,
  takenBack,
  withPart,
  withTier,
} from "./price.ts";
import { sentenceOf, sentenceZh } from "./sentences.ts";
import { shareText } from "./share-text.ts";

const SONNET: ListPrice = {
  ...{
    input: "3",
    output: "15",
    cache_read: "0.3",
    cache_write_5m: "3.75",
    cache_write_1h: "6",
    request: "0",
  },
  tiers: [
    {
      above_tokens: 200_000,
      ...{ input: "6", output: "22.5", cache_read: "0.6", cache_write_5m: "7.5", cache_write_1h: "12" },
    },
  ],
};
const PLAIN: ListPrice = {
  ...{ input: "1", output: "5", cache_read: "1", cache_write_5m: "1", cache_write_1h: "1", request: "0" },
  tiers: [],
};

describe("a price that was typed", () => {
  test("is sent to the last digit, and nothing that the server would refuse", () => {
    expect(priceText("3.", "input")).toBe("3");
    expect(priceText(".5", "input")).toBe("0.5");
    expect(priceText("0.000001", "input")).toBe("0.000001");
    expect(priceText("0.0000001", "input")).toBeNull();
    expect(priceText("1000000", "input")).toBeNull();
    expect(priceText("", "input")).toBeNull();
    expect(priceText("0.000000001", "request")).toBe("0.000000001");
  });

  test("comes back as it was, whatever it has", () => {
    for (const price of [SONNET, PLAIN, { ...PLAIN, request: "0.01" }]) {
      expect(priceOf(draftOf(price))).toEqual(price);
    }
  });

  test("leaves cached tokens at the price of input where they have none of their own", () => {
    expect(draftOf(PLAIN)).toMatchObject({ cache_read: "", cache_write_5m: "", cache_write_1h: "" });
    expect(withPart(PLAIN, "input", "2")).toEqual({
      ...PLAIN,
      ...{ input: "2", cache_read: "2", cache_write_5m: "2", cache_write_1h: "2" },
    });
    expect(withPart(SONNET, "input", "2")).toMatchObject({
      input: "2",
      cache_read: "0.3",
      tiers: SONNET.tiers,
    });
    expect(withPart(PLAIN, "cache_read", "0.1")).toMatchObject({ input: "1", cache_read: "0.1" });
  });

  test("says what is wrong at the field that is", () => {
    expect([...problemsOf(EMPTY)]).toEqual([
      ["input", "missing"],
      ["output", "missing"],
    ]);
    expect([...problemsOf({ ...EMPTY, request: "0.5" })]).toEqual([]);
    expect(priceOf({ ...EMPTY, request: "0.5" })).toMatchObject({ input: "0", output: "0", request: "0.5" });
    const tiered = withTier(withTier({ ...draftOf(PLAIN) }));
    expect(tiered.tiers.map(({ above }) => above)).toEqual(["200000", "400000"]);
    expect([...problemsOf(tiered).values()]).toEqual(["idle", "idle"]);
    const [one, two] = tiered.tiers;
    if (one === undefined || two === undefined) throw new Error("there are two");
    const fallen = {
      ...tiered,
      tiers: [
        { ...one, input: "2" },
        { ...two, above: "200000", output: "x" },
      ],
    };
    expect([...problemsOf(fallen)]).toEqual([
      ["tiers.1.above", "falling"],
      ["tiers.1.output", "wrong"],
    ]);
    expect(priceOf(fallen)).toBeNull();
  });

  test("of a tier stands in what is below it, as the apply file has it", () => {
    const tier = { input: "6", output: "", cache_read: "", cache_write_5m: "", cache_write_1h: "" };
    const below = { input: "3", output: "15", cache_read: "0.3", cache_write_5m: "", cache_write_1h: "" };
    expect(inTier(tier, below, "output")).toBe("15");
    expect(inTier(tier, below, "cache_read")).toBe("0.3");
    expect(inTier(tier, below, "cache_write_5m")).toBe("6");
  });
});

describe("a difference of prices", () => {
  test("has every part that changes, and of a new price what it says", () => {
    expect(differences(SONNET, SONNET)).toEqual([]);
    expect(differences(null, PLAIN).map(({ part }) => part)).toEqual(["input", "output"]);
    expect(differences(PLAIN, { ...PLAIN, output: "10", cache_read: "0.1" })).toEqual([
      { part: "output", above: null, before: "5", after: "10" },
      { part: "cache_read", above: null, before: "1", after: "0.1" },
    ]);
    const without = differences(SONNET, { ...SONNET, tiers: [] });
    expect(without.every(({ above }) => above === 200_000)).toBe(true);
    expect(without[0]).toMatchObject({ before: "6", after: "3" });
    expect(differences({ ...SONNET, tiers: [] }, SONNET)[0]).toMatchObject({ before: "3", after: "6" });
  });

  test("is told as a share in both languages", () => {
    expect(shareText(changeShare("2", "2.5") ?? 0, "en")).toBe("+25%");
    expect(shareText(changeShare("10", "6") ?? 0, "zh")).toBe("−40%");
    expect(shareText(changeShare("3", "3.125") ?? 0, "en")).toBe("+4.2%");
    expect(changeShare("0", "5")).toBeNull();
  });
});

test("models without a price come first, and filters are taken together", () => {
  const model = (name: string, price: ListPrice | null, upstream: string | null): Model => ({
    ...{ id: `mdl_${name}`, name, context_tokens: null, max_output_tokens: null, price, price_since: null },
    upstreams:
      upstream === null ? [] : [{ id: upstream, name: upstream, upstream_model: name, speaks: ["chat"] }],
    groups: ["standard"],
  });
  const models = [model("b", PLAIN, "one"), model("z", null, "two"), model("a", PLAIN, null)];
  const found = (search: Parameters<typeof matching>[1]) => matching(models, search).map(({ name }) => name);
  expect(found({})).toEqual(["z", "a", "b"]);
  expect(found({ only: "unpriced" })).toEqual(["z"]);
  expect(found({ only: "unserved" })).toEqual(["a"]);
  expect(found({ upstream: "one" })).toEqual(["b"]);
  expect(found({ q: "STAND two" })).toEqual(["z"]);
});

/** As the server says them; what stands before the bar is in its source as it is. */
const SENTENCES = [
  { source: "already. Choose another name.", said: "There is a group “a”b” already. Choose another name." },
  { source: "There is no model “", said: "There is no model “m” any more." },
  { source: "There is no such planned price", said: "There is no such planned price. It may have begun." },
  { source: "planned prices. Take one", said: "“m” has 20 planned prices. Take one back first." },
  { source: "is served by", said: "The model “m” is served by “x”, “y”. Take it out there first." },
  {
    source: "in the group “",
    said: "3 keys are in the group “g”. Move them to another group, or disable it.",
  },
  { source: "One key is", said: "One key is in the group “g”. Move them to another group, or disable it." },
  { source: "pays for the group “", said: "The plan “p” pays for the group “g”. Take it out there first." },
  { source: "the plan “", said: "2 accounts have the plan “p”. End the subscriptions first." },
  { source: "there is no account", said: "There is no account eve@example.org." },
  { source: "It may have been removed.", said: "There is no such plan. It may have been removed." },
  {
    source: "Give the models of an apply file",
    said: "This catalogue cannot be read, at line 3: is wrong. Give the models of an apply file, or …",
  },
];

describe("the server's sentences about the catalogue", () => {
  const root = join(import.meta.dir, "..", "..", "..", "src");
  const source = [...new Glob("{domain,store,console}/**/*.ts").scanSync({ cwd: root })]
    .filter(path => !path.includes(".test."))
    .map(path => readFileSync(join(root, path), "utf8"))
    .join("\n");

  test("are said in Chinese too, each as the server has it", () => {
    for (const { source: part, said } of SENTENCES) {
      expect(source).toContain(part);
      expect(sentenceZh(said)).toMatch(/[\u4e00-\u9fff]/);
    }
    expect(sentenceZh("This subscription has ended already.")).not.toBeNull();
    expect(sentenceZh("Something new.")).toBeNull();
  });

  test("stay as they are in English", () => {
    const error = new ApiError({ code: "conflict", message: "There is no group “x”." });
    expect(sentenceOf(error, "en")).toBe("There is no group “x”.");
    expect(sentenceOf(error, "zh")).toBe("没有名为“x”的分组。");
  });
});

test("what is undone leaves what was changed since", () => {
  const cheaper = withPart(SONNET, "input", "2.5") ?? SONNET;
  expect(takenBack(cheaper, SONNET, cheaper)).toEqual(SONNET);
  const since = { ...cheaper, output: "20" };
  expect(takenBack(since, SONNET, cheaper)).toEqual({ ...SONNET, output: "20" });
  // Cached tokens that went along with the input go back with it.
  const dearer = withPart(PLAIN, "input", "2") ?? PLAIN;
  expect(dearer.cache_read).toBe("2");
  expect(takenBack({ ...dearer, request: "0.1" }, PLAIN, dearer)).toEqual({ ...PLAIN, request: "0.1" });
});
