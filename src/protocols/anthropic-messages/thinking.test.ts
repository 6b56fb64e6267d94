import { describe, expect, test } from "bun:test";
import type { Prompt, ReasoningAsk, Tool } from "../../domain/chat.ts";
import { PROMPT } from "../prompt.case.ts";
import { CLAUDE, call, NEW_CLAUDE, result, text, thought, turns, written } from "./codec.case.ts";

const effort = (name: string): ReasoningAsk => ({ effort: name, budgetTokens: null, shows: null });
const budget = (budgetTokens: number): ReasoningAsk => ({ effort: null, budgetTokens, shows: null });
const model = (name: string) => ({ ...CLAUDE, model: name });
const LOOK: Tool = {
  kind: "function",
  name: "look",
  description: null,
  schema: null,
  strict: null,
  namespace: null,
  cache: null,
};

function plan(fields: Partial<Prompt>, target = CLAUDE) {
  const { thinking, output_config } = written({ ...PROMPT, outputTokensMax: 64_000, ...fields }, target);
  return { thinking, output_config };
}
const NOTHING = { thinking: undefined, output_config: undefined };

describe("a model that thinks by a budget", () => {
  test.each([
    ["minimal", 1_024],
    ["low", 2_048],
    ["medium", 8_192],
    ["high", 16_384],
    ["xhigh", 32_000],
    ["max", 32_000],
  ])("gets one for the effort %s", (name, budget_tokens) => {
    const { thinking, output_config } = plan({ reasoning: effort(name) });
    expect(thinking).toEqual({ type: "enabled", budget_tokens });
    expect(output_config).toBeUndefined();
  });

  test("gets a budget below its limit, and never a limit above what was granted", () => {
    expect(plan({ reasoning: budget(10_000), outputTokensMax: 5_000 }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 4_999,
    });
    expect(plan({ reasoning: effort("high"), outputTokensMax: 6_000 }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 3_000,
    });
    expect(plan({ reasoning: effort("high"), outputTokensMax: 1_025 }).thinking).toEqual({
      type: "enabled",
      budget_tokens: 1_024,
    });
  });

  test("[P25] does not think where there is no room for the least of it", () => {
    expect(plan({ reasoning: effort("high"), outputTokensMax: 1_024 })).toEqual(NOTHING);
    expect(plan({ reasoning: budget(500) })).toEqual(NOTHING);
  });

  test("is not asked to think where nobody asked for it", () => {
    expect(plan({})).toEqual(NOTHING);
    expect(plan({ reasoning: effort("none") })).toEqual(NOTHING);
    expect(plan({ reasoning: { effort: null, budgetTokens: null, shows: true } })).toEqual(NOTHING);
  });

  test("[P21] does not think in the middle of using tools, if its last thought is not here", () => {
    const said = (...first: Parameters<typeof turns>[0][1][]) =>
      turns(["user", text("a")], ["assistant", ...first, call("toolu_1")], ["user", result("toolu_1", "b")]);
    expect(plan({ reasoning: effort("low"), turns: said() })).toEqual(NOTHING);
    expect(plan({ reasoning: effort("low"), turns: said(thought("t", "S")) }).thinking).toBeDefined();
    const later = [...said(), ...turns(["assistant", text("c")], ["user", text("d")])];
    expect(plan({ reasoning: effort("low"), turns: later }).thinking).toBeDefined();
  });

  test("[P21] goes on where what it thought before the first of its calls is here", () => {
    const loop = (...first: ReturnType<typeof thought>[]) =>
      turns(
        ["user", text("a")],
        ["assistant", ...first, call("toolu_1")],
        ["user", result("toolu_1", "b")],
        ["assistant", call("toolu_2")],
        ["user", result("toolu_2", "c")],
      );
    expect(plan({ reasoning: effort("low"), turns: loop(thought("t", "S")) }).thinking).toBeDefined();
    expect(plan({ reasoning: effort("low"), turns: loop() })).toEqual(NOTHING);
  });

  test("hides its thoughts where it is asked to", () => {
    const reasoning = { effort: "low", budgetTokens: null, shows: false };
    expect(plan({ reasoning }).thinking).toMatchObject({ display: "omitted" });
    expect(plan({ reasoning }, model("kimi-k2")).thinking).toEqual({ type: "enabled", budget_tokens: 2_048 });
  });
});

describe("a model that thinks as it sees fit", () => {
  test.each([
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "xhigh"],
    ["max", "max"],
  ])("gets the effort %s as %s", (name, written) => {
    expect(plan({ reasoning: effort(name) }, NEW_CLAUDE)).toEqual({
      thinking: { type: "adaptive" },
      output_config: { effort: written },
    });
  });

  test("gets no effort that it does not know", () => {
    expect(plan({ reasoning: effort("xhigh") }, model("claude-opus-4-6")).output_config).toEqual({
      effort: "high",
    });
    expect(plan({ reasoning: effort("ultra") }, NEW_CLAUDE).output_config).toBeUndefined();
  });

  test.each([
    [500, "low"],
    [8_000, "medium"],
    [30_000, "high"],
  ])("gets a budget of %p as the effort %s", (tokens, name) => {
    expect(plan({ reasoning: budget(tokens) }, NEW_CLAUDE).output_config).toEqual({ effort: name });
  });

  test("tells or hides its thoughts as it is asked to", () => {
    const reasoning = { effort: null, budgetTokens: null, shows: true };
    expect(plan({ reasoning }, NEW_CLAUDE)).toEqual({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: undefined,
    });
    expect(plan({ reasoning: { ...reasoning, shows: false } }, NEW_CLAUDE).thinking).toMatchObject({
      display: "omitted",
    });
  });

  test("stops thinking where it can, and thinks little where it cannot", () => {
    expect(plan({ reasoning: effort("none") }, model("claude-sonnet-4-6")).thinking).toEqual({
      type: "disabled",
    });
    for (const name of ["claude-opus-5-5", "claude-fable-5", "claude-mythos-preview"])
      expect(plan({ reasoning: effort("none") }, model(name))).toEqual({
        thinking: undefined,
        output_config: { effort: "low" },
      });
  });

  test("[P21] goes on thinking between tools without its earlier thoughts", () => {
    const said = turns(["user", text("a")], ["assistant", call("toolu_1")], ["user", result("toolu_1", "b")]);
    expect(plan({ reasoning: effort("low"), turns: said }, NEW_CLAUDE).thinking).toEqual({
      type: "adaptive",
    });
  });
});

describe.each(["claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-5-5"])("%s does not think", name => {
  const isOff = (fields: Partial<Prompt>) => {
    const { thinking } = plan({ reasoning: effort("low"), ...fields }, model(name));
    return thinking === undefined || thinking["type"] === "disabled";
  };

  test("where it has to call a tool", () => {
    expect(isOff({ tools: [LOOK], toolChoice: { kind: "required" } })).toBe(true);
    expect(isOff({ tools: [LOOK], toolChoice: { kind: "named", name: "look" } })).toBe(true);
    expect(isOff({ tools: [LOOK], toolChoice: { kind: "auto" } })).toBe(false);
  });

  test("where its answer was begun", () => {
    expect(isOff({ turns: turns(["user", text("a")], ["assistant", text("b")]) })).toBe(true);
  });
});

test("a model that cannot think is not asked to", () => {
  expect(plan({ reasoning: effort("high") }, model("claude-3-5-sonnet-20241022"))).toEqual(NOTHING);
});
