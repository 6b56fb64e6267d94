import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_RECORDINGS, recordings } from "../tap.case.ts";
import { readResponsesUsage } from "./read-usage.ts";
import { writeResponsesUsage } from "./write-usage.ts";

const good = { input_tokens: 100, output_tokens: 50 };

describe("a report of usage", () => {
  test("[P27] counts what was cached inside the input, and is read apart", () => {
    const usage = {
      ...good,
      input_tokens_details: { cached_tokens: 70, cache_write_tokens: 10 },
      output_tokens_details: { reasoning_tokens: 30 },
      total_tokens: 150,
    };
    expect(readResponsesUsage(usage)).toEqual({
      input: 20,
      cacheRead: 70,
      cacheWrite5m: 10,
      cacheWrite1h: 0,
      output: 50,
      reasoning: 30,
    });
  });

  test("tells what is kept for long from what is kept for a while", () => {
    const details = {
      cache_write_tokens: 10,
      cache_write_tokens_details: { ttl_30m_tokens: 4, ttl_12h_tokens: 6 },
    };
    const read = readResponsesUsage({ ...good, input_tokens_details: details });
    expect(read).toMatchObject({ input: 90, cacheWrite5m: 4, cacheWrite1h: 6 });
  });

  test.each([
    [{}],
    [{ input_tokens_details: null, output_tokens_details: null }],
    [{ input_tokens_details: { cached_tokens: null }, output_tokens_details: {} }],
  ])("may leave its details out: %j", details => {
    const read = readResponsesUsage({ ...good, ...details });
    expect(read).toMatchObject({ input: 100, cacheRead: 0, output: 50, reasoning: 0 });
  });

  const whole = recordings("responses", ".json");
  test.skipIf(whole.length === 0)(
    whole.length === 0 ? NO_RECORDINGS : "of OpenAI is read from every recorded answer that has one",
    () => {
      const read = whole.flatMap(({ text }) => readResponsesUsage(JSON.parse(text).usage) ?? []);
      expect(read.length).toBeGreaterThan(3);
      for (const usage of read) expect(usage.input + usage.cacheRead).toBeGreaterThan(0);
    },
  );
});

describe("what cannot be believed is no report:", () => {
  const hostile = [-1, 1.5, 2 ** 53, 1e30, "12", Number.NaN, Number.POSITIVE_INFINITY, true, [], {}, 10n];

  for (const value of [...hostile, null, undefined]) {
    test(`${typeof value} ${String(value)} tokens`, () => {
      expect(readResponsesUsage({ ...good, input_tokens: value })).toBeNull();
      expect(readResponsesUsage({ ...good, output_tokens: value })).toBeNull();
    });
  }

  for (const value of hostile) {
    test(`${typeof value} ${String(value)} cached, written or reasoning tokens`, () => {
      expect(readResponsesUsage({ ...good, input_tokens_details: { cached_tokens: value } })).toBeNull();
      expect(readResponsesUsage({ ...good, input_tokens_details: { cache_write_tokens: value } })).toBeNull();
      expect(readResponsesUsage({ ...good, output_tokens_details: { reasoning_tokens: value } })).toBeNull();
    });
  }

  test("more cached, or written, than there was", () => {
    const details = { cached_tokens: 60, cache_write_tokens: 41 };
    expect(readResponsesUsage({ ...good, input_tokens_details: details })).toBeNull();
    const long = { cache_write_tokens: 1, cache_write_tokens_details: { ttl_12h_tokens: 2 } };
    expect(readResponsesUsage({ ...good, input_tokens_details: long })).toBeNull();
  });

  for (const value of [undefined, null, 12, "12", true, [], {}]) {
    test(`${JSON.stringify(value)} in the place of a report`, () =>
      expect(readResponsesUsage(value)).toBeNull());
  }
});

test("[P27] what is written is read again as it was, all that was written to a cache as one", () => {
  const count = fc.nat({ max: 1_000_000 });
  fc.assert(
    fc.property(count, count, count, count, (input, cacheRead, written, output) => {
      const usage = { input, cacheRead, cacheWrite5m: 0, cacheWrite1h: written, output, reasoning: 0 };
      const wire = writeResponsesUsage(usage);
      expect(wire.input_tokens).toBe(input + cacheRead + written);
      expect(wire.total_tokens).toBe(wire.input_tokens + wire.output_tokens);
      expect(readResponsesUsage(wire)).toEqual({ ...usage, cacheWrite5m: written, cacheWrite1h: 0 });
    }),
  );
});
