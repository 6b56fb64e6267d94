import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countTokens as theirCount } from "gpt-tokenizer/encoding/o200k_base";
import { countTokens } from "./byte-pairs.ts";

const AS_TEXT = { disallowedSpecial: new Set<string>() };
/** In what is no single token gpt-tokenizer overlooks it. */
const BYTE_ORDER_MARK = /\ufeff/g;

const theirs = (text: string) => theirCount(text, AS_TEXT);

describe("as many tokens as gpt-tokenizer finds", () => {
  const words = fc.constantFrom(
    " the",
    "Wicket",
    "gate",
    "'ll",
    "  ",
    "\n",
    "/*",
    "2026",
    "é",
    "你好",
    "😀",
    "<|endoftext|>",
  );
  const texts = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.array(words, { maxLength: 60 }).map(some => some.join("")),
    // Halves of letters, too.
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
      .map(codes => String.fromCharCode(...codes)),
  );

  test("in any text", () => {
    fc.assert(
      fc.property(texts, text => {
        const plain = text.replace(BYTE_ORDER_MARK, "");
        expect(countTokens(plain)).toBe(theirs(plain));
      }),
      { numRuns: 2_000 },
    );
  });

  test("in this file", async () => {
    const text = await Bun.file(import.meta.path).text();
    expect(countTokens(text)).toBe(theirs(text));
  });
});

test("nothing is no token, and each byte is one at most", () => {
  expect(countTokens("")).toBe(0);
  expect(countTokens("\ufeff\ufffe\u0000")).toBeLessThanOrEqual(7);
});
