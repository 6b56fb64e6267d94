import { describe, expect, test } from "bun:test";
import type { Prompt, Tool, Turn } from "../../domain/chat.ts";
import { PROMPT } from "../prompt.case.ts";
import type { Json, PromptTarget } from "../protocol.ts";
import { readResponsesPrompt } from "./read-prompt.ts";
import { writeResponsesPrompt } from "./write-prompt.ts";

const TARGET: PromptTarget = { model: "gpt-5.1", kind: "openai", outputTokensMax: null };

function body(prompt: Partial<Prompt>, target: Partial<PromptTarget> = {}): Json {
  const written = writeResponsesPrompt({ ...PROMPT, ...prompt }, { ...TARGET, ...target });
  if ("problem" in written) throw new Error(written.problem.problem);
  return JSON.parse(JSON.stringify(written.body));
}

const turn = (role: Turn["role"], ...texts: string[]): Turn => ({
  role,
  parts: texts.map(text => ({ kind: "text", text, citations: [], cache: null })),
  at: "messages[0]",
});
const find: Tool = {
  kind: "function",
  name: "find",
  description: "Finds.",
  schema: { type: "object", properties: { a: {} }, required: ["a"] },
  strict: null,
  namespace: null,
  cache: { ttl: null },
};

describe("a prompt", () => {
  test("is a request that keeps nothing and gets the reasoning back sealed", () => {
    expect(body({})).toEqual({
      model: "gpt-5.1",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    expect(body({ stream: true })).toMatchObject({ stream: true });
  });

  test("[P53] [P54] has its first instructions in their own field, and later ones where they stand", () => {
    const turns = [
      turn("system", "Be brief.", "", "Be kind."),
      turn("user", "Hi"),
      turn("system", "Be slow."),
      turn("assistant", "Hello"),
      turn("developer", "Be quick."),
    ];
    const { instructions, input } = body({ turns });
    expect(instructions).toBe("Be brief.\n\nBe kind.");
    expect(input).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be slow." }] },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Hello", annotations: [] }],
      },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be quick." }] },
    ]);
  });

  test("of instructions alone has them as its input, for there has to be one", () => {
    const written = body({ turns: [turn("system", "Say hello.")] });
    expect(written["instructions"]).toBeUndefined();
    expect(written["input"]).toMatchObject([{ role: "developer", content: [{ text: "Say hello." }] }]);
  });

  test("[P62] has its settings, and leaves out what the dialect does not have", () => {
    const written = body({
      outputTokensMax: 100,
      temperature: 0.5,
      topP: 0.9,
      verbosity: "low",
      format: { kind: "schema", name: null, description: null, schema: { type: "object" }, strict: true },
      user: "somebody",
      cacheKey: "thread-1",
      serviceTier: "flex",
      topK: 3,
      seed: 4,
      frequencyPenalty: 1,
      presencePenalty: 1,
      cache: { ttl: null },
    });
    expect(written).toMatchObject({
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      text: {
        verbosity: "low",
        format: { type: "json_schema", name: "answer", schema: { type: "object" }, strict: true },
      },
      safety_identifier: "somebody",
      prompt_cache_key: "thread-1",
      service_tier: "flex",
    });
    expect(JSON.stringify(written)).not.toMatch(/top_k|seed|penalty|cache_control|breakpoint/);
  });

  test("leaves out the defaults, which some models do not take, and words of other dialects", () => {
    const written = body({ temperature: 1, topP: 1, serviceTier: "standard_only", verbosity: "huge" });
    expect(Object.keys(written)).toEqual(["model", "input", "store", "include"]);
  });

  test("[P51] has a limit that OpenAI takes, and the one that was granted", () => {
    expect(body({ outputTokensMax: 1 })).toMatchObject({ max_output_tokens: 16 });
    expect(body({ outputTokensMax: 500 }, { outputTokensMax: 200 })).toMatchObject({
      max_output_tokens: 200,
    });
    expect(body({})).not.toHaveProperty("max_output_tokens");
  });

  test("[P62] names its caller and its cache in 64 letters", () => {
    const long = `user_${"a".repeat(200)}`;
    const { safety_identifier: user, prompt_cache_key: key } = body({ user: long, cacheKey: long });
    expect(user).toHaveLength(64);
    expect(key).toHaveLength(64);
    expect(body({ user: `${long}b` })["safety_identifier"]).not.toBe(user);
    expect(body({ user: "me" }, { kind: "openai-compatible" })).toMatchObject({ user: "me" });
  });

  test("with stop sequences is refused: the answer would go on past them", () => {
    const written = writeResponsesPrompt({ ...PROMPT, stops: ["END"] }, TARGET);
    expect(written).toMatchObject({ problem: { param: "stop", problem: expect.stringContaining("“stop”") } });
  });
});

describe("reasoning", () => {
  const ask = (reasoning: Prompt["reasoning"], model = "gpt-5.1") =>
    body({ reasoning }, { model })["reasoning"];

  test("is asked for by effort, or by a budget", () => {
    expect(ask({ effort: "high", budgetTokens: null, shows: true })).toEqual({
      effort: "high",
      summary: "auto",
    });
    expect(ask({ effort: "xhigh", budgetTokens: 1_024, shows: false })).toEqual({ effort: "xhigh" });
    expect(ask({ effort: null, budgetTokens: null, shows: null })).toBeUndefined();
    for (const [budgetTokens, effort] of [
      [500, "low"],
      [4_096, "low"],
      [10_000, "medium"],
      [31_999, "high"],
    ] as const)
      expect(ask({ effort: null, budgetTokens, shows: null })).toEqual({ effort });
  });

  test("[P25] that is not wanted is as little as the model can", () => {
    const none = { effort: "none", budgetTokens: null, shows: null };
    expect(ask(none)).toEqual({ effort: "none" });
    expect(ask(none, "gpt-5-mini")).toEqual({ effort: "minimal" });
    expect(ask(none, "gpt-5-codex")).toEqual({ effort: "low" });
    expect(ask(none, "o4-mini")).toEqual({ effort: "low" });
  });

  test.each(["gpt-4.1", "gpt-4o-mini", "gpt-5-chat-latest", "gpt-5.1-chat-latest"])(
    "is not spoken of to %s, which refuses a request that does",
    model => {
      const written = body({ reasoning: { effort: "high", budgetTokens: null, shows: true } }, { model });
      expect(written).not.toHaveProperty("reasoning");
      expect(written).not.toHaveProperty("include");
    },
  );
});

