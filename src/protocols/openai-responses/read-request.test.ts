import { describe, expect, test } from "bun:test";
import { readChatRequest } from "../openai-chat/read-request.ts";
import type { RequestEdits, RequestView } from "../protocol.ts";
import { readResponsesRequest, writeResponsesRequest } from "./read-request.ts";

const GOOD = { model: "m", input: "hi" };
const SAME: RequestEdits = { upstreamModel: "m", outputTokens: null, kind: "openai" };

const bytesOf = (body: string | object) =>
  Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

function read(body: string | object, reader = readResponsesRequest): RequestView {
  const result = reader(bytesOf(body));
  if ("refusal" in result) throw new Error(JSON.stringify(result.refusal));
  return result.request;
}

function refused(body: string | object, reader = readResponsesRequest) {
  const result = reader(bytesOf(body));
  if ("request" in result) throw new Error("it was not refused");
  const { reason, params } = result.refusal;
  return { reason, param: params["param"], problem: String(params["problem"]), model: result.model };
}

const written = (body: string | object, edits: Partial<RequestEdits> = {}) =>
  Buffer.from(writeResponsesRequest(read(body), { ...SAME, ...edits })).toString();

const items = (...input: unknown[]) => ({ ...GOOD, input });
const call = { type: "function_call", call_id: "call_1", name: "find", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "found" };
const named = (name: string, type = "function") => ({ type, name });

describe("a problem names its field:", () => {
  const cases: readonly [string, object][] = [
    ["model", { input: "hi" }],
    ["model", { ...GOOD, model: "" }],
    ["input", { model: "m" }],
    ["input", { ...GOOD, input: null }],
    ["input", { ...GOOD, input: 5 }],
    ["input", { ...GOOD, input: {} }],
    ["input", { ...GOOD, input: [] }],
    ["input", { ...GOOD, input: "" }],
    ["input[0]", items("hi")],
    ["input[0].type", items({})],
    ["input[0].type", items({ type: 5 })],
    ["input[0].type", items({ type: "tool_message" })],
    ["input[0].role", items({ role: "tool", content: "a" })],
    ["input[0].role", items({ type: "message", content: "a" })],
    ["input[0].content", items({ role: "user", content: 5 })],
    ["input[0].content", items({ role: "user" })],
    ["input[0].content[0]", items({ role: "user", content: ["a"] })],
    ["input[0].content[0].type", items({ role: "user", content: [{ text: "a" }] })],
    ["input[0].content[0].type", items({ role: "user", content: [{ type: "image_url" }] })],
    ["input[0].call_id", items({ ...call, call_id: undefined })],
    ["input[0].name", items({ ...call, name: "" })],
    ["input[0].name", items({ type: "custom_tool_call", call_id: "c" })],
    ["input[0].call_id", items(output)],
    ["input[0].call_id", items(output, call)],
    ["input[1].call_id", items(call, { ...output, call_id: "" })],
    ["input[1].call_id", items(call, { type: "custom_tool_call_output", call_id: "other", output: "" })],
    ["input[1].output[0].type", items(call, { ...output, output: [{ type: "image_url" }] })],
    ["stream", { ...GOOD, stream: 1 }],
    ["stream_options", { ...GOOD, stream_options: [] }],
    ["max_output_tokens", { ...GOOD, max_output_tokens: 0 }],
    ["max_output_tokens", { ...GOOD, max_output_tokens: "5" }],
    ["temperature", { ...GOOD, temperature: 2.5 }],
    ["top_p", { ...GOOD, top_p: 1.1 }],
    ["tools", { ...GOOD, tools: "none" }],
    ["tools[0]", { ...GOOD, tools: [null] }],
    ["tool_choice", { ...GOOD, tools: [named("a")], tool_choice: named("b") }],
    ["tool_choice", { ...GOOD, tool_choice: named("b", "custom") }],
    [
      "tool_choice",
      { ...GOOD, tools: [named("a")], tool_choice: { type: "allowed_tools", tools: [named("b")] } },
    ],
    ["background", { ...GOOD, background: true }],
    ["conversation", { ...GOOD, conversation: "conv_1" }],
    ["conversation", { ...GOOD, conversation: { id: "conv_1" } }],
  ];
  test.each(cases)("%s in %j", (param, body) => {
    const seen = refused(body);
    expect(seen).toMatchObject({ reason: "request_invalid", param });
    expect(seen.problem).toContain(`“${param}”`);
    expect(seen.problem.length).toBeLessThan(140);
  });

  test("[P40] an answer that was kept elsewhere is not known here, and the way out is told", () => {
    const seen = refused({ ...GOOD, previous_response_id: "resp_1" });
    expect(seen.param).toBe("previous_response_id");
    expect(seen.problem).toContain("send the whole conversation in “input” instead");
  });

  test.each(["model", "input", "stream", "max_output_tokens", "previous_response_id"])(
    "%s given twice",
    field => {
      expect(refused(`{"${field}":null,"${field}":null}`).problem).toBe(`“${field}” is given twice`);
    },
  );
});

