import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { carrySeal } from "../carry-seal.ts";
import { toMessagesId } from "../tool-id.ts";
import { problemOf, promptOf, text } from "./codec.case.ts";
import { readMessagesPrompt } from "./read-prompt.ts";

const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const use = (id: string) => ({ type: "tool_use", id, name: "look", input: { a: [1] } });

describe("the smallest prompt", () => {
  test("says nothing that the client did not", () => {
    expect(promptOf({})).toEqual({
      model: "m",
      stream: false,
      wantsUsage: true,
      turns: [{ role: "user", parts: [text("hi")], at: "messages[0]" }],
      tools: [],
      toolChoice: null,
      parallelTools: null,
      outputTokensMax: 100,
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

  test("[P56] may have fields that nobody knows", () => {
    const fields = {
      context_management: { edits: [] },
      safeguards: {},
      betas: ["x"],
      container: null,
      mcp_servers: [],
      inference_geo: "eu",
      speed: "fast",
    };
    expect(promptOf(fields)).toEqual(promptOf({}));
  });

  test("may leave anything at null", () => {
    const names = ["system", "stream", "tools", "tool_choice", "temperature", "top_p", "top_k", "thinking"];
    const rest = ["stop_sequences", "output_config", "metadata", "service_tier", "cache_control"];
    const fields = Object.fromEntries([...names, ...rest].map(name => [name, null]));
    expect(promptOf(fields)).toEqual(promptOf({}));
  });
});

describe("settings", () => {
  test("[P62] are read each", () => {
    const prompt = promptOf({
      stream: true,
      temperature: 0.5,
      top_p: 1,
      top_k: 0,
      stop_sequences: ["a", "b"],
      metadata: { user_id: "u-1" },
      service_tier: "standard_only",
    });
    expect(prompt).toMatchObject({ stream: true, temperature: 0.5, topP: 1, topK: 0, stops: ["a", "b"] });
    expect(prompt).toMatchObject({ user: "u-1", serviceTier: "standard_only" });
  });

  test("[P55] a cache mark at the top is one of the whole", () => {
    expect(promptOf({ cache_control: { type: "ephemeral" } }).cache).toEqual({ ttl: null });
    expect(promptOf({ cache_control: { type: "ephemeral", ttl: "1h" } }).cache).toEqual({ ttl: "1h" });
  });

  test.each([
    [
      { type: "enabled", budget_tokens: 5_000 },
      { effort: null, budgetTokens: 5_000, shows: null },
    ],
    [
      { type: "enabled", budget_tokens: 200 },
      { effort: null, budgetTokens: 200, shows: null },
    ],
    [
      { type: "adaptive", display: "omitted" },
      { effort: null, budgetTokens: null, shows: false },
    ],
    [
      { type: "adaptive", display: "summarized" },
      { effort: null, budgetTokens: null, shows: true },
    ],
    [{ type: "disabled" }, { effort: "none", budgetTokens: null, shows: null }],
    [{ type: "between_tools" }, { effort: "minimal", budgetTokens: null, shows: null }],
  ])("[P25] thinking of %j is accepted", (thinking, reasoning) => {
    expect(promptOf({ thinking }).reasoning).toEqual(reasoning);
  });

  test("an effort is read with and without thinking", () => {
    const output_config = { effort: "high" };
    const reasoning = { effort: "high", budgetTokens: null, shows: null };
    expect(promptOf({ output_config }).reasoning).toEqual(reasoning);
    expect(promptOf({ output_config, thinking: { type: "adaptive" } }).reasoning).toEqual(reasoning);
    expect(promptOf({ output_config, thinking: { type: "disabled" } }).reasoning?.effort).toBe("none");
  });

  test("a format is read at its old and its new place", () => {
    const format = { type: "json_schema", schema: { type: "object" } };
    const read = { kind: "schema", name: null, description: null, schema: { type: "object" }, strict: null };
    expect(promptOf({ output_config: { format } }).format).toMatchObject(read);
    expect(promptOf({ output_format: format }).format).toMatchObject(read);
  });
});

describe("the limit", () => {
  test.each([undefined, null, 0, -1, 1.5, "100", 1e300, true])("[P51] of %p is refused", max_tokens => {
    expect(problemOf({ max_tokens })).toEqual({
      param: "max_tokens",
      problem: "“max_tokens” must be a whole number of at least 1",
    });
  });

  test("[P57] is not asked for where tokens are only counted", () => {
    const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
    expect(readMessagesPrompt(body, { forCounting: true })).toMatchObject({
      prompt: { outputTokensMax: null, user: null },
    });
    expect(readMessagesPrompt(body)).toHaveProperty("problem");
  });
});

describe("turns", () => {
  test("[P55] instructions come first, as text or as blocks with their marks", () => {
    expect(promptOf({ system: "Be brief." }).turns[0]).toEqual({
      role: "system",
      parts: [text("Be brief.")],
      at: "system",
    });
    const blocks = [
      { type: "text", text: "x-anthropic-billing-header: a" },
      { type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } },
    ];
    const parts = [text("x-anthropic-billing-header: a"), text("Be brief.", { ttl: "1h" })];
    expect(promptOf({ system: blocks }).turns[0]?.parts).toEqual(parts);
  });

  test("[P53] instructions in the middle stay there", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "system", content: [{ type: "text", text: "b" }] },
      { role: "assistant", content: "c" },
      { role: "system", content: "d" },
    ];
    const { turns } = promptOf({ system: "first", messages });
    expect(turns.map(({ role, at }) => `${role} ${at}`)).toEqual([
      "system system",
      "user messages[0]",
      "system messages[1]",
      "assistant messages[2]",
      "system messages[3]",
    ]);
  });

  test("instructions for one turn of the user are gone in the next", () => {
    const once = { role: "system", content: "once", clear_at: "next_user_message" };
    const begin = [{ role: "user", content: "a" }, once];
    expect(promptOf({ messages: begin }).turns).toHaveLength(2);
    const later = [...begin, { role: "assistant", content: "b" }, { role: "user", content: "c" }];
    expect(promptOf({ messages: later }).turns.map(turn => turn.role)).toEqual(["user", "assistant", "user"]);
  });

  test("[P54] of one role may follow one another, begin and end the conversation", () => {
    const messages = ["assistant", "user", "user", "assistant"].map(role => ({ role, content: role }));
    expect(promptOf({ messages }).turns.map(turn => turn.role)).toEqual([
      "assistant",
      "user",
      "user",
      "assistant",
    ]);
  });

  test("[P52] may be empty", () => {
    const messages = [user({ type: "text", text: "" }, { type: "text", text: " \n" }), assistant()];
    expect(promptOf({ messages }).turns.map(turn => turn.parts.length)).toEqual([2, 0]);
  });

  test("[P9] calls and results have the ids of their makers again", () => {
    const id = "functions.Bash:0";
    const carried = toMessagesId(id);
    const messages = [
      assistant(use(carried), use("toolu_01")),
      user({ type: "tool_result", tool_use_id: carried, content: "ok" }),
    ];
    const [calls, results] = promptOf({ messages }).turns;
    expect(calls?.parts).toMatchObject([
      { kind: "tool-call", id, name: "look", input: '{"a":[1]}', tool: "function" },
      { id: "toolu_01" },
    ]);
    expect(results?.parts).toMatchObject([{ kind: "tool-result", id, parts: [text("ok")] }]);
  });

  test("[P22] [P24] a seal of another maker comes out of the signature, an own one is kept", () => {
    const seal = { origin: "responses", kind: "ciphertext", value: "gAAA", id: "rs_1" } as const;
    const thinking = (signature: string) => ({ type: "thinking", thinking: "Hm.", signature });
    const messages = [
      assistant(thinking(carrySeal(seal)), thinking("EqQB"), thinking(""), {
        type: "redacted_thinking",
        data: "EmwK",
      }),
    ];
    expect(promptOf({ messages }).turns[0]?.parts).toEqual([
      { kind: "reasoning", text: "Hm.", seal },
      {
        kind: "reasoning",
        text: "Hm.",
        seal: { origin: "messages", kind: "signature", value: "EqQB", id: null },
      },
      { kind: "reasoning", text: "Hm.", seal: null },
      {
        kind: "reasoning",
        text: "",
        seal: { origin: "messages", kind: "ciphertext", value: "EmwK", id: null },
      },
    ]);
  });
});

