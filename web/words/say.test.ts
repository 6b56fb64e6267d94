import { describe, expect, test } from "bun:test";
import { defineWords } from "./define-words.ts";
import { sayIn } from "./say.ts";

const words = defineWords({
  en: {
    plain: "Nothing yet",
    left: "{amount} of {quota} left",
    keys: { one: "{count} key of {owner}", other: "{count} keys of {owner}" },
    twice: "{name} and {name}",
  },
  zh: {
    plain: "还没有",
    left: "{quota} 中还剩 {amount}",
    keys: "{owner} 的 {count} 个密钥",
    twice: "{name}和{name}",
  },
});

describe("saying", () => {
  const en = sayIn(words, "en");
  const zh = sayIn(words, "zh");

  test("fills the braces in the order of each language", () => {
    expect(en("left", { amount: "$1", quota: "$5" })).toBe("$1 of $5 left");
    expect(zh("left", { amount: "$1", quota: "$5" })).toBe("$5 中还剩 $1");
  });

  test("chooses the form by the count and writes numbers as the language does", () => {
    expect(en("keys", { count: 1, owner: "ann" })).toBe("1 key of ann");
    expect(en("keys", { count: 0, owner: "ann" })).toBe("0 keys of ann");
    expect(en("keys", { count: 12_345, owner: "ann" })).toBe("12,345 keys of ann");
    expect(zh("keys", { count: 1, owner: "ann" })).toBe("ann 的 1 个密钥");
  });

  test("takes what is given as text, also where it looks like a slot", () => {
    expect(en("twice", { name: "{name}<b>" })).toBe("{name}<b> and {name}<b>");
  });

  test("keeps elements whole in rich text", () => {
    expect(en.rich("left", { amount: "a", quota: 7 })).toEqual(["", "a", " of ", "7", " left"]);
  });
});