describe("what passes:", () => {
  const types = [
    ...[
      "reasoning",
      "compaction",
      "compaction_trigger",
      "additional_tools",
      "configuration_update",
      "program",
    ],
    ...[
      "file_search_call",
      "web_search_call",
      "computer_call",
      "code_interpreter_call",
      "image_generation_call",
    ],
    ...[
      "local_shell_call",
      "shell_call",
      "apply_patch_call",
      "mcp_call",
      "mcp_list_tools",
      "mcp_approval_request",
    ],
    ...[
      "mcp_approval_response",
      "tool_search_call",
      "tool_search_output",
      "program_output",
      "item_reference",
    ],
    "local_shell_call_output",
  ];
  test.each(types)("an item of type %s", type => expect(read(items({ type, id: "x" })).model).toBe("m"));

  test("items without a type, and every kind of content", () => {
    const kinds = [
      "input_text",
      "input_image",
      "input_file",
      "input_audio",
      "output_text",
      "refusal",
      "text",
    ];
    const content = kinds.map(type => ({ type }));
    for (const role of ["user", "assistant", "system", "developer"])
      expect(read(items({ role, content }, { id: "msg_1" }, { type: null, id: "rs_1" })).model).toBe("m");
  });

  test("results of calls that came before, or that stand elsewhere", () => {
    const shell = { type: "shell_call", call_id: "call_9" };
    const custom = { type: "custom_tool_call", call_id: "call_2", name: "run", input: "ls" };
    const results = ["call_9", "call_2"].map((call_id, at) => {
      return { type: at === 0 ? "shell_call_output" : "custom_tool_call_output", call_id, output: "" };
    });
    expect(read(items(call, shell, custom, output, ...results)).model).toBe("m");
    expect(read(items({ type: "item_reference", id: "fc_1" }, output)).model).toBe("m");
    expect(read(items({ type: "compaction", encrypted_content: "x" }, output)).model).toBe("m");
  });

  test("a chosen tool that is there, or may be", () => {
    const space = { type: "namespace", name: "n", tools: [named("b")] };
    const chosen = { tool_choice: named("b") };
    for (const extra of [
      { tools: [named("a"), named("b")] },
      { tools: [space] },
      { input: [{ type: "additional_tools", tools: [named("b")] }] },
      { prompt: { id: "pmpt_1" } },
    ])
      expect(read({ ...GOOD, ...chosen, ...extra }).model).toBe("m");
    for (const tool_choice of [
      "auto",
      "required",
      { type: "web_search_preview" },
      { type: "mcp", name: "x" },
    ])
      expect(read({ ...GOOD, tool_choice }).model).toBe("m");
  });

  test("nothing for a state, store, and a prompt that the upstream keeps", () => {
    const none = { previous_response_id: null, conversation: null, background: false, store: true };
    expect(written({ ...GOOD, ...none })).toBe(JSON.stringify({ ...GOOD, ...none }));
    expect(read({ ...GOOD, previous_response_id: "" }).model).toBe("m");
    expect(read({ model: "m", prompt: { id: "pmpt_1" } }).model).toBe("m");
  });

  test("[P56] [P62] [P64] everything else, byte for byte", () => {
    const body = ` { "input":[{"role":"user","content":[{"type":"input_text","text":"caf\\u00e9 \\/ é"}]}] , "model" : "m",
      "store":false,"include":["reasoning.encrypted_content"],"client_metadata":{"model":"m"},"x":1.0,"x":-0, "top_p":0.10,
      "tools":[{"type":"namespace","name":"n","tools":[]},{"type":"web_search"}],"prompt_cache_key":"k","service_tier":"flex",
      "reasoning":{"effort":"high"},"stream":true }\n`;
    const view = read(body);
    expect(writeResponsesRequest(view, SAME)).toBe(view.bytes);
    const sent = written(body, { upstreamModel: "x", outputTokens: 70 });
    expect(sent).toBe(
      body.replace("{", '{"max_output_tokens":70,').replace('"model" : "m"', '"model" : "x"'),
    );
    const limited = body.replace('"store"', '"max_output_tokens" : 5000, "store"');
    expect(written(limited, { outputTokens: 70 })).toBe(limited.replace("5000", "70"));
  });
});

