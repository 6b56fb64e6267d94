import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Prompt } from "../../domain/chat.ts";
import { readResponsesPrompt } from "./read-prompt.ts";

const INPUT = "Hello";
const read = (body: Record<string, unknown>) => readResponsesPrompt({ model: "m", input: INPUT, ...body });

function prompt(body: Record<string, unknown>): Prompt {
  const result = read(body);
  if ("problem" in result) throw new Error(result.problem.problem);
  return result.prompt;
}

function problem(body: Record<string, unknown>): { param: string; problem: string } {
  const result = read(body);
  if ("prompt" in result) throw new Error("no problem");
  return result.problem;
}

describe("a request", () => {
  test("of one text is a prompt that asks for nothing else", () => {
    expect(prompt({})).toEqual({
      model: "m",
      stream: false,
      wantsUsage: true,
      turns: [
        { role: "user", parts: [{ kind: "text", text: "Hello", citations: [], cache: null }], at: "input" },
      ],
      tools: [],
      toolChoice: null,
      parallelTools: null,
      outputTokensMax: null,
      temperature: null,
      topP: null,
      topK: null,
      stops: [],
      format: null,
      reasoning: null,
      verbosity: null,
      user: null,
      seed: null,
      frequencyPenalty: null,
      presencePenalty: null,
      serviceTier: null,
      cache: null,
      cacheKey: null,
    });
  });

  test("[P62] has its settings", () => {
    const asked = prompt({
      stream: true,
      instructions: "Be brief.",
      max_output_tokens: 100,
      temperature: 0,
      top_p: 0.5,
      parallel_tool_calls: false,
      text: { verbosity: "low", format: { type: "json_object" } },
      reasoning: { effort: "high", summary: "auto" },
      safety_identifier: "somebody",
      user: "other",
      prompt_cache_key: "thread-1",
      service_tier: "flex",
    });
    expect(asked).toMatchObject({
      stream: true,
      outputTokensMax: 100,
      temperature: 0,
      topP: 0.5,
      parallelTools: false,
      verbosity: "low",
      format: { kind: "json" },
      reasoning: { effort: "high", budgetTokens: null, shows: true },
      user: "somebody",
      cacheKey: "thread-1",
      serviceTier: "flex",
    });
    expect(asked.turns[0]).toMatchObject({
      role: "system",
      at: "instructions",
      parts: [{ text: "Be brief." }],
    });
  });

  test("[P56] may have fields that nobody here knows, and those that only say where to keep things", () => {
    const extra = {
      store: true,
      include: ["reasoning.encrypted_content"],
      metadata: { a: "b" },
      client_metadata: { session: "s" },
      truncation: "auto",
      context_management: [{ type: "compaction" }],
      stream_options: { include_obfuscation: false },
      background: false,
      top_logprobs: 0,
      previous_response_id: null,
      conversation: null,
      prompt: null,
      tomorrow: { is: "new" },
    };
    expect(prompt(extra)).toEqual(prompt({}));
  });

  test("may leave every setting null", () => {
    const names = [
      "instructions",
      "tools",
      "tool_choice",
      "max_output_tokens",
      "temperature",
      "top_p",
      "text",
    ];
    const more = ["reasoning", "parallel_tool_calls", "user", "service_tier", "prompt_cache_key", "stream"];
    expect(prompt(Object.fromEntries([...names, ...more].map(name => [name, null])))).toEqual(prompt({}));
  });

  test("has a schema for its answer", () => {
    const format = { type: "json_schema", name: "city", schema: { type: "object" }, strict: true };
    expect(prompt({ text: { format } }).format).toEqual({
      kind: "schema",
      name: "city",
      description: null,
      schema: { type: "object" },
      strict: true,
    });
  });

  test.each([
    [{ effort: "low" }, { effort: "low", budgetTokens: null, shows: null }],
    [{ summary: "detailed" }, { effort: null, budgetTokens: null, shows: true }],
    [{ generate_summary: "concise" }, { effort: null, budgetTokens: null, shows: true }],
    [
      { effort: null, summary: null },
      { effort: null, budgetTokens: null, shows: null },
    ],
  ])("asks for reasoning by %j", (reasoning, asked) => {
    expect(prompt({ reasoning }).reasoning).toEqual(asked);
  });
});

