import { describe, expect, test } from "bun:test";
import { hearAt } from "./demo.case.ts";
import { HELLO, message, refusedMessage, SAY } from "./demo-messages.case.ts";

const user = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const assistant = (...content: object[]) => ({
  messages: [...HELLO, { role: "assistant", content }, ...HELLO],
});
const use = (id: string, extra: object = {}) => ({
  type: "tool_use",
  id,
  name: "clock",
  input: {},
  ...extra,
});
const result = (id: string, extra: object = {}) => ({ type: "tool_result", tool_use_id: id, ...extra });
const turn = (calls: object[], results: object[]) => ({
  messages: [...HELLO, { role: "assistant", content: calls }, { role: "user", content: results }],
});
const tool = (extra: object) => ({ tools: [{ name: "clock", input_schema: { type: "object" }, ...extra }] });
const image = (source: object) => user({ type: "image", source });

describe("a bad request is answered 400 in Anthropic's shape, and names the field", () => {
  test.each<[string, { [field: string]: unknown }]>([
    ["max_tokens", { max_tokens: undefined }],
    ["max_tokens", { max_tokens: 0 }],
    ["max_tokens", { max_tokens: "9" }],
    ["messages", { messages: undefined }],
    ["messages", { messages: [] }],
    ["messages.0.role", { messages: [null] }],
    ["messages.1.role", { messages: [...HELLO, { role: "developer", content: "x" }] }],
    ["messages.1.role", { messages: [...HELLO, { role: "tool", content: "x" }] }],
    ["messages.0.content", { messages: [{ role: "user" }] }],
    ["messages.0", { messages: [{ role: "user", content: "" }] }],
    ["messages.0", { messages: [{ role: "user", content: [] }] }],
    ["messages.0.content.0", { messages: [{ role: "user", content: ["hi"] }] }],
    ["messages.0.content.0", user({ type: "text", text: "" })],
    ["messages.0.content.1", user({ type: "text", text: "hi" }, { type: "text", text: " \n" })],
    ["messages.0.content.0.text", user({ type: "text" })],
    ["messages.0.content.0.type", user({ type: "input_text", text: "hi" })],
    ["messages.0.content.0.type", user({ type: "image_url", image_url: { url: "x" } })],
    ["messages.0.content.0.type", user({ type: "thinking", thinking: "", signature: "" })],
    ["messages.0.content.0.type", user(use("toolu_1"))],
    ["messages.1.content.0.type", assistant({ type: "image", source: { type: "url", url: "x" } })],
    ["messages.1.content.0.type", assistant(result("toolu_1"))],
    ["messages.1.content.0.type", { messages: [...HELLO, { role: "system", content: [{ type: "image" }] }] }],
    ["messages.1", { messages: [...HELLO, { role: "assistant", content: "Well, " }] }],
    ["messages.0.content.0.source", image({ type: "base64", data: "" })],
    ["messages.0.content.0.source", image({ type: "url" })],
    [
      "messages.0.content.0.source.media_type",
      image({ type: "base64", media_type: "image/tiff", data: "AA" }),
    ],
    ["messages.0.content.0.source", user({ type: "document", source: { type: "base64", data: "AA" } })],
    ["messages.1.content.0.id", turn([use("functions.clock:0")], [result("functions.clock:0")])],
    ["messages.1.content.0.input", turn([use("a", { input: "{}" })], [result("a")])],
    ["messages.1.content.0.name", turn([use("a", { name: "" })], [result("a")])],
    ["messages.2.content.0.tool_use_id", turn([use("a")], [result("a b")])],
    ["messages.2.content.0.content", turn([use("a")], [result("a", { content: 5 })])],
    ["messages.2.content.0.content.0.type", turn([use("a")], [result("a", { content: [use("b")] })])],
    ["messages.2.content.0.is_error", turn([use("a")], [result("a", { is_error: "yes" })])],
    ["messages.2.content.0", turn([use("a")], [result("b")])],
    ["messages.2.content.1", turn([use("a")], [result("a"), result("a")])],
    ["messages.1.content.1", turn([use("a"), use("b")], [result("a")])],
    ["messages.1.content.0", { messages: [...HELLO, { role: "assistant", content: [use("a")] }] }],
    ["messages.0.content.0", user(result("a"))],
    ["system", { system: 5 }],
    ["system.0", { system: [{ type: "text", text: "" }] }],
    ["system.0.type", { system: [{ type: "image" }] }],
    ["tools", { tools: {} }],
    ["tools.0", { tools: [null] }],
    ["tools.0.type", tool({ type: "function" })],
    ["tools.0.name", tool({ name: "get.weather" })],
    ["tools.0.name", tool({ name: "x".repeat(129) })],
    ["tools.0.input_schema.type", tool({ input_schema: undefined })],
    ["tools.0.input_schema.type", tool({ input_schema: { properties: {} } })],
    ["tools.1.name", { tools: [...tool({}).tools, ...tool({}).tools] }],
    ["tool_choice", { tool_choice: { type: "auto" } }],
    ["tool_choice.type", { ...tool({}), tool_choice: "auto" }],
    ["tool_choice.type", { ...tool({}), tool_choice: { type: "required" } }],
    ["tool_choice.name", { ...tool({}), tool_choice: { type: "tool", name: "other" } }],
    ["stop_sequences", { stop_sequences: "stop" }],
    ["stop_sequences", { stop_sequences: ["stop", 1] }],
    ["stop_sequences", { stop_sequences: ["\n"] }],
    ["stream", { stream: 1 }],
    ["temperature", { temperature: 1.5 }],
    ["output_config", { output_config: "low" }],
    ["output_config.effort", { output_config: { effort: "minimal" } }],
    ["output_config.format", { output_config: { format: { type: "json_object" } } }],
    ["thinking.type", { thinking: { type: "on" } }],
    ["thinking.display", { thinking: { type: "adaptive", display: "all" } }],
    ["max_completion_tokens", { max_completion_tokens: 5 }],
    ["stop", { stop: ["x"] }],
    ["response_format", { response_format: { type: "text" } }],
    ["parallel_tool_calls", { parallel_tool_calls: true }],
  ])("%s %j", async (path, ask) => {
    expect(await refusedMessage(ask)).toStartWith(`${path}: `);
  });

  test.each(["", "{", "[]", "\u0000"])("body %j", async body => {
    const heard = await hearAt("messages", { ask: body });
    expect(heard.status).toBe(400);
    expect(JSON.parse(heard.text)).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "The body of the request is not a JSON object." },
      request_id: "req_demo",
    });
  });

  test("hostile shapes are answered too", async () => {
    const trap = { toString: 1, valueOf: 1 };
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const bodies = [
      { messages: [{ role: trap, content: [{ type: trap }] }] },
      {
        messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: trap, content: [trap] }] }],
      },
      {
        messages: [{ role: "assistant", content: [{ type: "tool_use", id: trap, name: trap, input: trap }] }],
      },
      { tools: [{ name: trap, type: trap, input_schema: { type: trap } }], tool_choice: trap },
      { system: trap, stop_sequences: [trap], thinking: trap, output_config: trap, cache_control: trap },
    ];
    for (const body of bodies) await refusedMessage(body);
    const nested = JSON.stringify({
      max_tokens: 9,
      messages: HELLO,
      tools: [{ name: "f", input_schema: { type: "object", default: "DEEP" } }],
    }).replace('"DEEP"', deep);
    expect((await hearAt("messages", { ask: nested })).status).toBe(400);
  });
});

test("fields nobody knows are passed over", async () => {
  const ask = {
    anthropic_beta: ["x"],
    context_management: { edits: [] },
    metadata: { user_id: "u" },
    safeguards: {},
    service_tier: "auto",
    top_k: 5,
    top_p: 0.5,
  };
  expect((await message(ask)).stop_reason).toBe("end_turn");
});

test("an assistant's unfinished turn may be the last one", async () => {
  const messages = [...SAY("Begin"), { role: "assistant", content: "Well," }];
  expect((await message({ messages })).stop_reason).toBe("end_turn");
});
