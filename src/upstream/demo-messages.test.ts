import { describe, expect, test } from "bun:test";
import { hearAt } from "./demo.case.ts";
import { foldMessage, HELLO, message, messageEvents, SAY } from "./demo-messages.case.ts";
import { demoTokens } from "./demo-text.ts";

const WEATHER = {
  name: "get_weather",
  description: "The weather",
  input_schema: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city", "days"],
  },
};
const CLOCK_TOOL = { name: "clock", input_schema: { type: "object" } };
const tools = [WEATHER, CLOCK_TOOL];
const names = async (ask: { [field: string]: unknown }) =>
  (await message({ tools, ...ask })).content.map(block => block.name);

test("a whole answer has the shape of Anthropic's", async () => {
  const heard = await hearAt("messages", { ask: { max_tokens: 100, messages: HELLO } });
  expect(heard).toMatchObject({ status: 200, contentType: "application/json", failure: null });
  const text = expect.stringContaining('You said: "What is a wicket gate?"');
  expect(JSON.parse(heard.text)).toEqual({
    id: expect.stringMatching(/^msg_[0-9a-f]{24}$/),
    type: "message",
    role: "assistant",
    model: "demo",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      service_tier: "standard",
      output_tokens: demoTokens(JSON.parse(heard.text).content[0].text).length,
      output_tokens_details: { thinking_tokens: 0 },
    },
  });
});