describe("tools", () => {
  test("are functions that keep their schema as it is, custom ones with their grammar, and namespaces", () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: x" };
    const tools: Tool[] = [
      find,
      { ...find, name: "log", namespace: "mcp__git", strict: true },
      { kind: "custom", name: "patch", description: null, format, cache: null },
      { ...find, name: "diff", namespace: "mcp__git", description: null },
      { kind: "hosted", type: "web_search_20250305", name: "web_search" },
    ];
    const parameters = { type: "object", properties: { a: {} }, required: ["a"] };
    expect(body({ tools })["tools"]).toEqual([
      { type: "function", name: "find", description: "Finds.", parameters, strict: false },
      {
        type: "namespace",
        name: "mcp__git",
        description: "Tools in the mcp__git namespace.",
        tools: [
          { type: "function", name: "log", description: "Finds.", parameters, strict: true },
          { type: "function", name: "diff", parameters, strict: false },
        ],
      },
      { type: "custom", name: "patch", format },
    ]);
  });

  test("of the chat dialect have their grammar one step further in", () => {
    const grammar = { syntax: "regex", definition: "a+" };
    const format = { type: "grammar", grammar };
    const tools: Tool[] = [{ kind: "custom", name: "a", description: "A.", format, cache: null }];
    expect(body({ tools })["tools"]).toEqual([
      { type: "custom", name: "a", description: "A.", format: { type: "grammar", ...grammar } },
    ]);
  });

  test("[P55] have a schema that OpenAI takes, and no mark for the cache in it", () => {
    const parameters = (schema: unknown) => body({ tools: [{ ...find, schema }] })["tools"];
    const empty = { type: "object", properties: {} };
    for (const schema of [null, {}, { type: "object" }])
      expect(parameters(schema)).toMatchObject([{ parameters: empty }]);
    expect(JSON.stringify(parameters(null))).not.toContain("cache");
  });

  test("[P58] are chosen, and called one at a time", () => {
    const custom: Tool = { kind: "custom", name: "patch", description: null, format: null, cache: null };
    const chosen = (toolChoice: Prompt["toolChoice"]) =>
      body({ tools: [find, custom], toolChoice })["tool_choice"];
    for (const kind of ["auto", "none", "required"] as const) expect(chosen({ kind })).toBe(kind);
    expect(chosen({ kind: "named", name: "find" })).toEqual({ type: "function", name: "find" });
    expect(chosen({ kind: "named", name: "patch" })).toEqual({ type: "custom", name: "patch" });
    expect(chosen({ kind: "allowed", mode: "required", names: ["find", "patch"] })).toEqual({
      type: "allowed_tools",
      mode: "required",
      tools: [
        { type: "function", name: "find" },
        { type: "custom", name: "patch" },
      ],
    });
    expect(body({ tools: [find], parallelTools: false })).toMatchObject({ parallel_tool_calls: false });
  });

  test("that are all left out are not chosen among", () => {
    const tools: Tool[] = [{ kind: "hosted", type: "web_search", name: null }];
    const written = body({ tools, toolChoice: { kind: "required" }, parallelTools: true });
    expect(Object.keys(written)).toEqual(["model", "input", "store", "include"]);
  });
});

test("what is written is read again as the prompt that it was", () => {
  const prompt: Prompt = {
    ...PROMPT,
    model: "gpt-5.1",
    stream: true,
    turns: [
      { ...turn("system", "Be brief."), at: "instructions" },
      { ...turn("user", "Find it."), at: "input[0]" },
      {
        role: "assistant",
        at: "input[1]",
        parts: [
          {
            kind: "reasoning",
            text: "Hm.",
            seal: { origin: "responses", kind: "ciphertext", value: "gAAA", id: null },
          },
          { kind: "text", text: "Well.", citations: [], cache: null },
          {
            kind: "tool-call",
            id: "call_1",
            name: "find",
            input: '{"a":1}',
            tool: "function",
            namespace: "mcp__git",
            cache: null,
          },
        ],
      },
      {
        role: "user",
        at: "input[4]",
        parts: [
          {
            kind: "tool-result",
            id: "call_1",
            parts: [
              { kind: "text", text: "Look:", citations: [], cache: null },
              {
                kind: "image",
                source: { kind: "data", mediaType: "image/png", data: "iVBORw0K" },
                detail: "high",
                cache: null,
              },
            ],
            isError: false,
            cache: null,
          },
        ],
      },
    ],
    tools: [{ ...find, namespace: "mcp__git", strict: false, cache: null }],
    toolChoice: { kind: "required" },
    parallelTools: true,
    outputTokensMax: 100,
    temperature: 0.5,
    format: { kind: "json" },
    verbosity: "low",
    reasoning: { effort: "low", budgetTokens: null, shows: true },
    user: "somebody",
    cacheKey: "thread-1",
  };
  expect(readResponsesPrompt(body(prompt))).toEqual({ prompt });
});
