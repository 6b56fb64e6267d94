import { describe, expect, test } from "bun:test";
import { promptOf } from "./codec.case.ts";

describe("tools", () => {
  test("of the client are functions, with what the client said of them", () => {
    const schema = { type: "object", properties: { cache_control: { type: "string" } } };
    const tool = {
      name: "look",
      description: "Looks.",
      input_schema: schema,
      strict: true,
      defer_loading: true,
      input_examples: [],
      cache_control: { type: "ephemeral" },
    };
    expect(
      promptOf({ tools: [tool, { type: "custom", name: "go", input_schema: { type: "object" } }] }).tools,
    ).toEqual([
      {
        kind: "function",
        name: "look",
        description: "Looks.",
        schema,
        strict: true,
        namespace: null,
        cache: { ttl: null },
      },
      {
        kind: "function",
        name: "go",
        description: null,
        schema: { type: "object" },
        strict: null,
        namespace: null,
        cache: null,
      },
    ]);
  });

  test.each(["web_search_20250305", "bash_20250124", "text_editor_20250728", "computer_toolset_20260801"])(
    "of the type %s are hosted",
    type => {
      const [tool] = promptOf({ tools: [{ type, name: "n", max_uses: 3 }] }).tools;
      expect(tool).toEqual({ kind: "hosted", type, name: "n" });
    },
  );
});

describe("[P58] the choice of tools", () => {
  test.each([
    [{ type: "auto" }, { kind: "auto" }],
    [{ type: "any" }, { kind: "required" }],
    [{ type: "none" }, { kind: "none" }],
    [
      { type: "tool", name: "look" },
      { kind: "named", name: "look" },
    ],
  ])("%j", (tool_choice, toolChoice) => {
    expect(promptOf({ tool_choice })).toMatchObject({ toolChoice, parallelTools: null });
    const alone = { ...tool_choice, disable_parallel_tool_use: true };
    expect(promptOf({ tool_choice: alone })).toMatchObject({ toolChoice, parallelTools: false });
    const together = { ...tool_choice, disable_parallel_tool_use: false };
    expect(promptOf({ tool_choice: together })).toMatchObject({ parallelTools: true });
  });
});
