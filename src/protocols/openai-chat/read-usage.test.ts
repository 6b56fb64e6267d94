import { describe, expect, test } from "bun:test";
import { readChatUsage } from "./read-usage.ts";

describe("a report of usage", () => {
  test("counts cached tokens inside the prompt, and is read apart", () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 80, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    expect(readChatUsage(usage)).toEqual({
      input: 20,
      cacheRead: 80,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output: 50,
      reasoning: 30,
    });
  });

  test.each([
    [{}],
    [{ prompt_tokens_details: null, completion_tokens_details: null }],
    [{ prompt_tokens_details: {}, completion_tokens_details: {} }],
    [
      {
        prompt_tokens_details: { cached_tokens: null },
        completion_tokens_details: { reasoning_tokens: null },
      },
    ],
    [{ prompt_tokens_details: "none", queue_time: 0.04 }],
  ])("may leave its details out: %j", details => {
    const read = readChatUsage({ prompt_tokens: 7, completion_tokens: 3, ...details });
    expect(read).toMatchObject({ input: 7, cacheRead: 0, output: 3, reasoning: 0 });
  });

  test("may say that everything was cached, and nothing answered", () => {
    const all = { prompt_tokens: 9, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 9 } };
    expect(readChatUsage(all)).toMatchObject({ input: 0, cacheRead: 9, output: 0 });
  });
});

describe("other makes of the dialect", () => {
  const counted = { prompt_tokens: 100, completion_tokens: 50 };

  test("[P27] tell what was written to the cache, inside the prompt as well", () => {
    const details = { cached_tokens: 30, cache_write_tokens: 20 };
    expect(readChatUsage({ ...counted, prompt_tokens_details: details })).toMatchObject({
      input: 50,
      cacheRead: 30,
      cacheWrite5m: 20,
      cacheWrite1h: 0,
    });
    for (const written of [
      { prompt_tokens_details: { cache_creation_tokens: 20 } },
      { cache_creation_input_tokens: 20 },
    ])
      expect(readChatUsage({ ...counted, ...written })).toMatchObject({ input: 80, cacheWrite5m: 20 });
  });

  test.each([{ prompt_cache_hit_tokens: 30, prompt_cache_miss_tokens: 70 }, { cached_tokens: 30 }])(
    "[P27] name what was cached in their own way: %j",
    named => {
      expect(readChatUsage({ ...counted, ...named })).toMatchObject({ input: 70, cacheRead: 30 });
    },
  );

  test("are not counted twice where two names say the same", () => {
    const twice = { prompt_tokens_details: { cached_tokens: 30 }, prompt_cache_hit_tokens: 30 };
    expect(readChatUsage({ ...counted, ...twice })).toMatchObject({ input: 70, cacheRead: 30 });
  });

  test("may count what was thought beside the answer, where their total says so", () => {
    const completion_tokens_details = { reasoning_tokens: 94 };
    const beside = { prompt_tokens: 32, completion_tokens: 9, completion_tokens_details };
    expect(readChatUsage({ ...beside, total_tokens: 135 })).toMatchObject({ output: 103, reasoning: 94 });
    const inside = { prompt_tokens: 32, completion_tokens: 103, completion_tokens_details };
    expect(readChatUsage({ ...inside, total_tokens: 135 })).toMatchObject({ output: 103, reasoning: 94 });
  });
});

describe("what cannot be believed is no report:", () => {
  const hostile = [-1, 1.5, 2 ** 53, 1e30, "12", Number.NaN, Number.POSITIVE_INFINITY, true, [], {}, 10n];
  const good = { prompt_tokens: 10, completion_tokens: 5 };

  for (const value of [...hostile, null, undefined]) {
    test(`${typeof value} ${String(value)} tokens`, () => {
      expect(readChatUsage({ ...good, prompt_tokens: value })).toBeNull();
      expect(readChatUsage({ ...good, completion_tokens: value })).toBeNull();
    });
  }

  for (const value of hostile) {
    test(`${typeof value} ${String(value)} cached or reasoning tokens`, () => {
      expect(readChatUsage({ ...good, prompt_tokens_details: { cached_tokens: value } })).toBeNull();
      expect(readChatUsage({ ...good, prompt_tokens_details: { cache_write_tokens: value } })).toBeNull();
      expect(readChatUsage({ ...good, completion_tokens_details: { reasoning_tokens: value } })).toBeNull();
    });
  }

  test("more cached than there was", () => {
    expect(readChatUsage({ ...good, prompt_tokens_details: { cached_tokens: 11 } })).toBeNull();
    const both = { cached_tokens: 6, cache_write_tokens: 5 };
    expect(readChatUsage({ ...good, prompt_tokens_details: both })).toBeNull();
  });

  test("a count left out: nothing is given away for it", () => {
    expect(readChatUsage({ prompt_tokens: 10 })).toBeNull();
    expect(readChatUsage({ completion_tokens: 10 })).toBeNull();
  });

  for (const value of [undefined, null, 12, "12", true, [], {}, [{ prompt_tokens: 1 }]]) {
    test(`${JSON.stringify(value)} in the place of a report`, () => expect(readChatUsage(value)).toBeNull());
  }
});