test("a turn of Codex is read whole, in the form that its newer models get", () => {
  const run = { type: "custom", name: "exec", description: "Runs.", format: { type: "text" } };
  const log = {
    type: "function",
    name: "log",
    description: "Logs.",
    strict: false,
    parameters: { type: "object" },
  };
  const space = (name: string, tool: object) => ({ type: "namespace", name, description: "", tools: [tool] });
  const said = (role: string, text: string) => ({
    type: "message",
    role,
    content: [{ type: "input_text", text }],
  });
  const tools = [
    space("functions", run),
    space("mcp__git", log),
    { type: "web_search", external_web_access: false },
  ];
  const asked = prompt({
    input: [
      { type: "additional_tools", role: "developer", tools },
      said("developer", "You are Codex."),
      said("user", "<environment_context/>"),
      said("user", "Fix it."),
      { type: "reasoning", summary: [], encrypted_content: "gAAA" },
      { type: "custom_tool_call", call_id: "call_1", name: "exec", input: "ls", status: "completed" },
      { type: "function_call", call_id: "call_2", name: "log", namespace: "mcp__git", arguments: "{}" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "a b" },
      { type: "function_call_output", call_id: "call_2", output: "c d" },
    ],
    tool_choice: "auto",
    parallel_tool_calls: false,
    reasoning: { effort: "medium", summary: "auto", context: "all_turns" },
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "thread",
    client_metadata: { "x-codex": "1" },
    text: { verbosity: "low" },
  });
  expect(asked.turns.map(({ role, parts }) => [role, ...parts.map(part => part.kind)])).toEqual([
    ["developer", "text"],
    ["user", "text"],
    ["user", "text"],
    ["assistant", "reasoning", "tool-call", "tool-call"],
    ["user", "tool-result", "tool-result"],
  ]);
  expect(asked.tools).toMatchObject([
    { kind: "custom", name: "exec" },
    { kind: "function", name: "log", namespace: "mcp__git" },
    { kind: "hosted", type: "web_search" },
  ]);
});

describe("a request is refused", () => {
  test("[P40] that goes on from a response which is not kept here", () => {
    expect(problem({ previous_response_id: "resp_1" })).toEqual({
      param: "previous_response_id",
      problem:
        "“previous_response_id” names a response that is not kept here; send the whole conversation in “input” instead",
    });
  });

  test.each([
    ["conversation", { conversation: "conv_1" }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
    ["background", { background: true }],
    ["top_logprobs", { top_logprobs: 3 }],
    ["input", { input: undefined }],
    ["input", { input: null }],
    ["input", { input: "" }],
    ["input", { input: [] }],
    ["input", { input: [{ role: "user", content: "" }] }],
    ["input", { input: 7 }],
    ["instructions", { instructions: ["Be brief."] }],
    ["tools", { tools: {} }],
    ["reasoning", { reasoning: "high" }],
    ["reasoning.effort", { reasoning: { effort: 3 } }],
    ["text.format.type", { text: { format: { type: "xml" } } }],
    ["text.format.schema", { text: { format: { type: "json_schema", name: "a" } } }],
  ])("for “%s”, by its name: %j", (param, body) => {
    const found = problem(body);
    expect(found.param).toBe(param);
    expect(found.problem).toStartWith(`“${param}” `);
    expect(found.problem).not.toEndWith(".");
  });

  test.each([
    ["max_output_tokens", [0, -1, 1.5, "100", 1e12]],
    ["temperature", [-0.1, 2.1, "1"]],
    ["top_p", [-1, 1.5, true]],
  ])("[P51] for “%s” out of range", (param, values) => {
    for (const value of values) expect(problem({ [param]: value }).param).toBe(param);
  });

  test("for the first thing that is wrong with it", () => {
    expect(problem({ input: [], temperature: 9 }).param).toBe("input");
  });
});

test("nothing that a client may send breaks the reader", () => {
  const words = fc.constantFrom(
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "additional_tools",
    "namespace",
    "input_text",
    "input_image",
    "input_file",
    "user",
    "a",
  );
  const anything = fc.letrec(tie => ({
    value: fc.oneof({ depthSize: "small" }, fc.jsonValue({ maxDepth: 1 }), words, tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 3 }),
    object: fc.dictionary(
      fc.constantFrom(
        "type",
        "role",
        "content",
        "tools",
        "name",
        "call_id",
        "output",
        "text",
        "format",
        "schema",
      ),
      tie("value"),
      { maxKeys: 5, noNullPrototype: true },
    ),
  })).value;
  const names = ["input", "tools", "tool_choice", "text", "reasoning", "instructions", "temperature"];
  fc.assert(
    fc.property(fc.record(Object.fromEntries(names.map(name => [name, anything]))), body => {
      const result = readResponsesPrompt({ model: "m", ...body });
      if ("problem" in result) expect(result.problem.problem).toStartWith(`“${result.problem.param}” `);
    }),
    { numRuns: 300 },
  );
});
