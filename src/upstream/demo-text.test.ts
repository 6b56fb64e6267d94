import { expect, test } from "bun:test";
import { countDemoTokens, demoTokens, longTokens, quote, untilStop } from "./demo-text.ts";

const TEXTS = [
  "",
  "Hello, world! It is  9:45\n\n\tnow.",
  "naïve e\u0301tude 漢字 😀👩‍👩‍👧 \ud800",
  "a".repeat(40),
  " ".repeat(40),
  `${"x 𝐀".repeat(50_000)}  end`,
  "  \n word".repeat(30_000),
];

test("tokens are words with the space before them, single signs, and blanks", () => {
  expect(demoTokens("It's 9:45,\n\nnow  then")).toEqual([
    "It",
    "'",
    "s",
    " 9",
    ":",
    "45",
    ",",
    "\n\n",
    "now",
    "  ",
    "then",
  ]);
});

test.each(TEXTS.map((text, index) => [index, text] as const))(
  "text %d: joined tokens are the text, and counted alike",
  (_, text) => {
    const tokens = demoTokens(text);
    expect(tokens.join("") === text).toBe(true);
    expect(countDemoTokens(text)).toBe(tokens.length);
  },
);

test("a long answer splits again into the tokens it was made of", () => {
  const tokens = [...longTokens("Hello.").take(500)];
  expect(demoTokens(tokens.join(""))).toEqual(tokens);
});

test("a stop sequence across tokens is found wherever it falls", () => {
  const text = "one two three, two three four.";
  for (let from = 0; from < text.length; from++) {
    for (let to = from + 1; to <= text.length; to++) {
      const stop = text.slice(from, to);
      const before = text.slice(0, text.indexOf(stop));
      expect([...untilStop(demoTokens(text), [stop, "absent"])]).toEqual(demoTokens(before));
    }
  }
  expect([...untilStop(demoTokens(text), ["four.x", "absent"])]).toEqual(demoTokens(text));
});

test("a quotation is one line of at most 60 characters", () => {
  expect(quote(" a\n\tb\u0007 ")).toBe("a b");
  expect(quote("y".repeat(61))).toBe(`${"y".repeat(60)}…`);
  expect(quote("y".repeat(60))).toBe("y".repeat(60));
});
