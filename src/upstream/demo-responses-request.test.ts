import { describe, expect, test } from "bun:test";
import { hearAt } from "./demo.case.ts";
import { INPUT, refusedResponse, response } from "./demo-responses.case.ts";

const said = (content: unknown, role = "user") => ({ role, content });
const call = (id: string, extra: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "clock",
  arguments: "{}",
  ...extra,
});
const output = (id: string, extra: object = {}) => ({
  type: "function_call_output",
  call_id: id,
  output: "nine",
  ...extra,
});
const custom = (id: string, extra: object = {}) => ({
  type: "custom_tool_call",
  call_id: id,
  name: "patch",
  input: "x",
  ...extra,
});
const tool = (extra: object) => ({ tools: [{ type: "function", name: "clock", parameters: {}, ...extra }] });

describe("a bad request is answered 400 in OpenAI's shape, and names the field", () => {
  test.each<[string, { [field: string]: unknown }]>([
    ["input", { input: undefined }],
    ["input", { input: [] }],
    ["input[0]", { input: ["hi"] }],
    ["input[0].role", { input: [{ content: "hi" }] }],
    ["input[0].role", { input: [said("hi", "tool")] }],
    ["input[0].content", { input: [said(5)] }],
    ["input[0].content[0].type", { input: [said([{ type: "text", text: "hi" }])] }],
    ["input[0].content[0].type", { input: [said([{ type: "output_text", text: "hi" }])] }],
    [
      "input[1].content[0].type",
      { input: [said("hi"), said([{ type: "input_text", text: "hi" }], "assistant")] },
    ],
    ["input[0].type", { input: [{ type: "tool_use" }] }],
    ["input[0].id", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["input[0].id", { input: [call("a", { id: "call_1" }), output("a")] }],
    ["input[0].name", { input: [call("a", { name: null }), output("a")] }],
    ["input[0].arguments", { input: [call("a", { arguments: {} }), output("a")] }],
    ["input[0].call_id", { input: [call("a".repeat(65)), output("a".repeat(65))] }],
    ["input[0].id", { input: [custom("a", { id: "fc_1" }), output("a")] }],
    ["input[0].input", { input: [custom("a", { input: {} })] }],
    ["input[0].call_id", { input: [output("a")] }],
    ["input[0].call_id", { input: [call("a"), said("hi")] }],
    ["input[1].call_id", { input: [custom("a"), output("a")] }],
    ["input[1].output", { input: [call("a"), output("a", { output: 5 })] }],
    ["input[0].summary", { input: [{ type: "reasoning", id: "rs_1" }] }],
    [
      "input[0].encrypted_content",
      { input: [{ type: "reasoning", summary: [], encrypted_content: "gAAAA" }] },
    ],
    ["instructions", { instructions: 5 }],
    ["tools", { tools: {} }],
    ["tools[0].name", { tools: [null] }],
    ["tools[0].name", { tools: [{ type: "function", function: { name: "clock" } }] }],
    ["tools[0].name", tool({ name: "get.weather" })],
    ["tools[0].name", tool({ name: "x".repeat(65) })],
    ["tools[0].type", tool({ type: "robot" })],
    ["tools[0].tools[0].name", { tools: [{ type: "namespace", name: "a", tools: [{ type: "function" }] }] }],
    ["tool_choice", { tool_choice: "required" }],
    ["tool_choice", { tool_choice: { type: "function", name: "missing" } }],
    ["tool_choice", { ...tool({}), tool_choice: { type: "function", function: { name: "clock" } } }],
    ["tool_choice", { ...tool({}), tool_choice: { type: "custom", name: "clock" } }],
    ["tool_choice.mode", { ...tool({}), tool_choice: { type: "allowed_tools", tools: [{ name: "clock" }] } }],
    ["tool_choice.tools", { ...tool({}), tool_choice: { type: "allowed_tools", mode: "auto" } }],
    ["max_output_tokens", { max_output_tokens: 15 }],
    ["max_output_tokens", { max_output_tokens: "99" }],
    ["text.format", { text: { format: { type: "yaml" } } }],
    ["text.format", { text: { format: { type: "json_schema", json_schema: { schema: {} } } } }],
    ["text.format.name", { text: { format: { type: "json_schema", schema: {} } } }],
    ["reasoning", { reasoning: "low" }],
    ["reasoning.effort", { reasoning: { effort: "huge" } }],
    ["include", { include: "reasoning.encrypted_content" }],
    ["stream", { stream: "yes" }],
    ["conversation", { conversation: "conv_1" }],
    ["max_tokens", { max_tokens: 50 }],
    ["messages", { messages: [] }],
    ["response_format", { response_format: { type: "text" } }],
    ["stop", { stop: ["x"] }],
  ])("%s %j", async (param, ask) => {
    const error = await refusedResponse(ask);
    expect(error).toMatchObject({ param, type: "invalid_request_error" });
    expect(error.message).not.toBe("");
  });

  test("previous_response_id, with its own code", async () => {
    const error = await refusedResponse({ previous_response_id: "resp_1" });
    expect(error).toMatchObject({ param: "previous_response_id", code: "previous_response_not_found" });
    expect((await response({ previous_response_id: null })).status).toBe("completed");
  });

  test.each(["", "{", "[]"])("body %j", async body => {
    const heard = await hearAt("responses", { ask: body });
    expect(heard.status).toBe(400);
    expect(JSON.parse(heard.text).error).toMatchObject({ type: "invalid_request_error", param: null });
  });

  test("hostile shapes are answered too", async () => {
    const trap = { toString: 1, valueOf: 1 };
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const bodies = [
      { input: [{ type: trap }, { role: trap, content: [trap] }] },
      { input: [{ type: "function_call", call_id: trap, name: trap, arguments: trap, id: trap }] },
      { tools: [{ type: trap, name: trap }], tool_choice: trap, text: trap, reasoning: trap },
    ];
    for (const body of bodies) await refusedResponse(body);
    const nested = JSON.stringify({ input: INPUT, metadata: "DEEP" }).replace('"DEEP"', deep);
    expect((await hearAt("responses", { ask: nested })).status).toBe(400);
  });
});

describe("what it reads", () => {
  const textOf = async (ask: { [field: string]: unknown }) =>
    (await response(ask)).output[0]?.content?.[0]?.text;

  test("items with and without a type, of every role", async () => {
    const input = [
      said("Be brief.", "developer"),
      said("Be kind.", "system"),
      { type: "message", ...said([{ type: "input_text", text: "Hello there" }]) },
      {
        type: "message",
        id: "msg_1",
        ...said([{ type: "output_text", text: "Hi", annotations: [] }], "assistant"),
      },
      { type: "web_search_call", id: "ws_1", status: "completed" },
      said("And now?"),
    ];
    const { usage } = await response({ input, instructions: "In English" });
    expect(usage?.input_tokens).toBe(6 * 4 + 3 + 3 + 2 + 1 + 3 + 2);
    expect(await textOf({ input })).toContain('You said: "And now?"');
  });

  test("images, files and sounds: it says how many, and counts them", async () => {
    const content = [
      { type: "input_text", text: "Look" },
      { type: "input_image", image_url: "data:image/png;base64,AA" },
      { type: "input_file", file_data: "data:application/pdf;base64,AA", filename: "a.pdf" },
    ];
    expect(await textOf({ input: [said(content)] })).toContain('"Look" and 1 image and 1 document.');
    expect((await response({ input: [said(content)] })).usage?.input_tokens).toBe(4 + 1 + 85 + 250);
  });

  test("outputs of calls of either kind, as text or as parts, and calls nothing again", async () => {
    const tools = [
      { type: "function", name: "clock", parameters: {} },
      { type: "custom", name: "patch" },
    ];
    const parts = [
      { type: "input_text", text: "done" },
      { type: "input_image", image_url: "data:image/png;base64,AA" },
    ];
    const input = [
      said("clock patch"),
      call("a", { id: "fc_1" }),
      custom("b", { id: "ctc_1" }),
      output("a"),
      { type: "custom_tool_call_output", call_id: "b", output: parts },
    ];
    expect(await textOf({ input, tools })).toContain(
      'returned: "nine". The tool returned: "done" and 1 image.',
    );
  });

  test("its own reasoning, and no other dialect's", async () => {
    const ask = { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] };
    const { output: made } = await response(ask);
    expect((await response({ ...ask, input: [said("Hi"), ...made, said("Go on")] })).status).toBe(
      "completed",
    );
    const unsealed = [{ type: "reasoning", id: "rs_1", summary: [] }, said("Hi")];
    expect((await response({ input: unsealed })).status).toBe("completed");
    const body = { max_tokens: 99, messages: [said("Hi")], thinking: { type: "adaptive" } };
    const [thought] = JSON.parse((await hearAt("messages", { ask: body })).text).content;
    const foreign = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: thought.signature };
    const error = await refusedResponse({ input: [foreign, said("Hi")] });
    expect(error).toMatchObject({ param: "input[0].encrypted_content", code: "invalid_encrypted_content" });
  });

  test("fields nobody knows are passed over", async () => {
    const ask = {
      client_metadata: { a: "b" },
      prompt_cache_key: "k",
      truncation: "auto",
      tools: [{ type: "web_search" }],
    };
    expect(await response(ask)).toMatchObject({
      status: "completed",
      prompt_cache_key: "k",
      truncation: "auto",
    });
  });
});
