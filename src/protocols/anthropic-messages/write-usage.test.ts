import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { usages } from "../reply.case.ts";
import { readMessagesUsage } from "./read-usage.ts";
import { guessedUsage, writeMessagesUsage } from "./write-usage.ts";

describe("written usage", () => {
  test("[P27] has cached tokens beside the input, and both kinds of cache writes", () => {
    const usage = { input: 1, cacheRead: 2, cacheWrite5m: 3, cacheWrite1h: 4, output: 5, reasoning: 0 };
    expect(writeMessagesUsage(usage)).toEqual({
      input_tokens: 1,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      output_tokens: 5,
    });
  });

  test("is what was read, whatever it was", () => {
    fc.assert(
      fc.property(usages, usage => {
        expect(readMessagesUsage(writeMessagesUsage(usage))).toEqual(usage);
      }),
    );
  });
});

test("a guess is never zero", () => {
  expect(guessedUsage({ input: 0, characters: 0 })).toMatchObject({ input: 1, output: 1 });
  expect(guessedUsage({ input: 12, characters: 400 })).toMatchObject({ input: 12, output: 100 });
});
