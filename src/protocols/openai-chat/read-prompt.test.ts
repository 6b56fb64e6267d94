import { describe, expect, test } from "bun:test";
import { HELLO, problemOf, promptOf } from "./chat-codec.case.ts";
import { readChatPrompt } from "./read-prompt.ts";

describe("the settings of a request", () => {
  test("are all read", () => {
    const prompt = promptOf({
      model: "gpt",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: ["a", "b"],
      verbosity: "low",
      user: "u",
      seed: 7,
      frequency_penalty: -1,
      presence_penalty: 2,
      service_tier: "flex",
      prompt_cache_key: "k",
      parallel_tool_calls: false,
      cache_control: { type: "ephemeral", ttl: "1h" },
    });
    expect(prompt).toEqual({
      model: "gpt",
      stream: true,
      wantsUsage: true,
      turns: [
        {
          role: "user",
          parts: [{ kind: "text", text: "Hello", citations: [], cache: null }],
          at: "messages[0]",
        },
      ],
      tools: [],
      toolChoice: null,
      parallelTools: false,
      outputTokensMax: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      stops: ["a", "b"],
      format: null,
      reasoning: null,
      verbosity: "low",
      user: "u",
      seed: 7,
      frequencyPenalty: -1,
      presencePenalty: 2,
      serviceTier: "flex",
      cache: { ttl: "1h" },
      cacheKey: "k",
    });
  });

  test("may be null, which is to say nothing", () => {
    const names = ["max_tokens", "temperature", "top_p", "stop", "tools", "tool_choice", "response_format"];
    const more = ["n", "logprobs", "logit_bias", "modalities", "seed", "user", "reasoning_effort", "stream"];
    const nulls = Object.fromEntries([...names, ...more].map(name => [name, null]));
    expect(promptOf(nulls)).toEqual(promptOf({}));
  });

  test("[P62] stop may be a text, and who asks may be told under its new name", () => {
    expect(promptOf({ stop: "END" }).stops).toEqual(["END"]);
    expect(promptOf({ stop: "" }).stops).toEqual([]);
    expect(promptOf({ safety_identifier: "s", user: "u" }).user).toBe("s");
  });

  test("[P51] the limit has two names, which must agree", () => {
    expect(promptOf({ max_tokens: 5 }).outputTokensMax).toBe(5);
    expect(promptOf({ max_tokens: 5, max_completion_tokens: 5 }).outputTokensMax).toBe(5);
    expect(problemOf({ max_tokens: 5, max_completion_tokens: 6 })).toEqual({
      param: "max_tokens",
      problem: "“max_tokens” and “max_completion_tokens” differ: give one of them",
    });
  });

  test.each([
    [{ reasoning_effort: "high" }, { effort: "high", budgetTokens: null, shows: null }],
    [{ reasoning: { effort: "low" } }, { effort: "low", budgetTokens: null, shows: null }],
    [{ reasoning: { max_tokens: 2000 } }, { effort: null, budgetTokens: 2000, shows: null }],
    [{ reasoning: { enabled: true } }, { effort: "medium", budgetTokens: null, shows: null }],
    [{ reasoning: { enabled: false } }, { effort: "none", budgetTokens: null, shows: null }],
    [
      { reasoning: { enabled: true, effort: "xhigh", exclude: true } },
      { effort: "xhigh", budgetTokens: null, shows: false },
    ],
    [{ reasoning: { enabled: true, max_tokens: 9 } }, { effort: null, budgetTokens: 9, shows: null }],
  ])("reasoning is asked for in several ways: %j", (body, reasoning) => {
    expect(promptOf(body).reasoning).toEqual(reasoning);
  });

  test.each([
    [{ type: "text" }, { kind: "text" }],
    [{ type: "json_object" }, { kind: "json" }],
    [
      { type: "json_schema", json_schema: { name: "n", schema: { type: "object" }, strict: true } },
      { kind: "schema", name: "n", description: null, schema: { type: "object" }, strict: true },
    ],
  ])("the format of the answer: %j", (response_format, format) => {
    expect(promptOf({ response_format }).format).toEqual(format as never);
  });

  test("[P56] fields that nobody knows are no fault, and go nowhere", () => {
    const body = {
      store: true,
      metadata: { a: "b" },
      prediction: {},
      web_search_options: {},
      thinking: 1,
      xyz: [],
    };
    expect(promptOf(body)).toEqual(promptOf({}));
  });
});

