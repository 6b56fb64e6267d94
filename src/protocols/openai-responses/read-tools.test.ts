import { describe, expect, test } from "bun:test";
import type { Prompt } from "../../domain/chat.ts";
import { readResponsesPrompt } from "./read-prompt.ts";

const read = (body: Record<string, unknown>) => readResponsesPrompt({ model: "m", input: "Hi", ...body });

function prompt(body: Record<string, unknown>): Prompt {
  const result = read(body);
  if ("problem" in result) throw new Error(result.problem.problem);
  return result.prompt;
}

function problem(body: Record<string, unknown>): string {
  const result = read(body);
  if ("prompt" in result) throw new Error("no problem");
  expect(result.problem.problem).toStartWith(`“${result.problem.param}” `);
  return result.problem.param;
}

const schema = { type: "object", properties: { a: { type: "string" } } };
const find = { type: "function", name: "find", description: "Finds.", parameters: schema, strict: true };
const patch = { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "x" } };
const readFind = {
  kind: "function",
  name: "find",
  description: "Finds.",
  schema,
  strict: true,
  namespace: null,
  cache: null,
} as const;
const readPatch = {
  kind: "custom",
  name: "patch",
  description: null,
  format: patch.format,
  cache: null,
} as const;

describe("tools", () => {
  test("are functions and custom tools", () => {
    expect(prompt({ tools: [find, patch, { type: "function", name: "bare" }] }).tools).toEqual([
      readFind,
      readPatch,
      { ...readFind, name: "bare", description: null, schema: null, strict: null },
    ]);
  });

  test("in a namespace are functions with it, but for the one that all are in", () => {
    const space = (name: string, ...tools: unknown[]) => ({
      type: "namespace",
      name,
      description: "",
      tools,
    });
    expect(prompt({ tools: [space("mcp__git", find), space("functions", find, patch)] }).tools).toEqual([
      { ...readFind, namespace: "mcp__git" },
      readFind,
      readPatch,
    ]);
  });

  test("may come as an item, as the newer models of Codex have them, and again where they changed", () => {
    const added = { type: "additional_tools", role: "developer", tools: [find, patch] };
    const found = { type: "tool_search_output", call_id: null, tools: [{ ...find, name: "found" }] };
    const again = { ...added, tools: [{ ...find, description: "Finds more." }] };
    const { tools, turns } = prompt({ input: [added, { role: "user", content: "Hi" }, found, again] });
    expect(tools).toEqual([
      { ...readFind, description: "Finds more." },
      readPatch,
      { ...readFind, name: "found" },
    ]);
    expect(turns.flatMap(({ parts }) => parts.map(part => part.kind))).toEqual(["text", "foreign"]);
  });

  test("[P60] that a provider runs are known to be there, and so are those that nobody knows", () => {
    const hosted = [
      "web_search",
      "local_shell",
      "image_generation",
      "computer_use_preview",
      "tool_search",
      "new",
    ];
    const tools = [...hosted.map(type => ({ type })), { type: "mcp", server_label: "git" }];
    expect(prompt({ tools }).tools).toEqual([
      ...hosted.map(type => ({ kind: "hosted" as const, type, name: null })),
      { kind: "hosted", type: "mcp", name: "git" },
    ]);
  });

  test.each([
    ["tools[0]", [7]],
    ["tools[0].type", [{ name: "find" }]],
    ["tools[1].name", [find, { type: "function" }]],
    ["tools[0].tools[0].name", [{ type: "namespace", name: "a", tools: [{ type: "function" }] }]],
  ])("are refused at “%s”: %j", (param, tools) => {
    expect(problem({ tools })).toBe(param);
  });
});

describe("[P58] which of them is to be called", () => {
  const choose = (tool_choice: unknown) => prompt({ tools: [find, patch], tool_choice }).toolChoice;

  test.each(["auto", "none", "required"] as const)("is %s", word => {
    expect(choose(word)).toEqual({ kind: word });
  });

  test("is one by its name", () => {
    expect(choose({ type: "function", name: "find" })).toEqual({ kind: "named", name: "find" });
    expect(choose({ type: "custom", name: "patch" })).toEqual({ kind: "named", name: "patch" });
  });

  test("is any of some, of which those that cannot be called are left out", () => {
    const allowed = (mode: string, ...tools: unknown[]) => ({ type: "allowed_tools", mode, tools });
    expect(choose(allowed("required", find, { type: "web_search" }))).toEqual({
      kind: "allowed",
      mode: "required",
      names: ["find"],
    });
    expect(choose(allowed("auto", { type: "web_search" }))).toEqual({ kind: "none" });
    expect(problem({ tools: [find], tool_choice: allowed("required", { type: "web_search" }) })).toBe(
      "tool_choice.tools",
    );
  });

  test.each([
    ["tool_choice.type", { type: "web_search_preview" }],
    ["tool_choice.name", { type: "function", name: "lost" }],
    ["tool_choice", "any"],
    ["tool_choice", 7],
  ])("is refused at “%s”: %j", (param, tool_choice) => {
    expect(problem({ tools: [find, { type: "web_search_preview" }], tool_choice })).toBe(param);
  });
});
