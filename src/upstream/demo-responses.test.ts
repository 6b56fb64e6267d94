import { describe, expect, test } from "bun:test";
import { hearAt } from "./demo.case.ts";
import { foldItems, INPUT, type Item, response, responseEvents } from "./demo-responses.case.ts";
import { demoTokens } from "./demo-text.ts";

const WEATHER = {
  type: "function",
  name: "get_weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: true,
};
const PATCH = { type: "custom", name: "apply_changes", description: "Takes a patch" };
const CLOCK_TOOL = { type: "function", name: "clock", parameters: null, strict: null };
const tools = [WEATHER, PATCH, CLOCK_TOOL];
const SEALED = { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] };
const names = async (ask: { [field: string]: unknown }) =>
  (await response({ tools, ...ask })).output.map(item => item.name);

test("a whole answer has the shape of OpenAI's", async () => {
  const heard = await hearAt("responses", { ask: { input: INPUT, store: false, metadata: { a: "b" } } });
  expect(heard).toMatchObject({ status: 200, contentType: "application/json", failure: null });
  const text = expect.stringContaining('You said: "What is a wicket gate?"');
  expect(JSON.parse(heard.text)).toEqual({
    id: expect.stringMatching(/^resp_[0-9a-f]{24}$/),
    object: "response",
    created_at: 1_760_000_000,
    model: "demo",
    status: "completed",
    error: null,
    incomplete_details: null,
    output: [
      {
        id: expect.stringMatching(/^msg_[0-9a-f]+$/),
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", annotations: [], logprobs: [], text }],
      },
    ],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: expect.any(Number),
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: expect.any(Number),
    },
    background: false,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: { a: "b" },
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: "default",
    store: false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: "disabled",
    user: null,
  });
});

const CASES: [string, { [field: string]: unknown }][] = [
  ["text", {}],
  ["cut short", { max_output_tokens: 16 }],
  ["nothing at all", { demo: { tokens: 0 } }],
  ["a call", { tools, input: "get_weather" }],
  ["several calls", { tools, input: "get_weather, clock and apply_changes" }],
  [
    "a call that is cut short",
    { tools, input: "get_weather", max_output_tokens: 16, demo: { thinking: true } },
  ],
  ["a custom tool", { tools, input: "apply_changes" }],
  ["reasoning", SEALED],
  ["reasoning without a summary", { ...SEALED, reasoning: { effort: "high" } }],
  ["reasoning before calls", { ...SEALED, tools, input: "clock apply_changes" }],
  ["reasoning that is cut short", { demo: { thinking: true }, max_output_tokens: 16 }],
  ["JSON", { text: { format: { type: "json_object" } } }],
  ["a refusal", { demo: { refuse: true } }],
  ["blanks and signs", { input: '"\\\n\u0000\u2028 \ud800 漢字' }],
];

describe("a streamed answer", () => {
  test("goes through the whole life of a response and of its item", async () => {
    const events = await responseEvents({});
    const types = events.map(event => event.type);
    expect(types.slice(0, 4)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
    ]);
    expect(types.slice(-4)).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(new Set(types.slice(4, -4))).toEqual(new Set(["response.output_text.delta"]));
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index));
    const [item] = events.at(-1)?.response?.output ?? [];
    for (const event of events.slice(3, -2)) {
      expect(event).toMatchObject({ item_id: item?.id ?? "", output_index: 0, content_index: 0 });
    }
    expect(events[0]?.response).toMatchObject({ status: "in_progress", output: [], usage: null });
  });

  test.each(CASES)("ends with the whole answer: %s", async (_, ask) => {
    const whole = await response(ask);
    const events = await responseEvents(ask);
    const last = events.at(-1)?.response;
    // Another body, so another digest; ids apart, both say the same.
    const plain = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (name, one) =>
        name === "id" && /^(resp|msg|fc|ctc|rs)_/.test(one) ? "" : one,
      );
    expect(plain(last)).toEqual(plain(whole));
    expect(events.at(-1)?.type).toBe(`response.${whole.status}`);
  });

  test.each(CASES)("tells by its deltas what its items hold: %s", async (_, ask) => {
    const events = await responseEvents(ask);
    const output = events.at(-1)?.response?.output ?? [];
    const content = ({ status: _status, encrypted_content: _seal, ...item }: Item) => item;
    expect(foldItems(events).map(content)).toEqual(output.map(content));
    const done = events.filter(event => event.type === "response.output_item.done").map(event => event.item);
    expect(done).toEqual(output);
  });

  test("a turn of calls alone has no message", async () => {
    const events = await responseEvents({ tools, input: "get_weather clock" });
    expect(events.some(event => event.type.includes("content_part"))).toBe(false);
    expect(events.at(-1)?.response?.output.map(item => item.type)).toEqual([
      "function_call",
      "function_call",
    ]);
  });
});

