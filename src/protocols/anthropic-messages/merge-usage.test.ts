import { describe, expect, test } from "bun:test";
import { mergedUsage } from "./merge-usage.ts";

const START = { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 };

describe("[P31] usage that is told twice", () => {
  test("is what the later word says, and what only the earlier one does", () => {
    expect(mergedUsage(START, { output_tokens: 30 })).toEqual({ ...START, output_tokens: 30 });
    expect(mergedUsage(START, { ...START, output_tokens: 30 })).toEqual({ ...START, output_tokens: 30 });
    expect(mergedUsage(START, { input_tokens: 7 })).toEqual({ ...START, input_tokens: 7 });
  });

  test("keeps what the later word leaves open", () => {
    expect(mergedUsage(START, { input_tokens: null, output_tokens: 3 })).toEqual({
      ...START,
      output_tokens: 3,
    });
    expect(mergedUsage(START, { input_tokens: 0, output_tokens: 3 })).toEqual({ ...START, output_tokens: 3 });
  });

  test("believes that nothing was read anew where something came from the cache", () => {
    const later = { input_tokens: 0, cache_read_input_tokens: 14, output_tokens: 3 };
    expect(mergedUsage(START, later)).toEqual(later);
  });

  test("may be told only once, or not at all", () => {
    expect(mergedUsage(null, START)).toEqual(START);
    expect(mergedUsage(START, undefined)).toEqual(START);
    expect(mergedUsage(null, { input_tokens: 0, output_tokens: 0 })).toEqual({
      input_tokens: 0,
      output_tokens: 0,
    });
    expect(mergedUsage("5", [1])).toEqual({});
  });
});