describe("what is wrong is named:", () => {
  const message = (content: unknown, role = "user") => ({ messages: [{ role, content }] });
  const cases: [string, object, string][] = [
    ["no model", { model: "" }, "model"],
    ["no messages", { messages: [] }, "messages"],
    ["messages that are none", { messages: "hi" }, "messages"],
    ["a message that is none", { messages: ["hi"] }, "messages[0]"],
    ["an unknown role", { messages: [{ role: "tool", content: "" }] }, "messages[0].role"],
    ["no content", { messages: [{ role: "user" }] }, "messages[0].content"],
    ["a block that is none", message(["hi"]), "messages[0].content[0]"],
    ["an unknown block", message([{ type: "video" }]), "messages[0].content[0].type"],
    ["text that is none", message([{ type: "text", text: 1 }]), "messages[0].content[0].text"],
    ["thinking of the user", message([{ type: "thinking" }]), "messages[0].content[0].type"],
    ["a call of the user", message([use("a")]), "messages[0].content[0].type"],
    ["an image of the assistant", message([{ type: "image" }], "assistant"), "messages[0].content[0].type"],
    ["a call without id", message([{ ...use(""), id: "" }], "assistant"), "messages[0].content[0].id"],
    ["a call without name", message([{ ...use("a"), name: 1 }], "assistant"), "messages[0].content[0].name"],
    [
      "a result of no call",
      message([{ type: "tool_result", tool_use_id: "a" }]),
      "messages[0].content[0].tool_use_id",
    ],
    ["an image of no source", message([{ type: "image", source: {} }]), "messages[0].content[0].source.type"],
    ["system of another kind", { system: [{ type: "image" }] }, "system[0].type"],
    ["tools that are none", { tools: {} }, "tools"],
    ["a tool without a name", { tools: [{ input_schema: {} }] }, "tools[0].name"],
    ["a schema that is none", { tools: [{ name: "a", input_schema: "{}" }] }, "tools[0].input_schema"],
    ["an unknown choice", { tool_choice: { type: "all" } }, "tool_choice.type"],
    ["a choice of no name", { tool_choice: { type: "tool" } }, "tool_choice.name"],
    ["a temperature of 2", { temperature: 2 }, "temperature"],
    ["a top_p of -1", { top_p: -1 }, "top_p"],
    ["a top_k of 1.5", { top_k: 1.5 }, "top_k"],
    ["stops that are none", { stop_sequences: "END" }, "stop_sequences"],
    ["a stream that is no boolean", { stream: "true" }, "stream"],
    ["thinking that is none", { thinking: "high" }, "thinking"],
    [
      "a budget that is none",
      { thinking: { type: "enabled", budget_tokens: "1" } },
      "thinking.budget_tokens",
    ],
    ["a format without a schema", { output_config: { format: { type: "json" } } }, "output_config.format"],
  ];
  test.each(cases)("%s", (_, fields, param) => {
    const found = problemOf({ ...fields });
    expect(found.param).toBe(param);
    expect(found.problem).toStartWith(`“${param}” `);
    expect(found.problem).not.toEndWith(".");
  });
});

test("no JSON makes it throw", () => {
  const block = fc.record(
    {
      type: fc.constantFrom("text", "image", "document", "thinking", "tool_use", "tool_result", "x", 1),
      text: fc.jsonValue(),
      source: fc.jsonValue(),
      content: fc.jsonValue(),
      cache_control: fc.jsonValue(),
      citations: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const content = fc.oneof(fc.jsonValue(), fc.array(block));
  const messages = fc.array(
    fc.record({ role: fc.constantFrom("user", "assistant", "system", null), content }),
  );
  const fields = ["model", "max_tokens", "system", "tools", "tool_choice", "thinking", "output_config"];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()), messages, (body, said) => {
      const read = readMessagesPrompt({ ...body, messages: said });
      expect("prompt" in read || "problem" in read).toBe(true);
    }),
  );
});
