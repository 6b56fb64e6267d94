import { describe, expect, test } from "bun:test";
import { effortFor, limitField, takesCacheMarks, wantsThoughtSignature } from "./model-traits.ts";

const asked = (effort: string | null, budgetTokens: number | null = null) => ({
  effort,
  budgetTokens,
  shows: null,
});

describe("the name of a model tells", () => {
  test("[P51] the name of its limit", () => {
    const field = (model: string) => limitField({ model, kind: "openai-compatible" });
    for (const model of [
      "o1",
      "o3-mini",
      "openai/o4-mini",
      "gpt-5",
      "gpt-5.2-codex",
      "openai/gpt-6",
      "gpt-10",
    ])
      expect(field(model)).toBe("max_completion_tokens");
    for (const model of [
      "gpt-4o",
      "gpt-35-turbo",
      "gpt-oss-120b",
      "llama-3",
      "olmo-2",
      "claude-opus-5",
      "grok-4",
    ])
      expect(field(model)).toBe("max_tokens");
    expect(limitField({ model: "gpt-4o", kind: "openai" })).toBe("max_completion_tokens");
    expect(limitField({ model: "my-deployment", kind: "azure-openai" })).toBe("max_completion_tokens");
  });

  test("whether it takes cache marks, and wants signatures", () => {
    expect(takesCacheMarks("anthropic/claude-sonnet-5")).toBe(true);
    expect(takesCacheMarks("gpt-5")).toBe(false);
    expect(wantsThoughtSignature("google/gemini-3-pro")).toBe(true);
    expect(wantsThoughtSignature("gemini-2.5-flash")).toBe(false);
  });

  test.each([
    ["m", "none", "none"],
    ["m", "minimal", "minimal"],
    ["m", "high", "high"],
    ["m", "xhigh", "xhigh"],
    ["m", "max", "xhigh"],
    ["o3", "none", "low"],
    ["o3", "max", "high"],
    ["gpt-5-mini", "none", "minimal"],
    ["gpt-5-mini", "max", "high"],
    ["gpt-5.2", "none", "none"],
    ["gpt-4o", "high", null],
    ["meta-llama/Llama-4", "high", null],
  ])("how to ask %s for %s", (model, effort, told) => {
    expect(effortFor(model, asked(effort))).toBe(told);
  });

  test("[P25] how hard a budget of tokens is, however small", () => {
    const efforts = [1, 1023, 4096, 4097, 16_384, 31_999].map(budget => effortFor("m", asked(null, budget)));
    expect(efforts).toEqual(["low", "low", "low", "medium", "medium", "high"]);
    expect(effortFor("m", asked("max", 100))).toBe("xhigh");
    expect(effortFor("m", asked(null))).toBeNull();
  });
});