describe("a streamed answer", () => {
  test("is start, ping, block, delta, stop, with the input counted at once", async () => {
    const events = await messageEvents({});
    const types = events.map(event => event.type);
    expect(types.slice(0, 3)).toEqual(["message_start", "ping", "content_block_start"]);
    expect(types.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    expect(new Set(types.slice(3, -3))).toEqual(new Set(["content_block_delta"]));
    expect(events[0]?.message?.usage).toMatchObject({ input_tokens: 10, output_tokens: 1 });
    expect(events.at(-2)?.usage?.output_tokens).toBe(types.length - 6);
  });

  test.each([
    ["text", {}],
    ["cut short", { max_tokens: 7 }],
    ["a stop sequence", { stop_sequences: ["never", "demo"] }],
    ["nothing at all", { stop_sequences: ["Hello"] }],
    ["a call", { tools, messages: SAY("get_weather") }],
    ["a call without arguments", { tools, messages: SAY("clock") }],
    ["several calls", { tools, messages: SAY("use get_weather and clock") }],
    ["thinking", { thinking: { type: "adaptive" } }],
    ["thinking before calls", { thinking: { type: "adaptive" }, tools, messages: SAY("clock, get_weather") }],
    ["thinking that is not shown", { thinking: { type: "adaptive", display: "omitted" } }],
    ["thinking that is hidden", { demo: { thinking: "redacted" } }],
    ["thinking that is cut short", { thinking: { type: "adaptive" }, max_tokens: 3 }],
    ["JSON", { output_config: { format: { type: "json_schema", schema: WEATHER.input_schema } } }],
    ["a refusal", { demo: { refuse: true } }],
    ["cached input", { system: [{ type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }] }],
    ["blanks and signs", { messages: SAY('"\\\n\u0000\u2028 \ud800 漢字') }],
  ])("folds to the whole answer: %s", async (_, ask) => {
    const whole = await message(ask);
    const folded = foldMessage(await messageEvents(ask));
    expect({ ...folded, id: "" }).toEqual({ ...whole, id: "" });
  });

  test("tells a call's arguments in pieces, and none where there are none", async () => {
    const events = await messageEvents({ tools, messages: SAY("clock get_weather") });
    const pieces = (place: number) =>
      events
        .filter(event => event.index === place && event.delta)
        .map(event => event.delta?.["partial_json"]);
    expect(pieces(0).length).toBeGreaterThan(5);
    expect(pieces(0).join("")).toBe('{"city":"demo","days":1}');
    expect(pieces(1)).toEqual([""]);
    const blocks = events.flatMap(event => event.content_block ?? []);
    expect(blocks).toEqual([
      { type: "tool_use", id: expect.stringMatching(/^toolu_[0-9a-f]{24}$/), name: "get_weather", input: {} },
      { type: "tool_use", id: expect.stringMatching(/^toolu_[0-9a-f]{24}$/), name: "clock", input: {} },
    ]);
  });

  test("closes each block before the next one opens", async () => {
    const events = await messageEvents({
      thinking: { type: "adaptive" },
      tools,
      messages: SAY("clock get_weather"),
    });
    let open = -1;
    for (const { type, index } of events) {
      if (type === "content_block_start") [open] = [index ?? -1];
      if (type.startsWith("content_block")) expect(index).toBe(open);
    }
    expect(open).toBe(2);
  });
});

describe("which tools are called", () => {
  test("any: the first, or those the message names", async () => {
    expect(await names({ tool_choice: { type: "any" } })).toEqual(["get_weather"]);
    const named = { tool_choice: { type: "any" }, messages: SAY("The clock?") };
    expect(await names(named)).toEqual(["clock"]);
  });

  test("a tool by its name, whatever the message says", async () => {
    const ask = { tool_choice: { type: "tool", name: "clock" }, messages: SAY("get_weather") };
    expect(await names(ask)).toEqual(["clock"]);
  });

  test("several, unless that is forbidden", async () => {
    const messages = SAY("call get_weather, clock");
    expect(await names({ messages })).toEqual(["get_weather", "clock"]);
    const alone = { messages, tool_choice: { type: "auto", disable_parallel_tool_use: true } };
    expect(await names(alone)).toEqual(["get_weather"]);
    expect(await names({ messages, tool_choice: { type: "none" } })).toEqual([undefined]);
  });

  test("never one that is built in", async () => {
    const built = [{ type: "bash_20250124", name: "bash" }];
    expect(await names({ tools: built, messages: SAY("bash") })).toEqual([undefined]);
  });
});

describe("why it stopped", () => {
  test("tool_use, with arguments that are an object", async () => {
    const { stop_reason, content } = await message({ tools, messages: SAY("get_weather") });
    expect(stop_reason).toBe("tool_use");
    expect(content[0]?.input).toEqual({ city: "demo", days: 1 });
  });

  test("max_tokens; a call that was cut short has no arguments", async () => {
    expect(await message({ max_tokens: 3 })).toMatchObject({
      stop_reason: "max_tokens",
      content: [{ type: "text", text: "Hello! You" }],
      usage: { output_tokens: 3 },
    });
    const cut = await message({ max_tokens: 4, tools, messages: SAY("get_weather") });
    expect(cut).toMatchObject({ stop_reason: "max_tokens", content: [{ name: "get_weather", input: {} }] });
  });

  test("stop_sequence, and which", async () => {
    expect(await message({ stop_sequences: ["never", "You"] })).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: "You",
      content: [{ type: "text", text: "Hello! " }],
    });
  });

  test("refusal, with its details", async () => {
    for (const ask of [{ ask: { demo: { refuse: true } } }, { ask: {}, model: "demo-refuse" }]) {
      const refused = await message({ ...ask.ask, tools, messages: SAY("clock") }, ask.model);
      expect(refused.stop_reason).toBe("refusal");
      expect(refused.stop_details).toEqual({
        type: "refusal",
        category: null,
        explanation: expect.any(String),
      });
      expect(refused.content).toEqual([{ type: "text", text: expect.stringContaining("cannot help") }]);
    }
  });
});

