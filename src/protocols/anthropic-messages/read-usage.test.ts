import { describe, expect, test } from "bun:test";
import { NO_RECORDINGS, recordings } from "../tap.case.ts";
import { readMessagesUsage } from "./read-usage.ts";

const NONE = { cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 };

describe("a report of usage", () => {
  test("[P27] counts what was cached apart from the input, and is read as it stands", () => {
    const usage = {
      input_tokens: 20,
      cache_read_input_tokens: 80,
      cache_creation_input_tokens: 70,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 40 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 35 },
    };
    expect(readMessagesUsage(usage)).toEqual({
      input: 20,
      cacheRead: 80,
      cacheWrite5m: 30,
      cacheWrite1h: 40,
      output: 50,
      reasoning: 35,
    });
  });

  test("without a split of what was written to the cache means the default time", () => {
    const usage = { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 9 };
    expect(readMessagesUsage(usage)).toEqual({ ...NONE, input: 1, output: 2, cacheWrite5m: 9 });
    const partly = { ...usage, cache_creation: { ephemeral_1h_input_tokens: 4 } };
    expect(readMessagesUsage(partly)).toMatchObject({ cacheWrite5m: 5, cacheWrite1h: 4 });
  });

  test.each([
    [{}],
    [{ cache_read_input_tokens: null, cache_creation_input_tokens: null, cache_creation: null }],
    [{ output_tokens_details: null, service_tier: "standard", server_tool_use: null }],
  ])("may leave the rest out: %j", rest => {
    expect(readMessagesUsage({ input_tokens: 7, output_tokens: 3, ...rest })).toEqual({
      ...NONE,
      input: 7,
      output: 3,
    });
  });

  const whole = recordings("messages", ".json");
  if (whole.length === 0) test.skip(NO_RECORDINGS, () => {});
  test.each(whole.map(({ name, text }) => [name, text]))("is read from the recording %s", (_, body) => {
    const { usage } = JSON.parse(body) as { usage: { input_tokens: number; output_tokens: number } };
    const { input_tokens: input, output_tokens: output } = usage;
    expect(readMessagesUsage(usage)).toEqual({ ...NONE, input, output });
  });
});

describe("what cannot be believed is no report:", () => {
  const good = { input_tokens: 10, output_tokens: 5 };
  const hostile = [-1, 1.5, 2 ** 53, 1e30, "12", Number.NaN, Number.POSITIVE_INFINITY, true, [], {}];

  for (const value of hostile) {
    test(`${JSON.stringify(value)} (${typeof value}) in any place`, () => {
      for (const field of [
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
      ])
        expect(readMessagesUsage({ ...good, [field]: value })).toBeNull();
      for (const field of ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"])
        expect(readMessagesUsage({ ...good, cache_creation: { [field]: value } })).toBeNull();
      expect(readMessagesUsage({ ...good, output_tokens_details: { thinking_tokens: value } })).toBeNull();
    });
  }

  for (const value of [
    undefined,
    null,
    12,
    "12",
    true,
    [],
    {},
    [good],
    { input_tokens: 10 },
    { output_tokens: 1 },
  ])
    test(`${JSON.stringify(value)} in the place of a report`, () => {
      expect(readMessagesUsage(value)).toBeNull();
    });
});