describe("the view", () => {
  test("of a plain request", () => {
    const view = read(GOOD);
    expect(view).toMatchObject({
      dialect: "responses",
      model: "m",
      stream: false,
      wantsUsage: true,
      choices: 1,
    });
    expect(view).toMatchObject({ limitField: null, outputTokensAsked: null, dataBytes: 0, dataParts: 0 });
    const limited = read({ ...GOOD, max_output_tokens: 50, stream: true });
    expect(limited).toMatchObject({ limitField: "max_output_tokens", outputTokensAsked: 50, stream: true });
  });

  test("measures images, sound and files apart from the text, also those of tools", () => {
    const url = `data:image/png;base64,${"A".repeat(50)}`;
    const measured = (...content: unknown[]) => {
      const { dataBytes, dataParts } = read(items({ role: "user", content }));
      return [dataBytes, dataParts];
    };
    expect(measured({ type: "input_text", text: url })).toEqual([0, 0]);
    expect(measured({ type: "input_image", image_url: url })).toEqual([url.length, 1]);
    expect(measured({ type: "input_image", image_url: "https://a.example/b.png" })).toEqual([1, 1]);
    expect(measured({ type: "input_image", file_id: "file_1" })).toEqual([1, 1]);
    expect(measured({ type: "input_file", file_data: url }, { type: "input_file", file_id: "f" })).toEqual([
      url.length + 1,
      2,
    ]);
    expect(measured({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } })).toEqual([4, 1]);
    const tool = read(items(call, { ...output, output: [{ type: "input_image", image_url: url }] }));
    expect(tool).toMatchObject({ dataBytes: url.length, dataParts: 1 });
    const seen = {
      type: "computer_call_output",
      call_id: "c",
      output: { type: "computer_screenshot", image_url: url },
    };
    expect(read(items({ type: "computer_call", call_id: "c" }, seen)).dataParts).toBe(1);
    expect(read(items({ type: "image_generation_call", result: "AAAA" }))).toMatchObject({
      dataBytes: 4,
      dataParts: 1,
    });
  });
});

describe("a request in this dialect that is sent to chat", () => {
  test("is read as what it is", () => {
    for (const body of [GOOD, { ...GOOD, messages: null }, items({ role: "user", content: "hi" })])
      expect(read(body, readChatRequest)).toMatchObject({ dialect: "responses", model: "m" });
  });

  test("is refused in its own words, and with messages it is a chat request", () => {
    expect(refused({ ...GOOD, max_output_tokens: 0 }, readChatRequest).param).toBe("max_output_tokens");
    expect(refused({ model: "m" }, readChatRequest).param).toBe("messages");
    const both = { ...GOOD, messages: [{ role: "user", content: "hi" }] };
    expect(read(both, readChatRequest).dialect).toBe("chat");
  });
});