describe("what it reads", () => {
  const textOf = async (ask: { [field: string]: unknown }) => (await message(ask)).content[0]?.text;
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0K" } };
  const pdf = {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: "JVBERi0" },
  };
  const call = {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "clock", input: {} }],
  };
  const after = (result: object) => ({
    tools,
    messages: [
      ...HELLO,
      call,
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", ...result }] },
    ],
  });

  test("images and documents: it says how many, and counts them", async () => {
    const content = [
      { type: "text", text: "Look" },
      image,
      pdf,
      { ...image, source: { type: "url", url: "x" } },
    ];
    const ask = { messages: [{ role: "user", content }] };
    expect(await textOf(ask)).toContain('You said: "Look" and 2 images and 1 document.');
    expect((await message(ask)).usage.input_tokens).toBe(4 + 1 + 2 * 85 + 250);
    expect(await textOf({ messages: [{ role: "user", content: [image] }] })).toContain("You sent 1 image.");
  });

  test("the system prompt as text or as blocks, counted alike", async () => {
    const asText = await message({ system: "Be brief." });
    const asBlocks = await message({ system: [{ type: "text", text: "Be brief." }] });
    expect(asText.usage.input_tokens).toBe(10 + 4 + 3);
    expect(asBlocks.usage.input_tokens).toBe(asText.usage.input_tokens);
  });

  test("a system message inside the conversation", async () => {
    const messages = [...HELLO, { role: "system", content: "Use the clock" }];
    expect(await names({ messages })).toEqual([undefined]);
    expect((await message({ messages })).usage.input_tokens).toBe(10 + 4 + 3);
  });

  test("a tool's result as text or blocks, and that it failed", async () => {
    expect(await textOf(after({ content: "Half past nine" }))).toContain(
      'The tool returned: "Half past nine".',
    );
    const blocks = after({ content: [{ type: "text", text: "A face" }, image] });
    expect(await textOf(blocks)).toContain('The tool returned: "A face" and 1 image.');
    const failed = after({ content: "No hands", is_error: true });
    expect(await textOf(failed)).toContain('The tool failed: "No hands".');
    expect(await textOf(after({}))).toContain("The tool returned nothing.");
  });

  test("results of several calls, with words of the user beside them, and calls nothing again", async () => {
    const calls = [1, 2].map(id => ({ type: "tool_use", id: `toolu_${id}`, name: "clock", input: {} }));
    const results = ["one", "two"].map((content, index) => ({
      type: "tool_result",
      tool_use_id: `toolu_${index + 1}`,
      content,
    }));
    const messages = [
      ...SAY("clock"),
      { role: "assistant", content: calls },
      { role: "user", content: [...results, { type: "text", text: "And the clock?" }] },
      { role: "system", content: "A clock is near" },
    ];
    const text = await textOf({ tools, messages });
    expect(text).toContain('The tool returned: "one". The tool returned: "two".');
  });

  test("results in turns that follow each other, as one turn", async () => {
    const result = (id: string) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: id }],
    });
    const use = (id: string) => ({
      role: "assistant",
      content: [{ type: "tool_use", id, name: "clock", input: {} }],
    });
    const messages = [...HELLO, use("a"), use("b"), result("b"), result("a")];
    expect(await textOf({ tools, messages })).toContain('returned: "b". The tool returned: "a".');
  });

  test("tools count, and blocks of tools that the provider runs do not", async () => {
    const without = await message({});
    const withTools = await message({ tools: [CLOCK_TOOL] });
    expect(withTools.usage.input_tokens - without.usage.input_tokens).toBe(
      4 + 1 + demoTokens('{"type":"object"}').length,
    );
    const content = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      { type: "text", text: "Found" },
    ];
    const messages = [...HELLO, { role: "assistant", content }, ...HELLO];
    expect((await message({ messages })).usage.input_tokens).toBe(10 + 4 + 1 + 10);
  });
});

test("an answer in JSON follows its schema", async () => {
  const format = { type: "json_schema", schema: WEATHER.input_schema };
  const { content, stop_reason } = await message({ output_config: { format } });
  expect(content).toEqual([{ type: "text", text: '{"city":"demo","days":1}' }]);
  expect(stop_reason).toBe("end_turn");
});

test("the same request at the same time gives the same bytes", async () => {
  for (const stream of [false, true]) {
    const ask = { max_tokens: 99, messages: HELLO, thinking: { type: "adaptive" }, stream };
    expect((await hearAt("messages", { ask })).text).toBe((await hearAt("messages", { ask })).text);
  }
});

describe("count_tokens", () => {
  const count = async (ask: object, model = "demo") => {
    const heard = await hearAt("count_tokens", { ask: { messages: HELLO, ...ask }, model });
    return { status: heard.status, body: JSON.parse(heard.text) };
  };

  test("needs no limit, and counts what an answer counts, cached or not", async () => {
    const system = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
    expect(await count({ tools, system })).toEqual({
      status: 200,
      body: { input_tokens: expect.any(Number) },
    });
    const { usage } = await message({ tools, system });
    const { body } = await count({ tools, system });
    expect(body.input_tokens).toBe(usage.input_tokens + usage.cache_creation_input_tokens);
    expect((await count({ tools, system }, "demo-cached")).body).toEqual(body);
  });

  test("refuses as the other path does", async () => {
    const { status, body } = await count({ messages: [] });
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });
});