describe("tools", () => {
  const look = { name: "look", description: "Looks.", parameters: { type: "object" }, strict: true };

  test("are functions and custom tools, with their cache marks", () => {
    const grammar = { type: "grammar", grammar: { syntax: "lark", definition: "start: X" } };
    const { tools } = promptOf({
      tools: [
        { type: "function", function: look, cache_control: { type: "ephemeral" } },
        { type: "function", function: { name: "bare" } },
        { type: "custom", custom: { name: "patch", format: grammar } },
        { type: "web_search_preview" },
      ],
    });
    const bare = {
      kind: "function",
      description: null,
      schema: null,
      strict: null,
      namespace: null,
      cache: null,
    };
    expect(tools).toEqual([
      {
        kind: "function",
        name: "look",
        description: "Looks.",
        schema: { type: "object" },
        strict: true,
        namespace: null,
        cache: { ttl: null },
      },
      { ...bare, name: "bare" },
      {
        kind: "custom",
        name: "patch",
        description: null,
        format: { type: "grammar", syntax: "lark", definition: "start: X" },
        cache: null,
      },
      { kind: "hosted", type: "web_search_preview", name: null },
    ] as never);
  });

  test("of the time before tools are tools", () => {
    const { tools, toolChoice } = promptOf({ functions: [look], function_call: { name: "look" } });
    expect(tools).toMatchObject([{ kind: "function", name: "look" }]);
    expect(toolChoice).toEqual({ kind: "named", name: "look" });
    expect(problemOf({ functions: [{}] })?.param).toBe("functions[0].name");
  });

  test.each([
    ["auto", { kind: "auto" }],
    ["none", { kind: "none" }],
    ["required", { kind: "required" }],
    ["any", { kind: "required" }],
    [
      { type: "function", function: { name: "f" } },
      { kind: "named", name: "f" },
    ],
    [
      { type: "custom", custom: { name: "c" } },
      { kind: "named", name: "c" },
    ],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
      },
      { kind: "allowed", mode: "required", names: ["f"] },
    ],
  ])("[P58] the choice among them: %j", (tool_choice, choice) => {
    expect(promptOf({ tool_choice }).toolChoice).toEqual(choice as never);
  });
});

