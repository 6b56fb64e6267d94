import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../domain/usage.ts";
import { readChatUsage } from "./read-usage.ts";
import { writeChatUsage } from "./write-usage.ts";

describe("written usage", () => {
  test("[P27] counts what was read from the cache and written to it inside the prompt", () => {
    const usage = { input: 1, cacheRead: 2, cacheWrite5m: 4, cacheWrite1h: 8, output: 16, reasoning: 3 };
    expect(writeChatUsage(usage)).toEqual({
      prompt_tokens: 15,
      completion_tokens: 16,
      total_tokens: 31,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 12 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
  });

  test("does not name what was not written", () => {
    expect(writeChatUsage(NO_USAGE).prompt_tokens_details).toEqual({ cached_tokens: 0 });
  });

  test("[P27] is read as what it was", () => {
    const usage = { input: 1, cacheRead: 2, cacheWrite5m: 4, cacheWrite1h: 0, output: 16, reasoning: 3 };
    expect(readChatUsage(writeChatUsage(usage))).toEqual(usage);
  });
});