describe("calls", () => {
  test("a function call has two ids", async () => {
    const { output, status } = await response({ tools, input: "get_weather" });
    expect(status).toBe("completed");
    expect(output).toEqual([
      {
        id: expect.stringMatching(/^fc_[0-9a-f]+$/),
        type: "function_call",
        status: "completed",
        arguments: '{"city":"demo"}',
        call_id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
        name: "get_weather",
      },
    ]);
  });

  test("a custom tool is given free text, in pieces", async () => {
    const { output } = await response({ tools, input: "apply_changes" });
    expect(output[0]).toMatchObject({ type: "custom_tool_call", input: "demo input", name: "apply_changes" });
    const events = await responseEvents({ tools, input: "apply_changes" });
    const deltas = events.filter(event => event.type === "response.custom_tool_call_input.delta");
    expect(deltas.map(event => event.delta)).toEqual(["demo", " input"]);
  });

  test("a tool of a namespace says so", async () => {
    const space = { type: "namespace", name: "home", description: "", tools: [WEATHER] };
    const { output } = await response({ tools: [space], input: "get_weather" });
    expect(output[0]).toMatchObject({ name: "get_weather", namespace: "home" });
  });

  test("which: required, by name, allowed, none", async () => {
    expect(await names({ tool_choice: "required" })).toEqual(["get_weather"]);
    expect(await names({ tool_choice: { type: "function", name: "clock" } })).toEqual(["clock"]);
    expect(await names({ tool_choice: { type: "custom", name: "apply_changes" } })).toEqual([
      "apply_changes",
    ]);
    const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "clock" }] };
    expect(await names({ tool_choice: allowed, input: "get_weather" })).toEqual(["clock"]);
    expect(await names({ tool_choice: "none", input: "clock" })).toEqual([undefined]);
    expect(await names({ input: "clock", tools: [{ type: "web_search" }] })).toEqual([undefined]);
  });

  test("several at once, unless that is forbidden", async () => {
    const input = "clock and get_weather";
    expect(await names({ input })).toEqual(["get_weather", "clock"]);
    expect(await names({ input, parallel_tool_calls: false })).toEqual(["get_weather"]);
  });
});

describe("reasoning", () => {
  test("is an item of its own, and counts", async () => {
    const { output, usage } = await response(SEALED);
    expect(output.map(item => item.type)).toEqual(["reasoning", "message"]);
    const [thought] = output;
    expect(thought).toEqual({
      id: expect.stringMatching(/^rs_[0-9a-f]+$/),
      type: "reasoning",
      encrypted_content: expect.stringMatching(/^[A-Za-z0-9+/]{200,}=*$/),
      summary: [{ type: "summary_text", text: expect.stringContaining("I should") }],
    });
    const tokens = demoTokens(thought?.summary?.[0]?.text ?? "").length;
    expect(usage?.output_tokens_details.reasoning_tokens).toBe(tokens);
    expect(usage?.output_tokens).toBeGreaterThan(tokens);
  });

  test("is sealed and summed up only where that is asked for", async () => {
    const plain = (await response({ reasoning: { effort: "medium" } })).output[0];
    expect(plain).toEqual({ id: expect.any(String), type: "reasoning", summary: [] });
    const none = { reasoning: { effort: "none", summary: "auto" } };
    for (const ask of [{}, none, { reasoning: { summary: "auto" } }]) {
      expect((await response(ask)).output.map(item => item.type)).toEqual(["message"]);
    }
  });

  test("is there in any case where the demo is set so", async () => {
    const shown = (await response({}, "demo-think")).output[0];
    expect(shown?.summary).toHaveLength(1);
    const hidden = await response({ demo: { thinking: "redacted" }, ...SEALED });
    expect(hidden.output[0]).toMatchObject({ summary: [], encrypted_content: expect.any(String) });
    expect(hidden.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });

  test("has its own events, and the seal of the finished item is the one to keep", async () => {
    const events = await responseEvents(SEALED);
    const types = [...new Set(events.filter(event => event.output_index === 0).map(event => event.type))];
    expect(types).toEqual([
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
    ]);
    const seals = events.flatMap(event =>
      event.item?.type === "reasoning" ? event.item.encrypted_content : [],
    );
    expect(new Set(seals).size).toBe(2);
  });
});

test("max_output_tokens makes the answer incomplete", async () => {
  expect(await response({ max_output_tokens: 16 })).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ type: "message", status: "incomplete" }],
    usage: { output_tokens: 16 },
  });
  const [, call] = (
    await response({ tools, input: "get_weather", demo: { thinking: true }, max_output_tokens: 16 })
  ).output;
  expect(call).toMatchObject({ type: "function_call", status: "incomplete" });
  expect(() => JSON.parse(call?.arguments ?? "")).toThrow();
});

test("a refusal is a part of its own", async () => {
  const { output, status } = await response({}, "demo-refuse");
  expect(status).toBe("completed");
  const refusal = expect.stringContaining("cannot help");
  expect(output[0]?.content).toEqual([{ type: "refusal", refusal }]);
  const types = (await responseEvents({}, "demo-refuse")).map(event => event.type);
  expect(types).toContain("response.refusal.delta");
  expect(types).toContain("response.refusal.done");
});

test("text.format is followed", async () => {
  const textOf = async (format: object) =>
    (await response({ text: { format } })).output[0]?.content?.[0]?.text ?? "";
  expect(JSON.parse(await textOf({ type: "json_object" }))).toEqual({ answer: expect.any(String) });
  expect(await textOf({ type: "json_schema", name: "place", schema: WEATHER.parameters })).toBe(
    '{"city":"demo"}',
  );
});

test("cached tokens are told where the demo is set so", async () => {
  expect((await response({}, "demo-cached")).usage).toMatchObject({
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 9 },
  });
});

test("the same request at the same time gives the same bytes", async () => {
  for (const stream of [false, true]) {
    const ask = { input: INPUT, ...SEALED, stream };
    expect((await hearAt("responses", { ask })).text).toBe((await hearAt("responses", { ask })).text);
  }
});