describe("what is wrong is a problem that names the field:", () => {
  test.each([
    [{ model: 3 }, "model"],
    [{ messages: undefined }, "messages"],
    [{ messages: {} }, "messages"],
    [{ messages: [] }, "messages"],
    [{ messages: [1] }, "messages[0]"],
    [{ messages: [{ role: "robot", content: "x" }] }, "messages[0].role"],
    [{ messages: [HELLO, { content: "x" }] }, "messages[1].role"],
    [{ messages: [{ role: "user" }] }, "messages[0]"],
    [{ messages: [{ role: "user", content: [] }] }, "messages[0]"],
    [{ messages: [{ role: "system", content: null }] }, "messages[0]"],
    [{ messages: [{ role: "assistant", content: null }] }, "messages[0]"],
    [{ messages: [{ role: "assistant", tool_calls: [] }] }, "messages[0]"],
    [{ messages: [{ role: "user", content: 5 }] }, "messages[0].content"],
    [{ messages: [{ role: "user", content: ["x"] }] }, "messages[0].content[0]"],
    [{ messages: [{ role: "user", content: [{ type: "video_url" }] }] }, "messages[0].content[0].type"],
    [{ messages: [{ role: "system", content: [{ type: "image_url" }] }] }, "messages[0].content[0].type"],
    [{ messages: [{ role: "user", content: [{ type: "text" }] }] }, "messages[0].content[0].text"],
    [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc" } }] }] },
      "messages[0].content[0].image_url.url",
    ],
    [{ messages: [{ role: "user", content: [{ type: "file", file: {} }] }] }, "messages[0].content[0].file"],
    [
      { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "x" } }] }] },
      "messages[0].content[0].input_audio",
    ],
    [{ tools: {} }, "tools"],
    [{ tools: [{ type: "function", function: {} }] }, "tools[0].function.name"],
    [{ tools: [{ type: "custom", custom: {} }] }, "tools[0].custom.name"],
    [{ tools: [{}] }, "tools[0].type"],
    [
      { tools: [{ type: "function", function: { name: "f", parameters: 1 } }] },
      "tools[0].function.parameters",
    ],
    [{ tool_choice: "maybe" }, "tool_choice"],
    [{ tool_choice: { type: "allowed_tools" } }, "tool_choice.allowed_tools"],
    [{ response_format: { type: "xml" } }, "response_format.type"],
    [{ response_format: { type: "json_schema" } }, "response_format.json_schema.schema"],
    [{ reasoning_effort: "colossal" }, "reasoning_effort"],
    [{ reasoning: { effort: "colossal" } }, "reasoning.effort"],
    [{ reasoning: { max_tokens: 0 } }, "reasoning.max_tokens"],
    [{ stop: [1] }, "stop"],
    [{ seed: 1.5 }, "seed"],
    [{ temperature: 2.1 }, "temperature"],
    [{ temperature: Number.NaN }, "temperature"],
    [{ temperature: "1" }, "temperature"],
    [{ top_p: -0.1 }, "top_p"],
    [{ top_p: Number.POSITIVE_INFINITY }, "top_p"],
    [{ frequency_penalty: -3 }, "frequency_penalty"],
    [{ presence_penalty: 3 }, "presence_penalty"],
  ])("%j", (body, param) => {
    const problem = problemOf(body);
    expect(problem?.param).toBe(param);
    expect(problem?.problem).toStartWith(`“${param}” `);
    expect(problem?.problem).not.toEndWith(".");
  });

  test.each([0, -1, 1.5, "5", 1e12])("[P51] a limit of %j tokens", limit => {
    expect(problemOf({ max_tokens: limit })?.param).toBe("max_tokens");
    expect(problemOf({ max_completion_tokens: limit })?.param).toBe("max_completion_tokens");
  });

  test.each([
    [{ n: 2 }, "n"],
    [{ n: 0 }, "n"],
    [{ logprobs: true }, "logprobs"],
    [{ top_logprobs: 3 }, "top_logprobs"],
    [{ logit_bias: { "50256": -100 } }, "logit_bias"],
    [{ modalities: ["text", "audio"] }, "modalities"],
  ])("[P62] %j, which cannot be had elsewhere", (body, param) => {
    expect(problemOf(body)?.param).toBe(param);
  });

  test.each([{ n: 1 }, { logprobs: false, top_logprobs: 0 }, { logit_bias: {} }, { modalities: ["text"] }])(
    "[P62] %j asks for nothing, and passes",
    body => {
      expect(problemOf(body)).toBeNull();
    },
  );

  test("the first is told, in the order of the request", () => {
    expect(problemOf({ messages: [{ role: "robot" }], temperature: 9, n: 4 })?.param).toBe(
      "messages[0].role",
    );
  });

  test("whatever stands where something else should", () => {
    const odd: unknown[] = [
      null,
      0,
      "",
      "x",
      true,
      [],
      [[]],
      {},
      { a: null },
      [null],
      [{}],
      [{ role: "tool" }],
    ];
    const fields = ["model", "messages", "tools", "tool_choice", "functions", "function_call", "reasoning"];
    const more = ["stop", "response_format", "stream_options", "cache_control", "modalities", "logit_bias"];
    const inside = [
      "content",
      "tool_calls",
      "function_call",
      "refusal",
      "reasoning_details",
      "cache_control",
    ];
    for (const value of odd) {
      for (const field of [...fields, ...more])
        expect(() => readChatPrompt({ model: "m", messages: [HELLO], [field]: value })).not.toThrow();
      for (const role of ["system", "user", "assistant", "tool", "function"])
        for (const field of inside)
          expect(() => readChatPrompt({ model: "m", messages: [{ role, [field]: value }] })).not.toThrow();
    }
  });
});
