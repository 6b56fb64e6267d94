import type { Dialect } from "../src/domain/usage.ts";

/** Requests that cannot be served: what is wrong with a plain one, and the field that the refusal must name. */

export type BadRequest = {
  name: string;
  /** Laid over a plain request; undefined takes a field away. */
  patch: Record<string, unknown>;
  param: string;
  /** The dialect has it, and only an upstream of another one cannot be asked it. */
  translatedOnly?: true;
};

type Line = readonly [name: string, patch: Record<string, unknown>, param: string];

const bad = (lines: readonly Line[], more: Pick<BadRequest, "translatedOnly"> = {}): BadRequest[] =>
  lines.map(([name, patch, param]) => ({ name, patch, param, ...more }));

const user = (content: unknown) => ({ role: "user", content });
const messages = (...list: unknown[]) => ({ messages: list });
const hello = user("Hello");
const called = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };

/** Numbers that no limit may be. */
const absurd = (field: string): Line[] =>
  [0, -1, 1.5, 1e30, 2 ** 53, "9", true, [], {}].map(value => [
    `${field} of ${JSON.stringify(value)}`,
    { [field]: value },
    field,
  ]);

const EVERY: readonly Line[] = [
  ["no model", { model: undefined }, "model"],
  ["a model that is null", { model: null }, "model"],
  ["a model that is a list", { model: ["x"] }, "model"],
  ["a model of 5,000 characters", { model: "x".repeat(5_000) }, "model"],
  ["stream that is a text", { stream: "true" }, "stream"],
  ["stream that is a number", { stream: 1 }, "stream"],
  ["a temperature of a text", { temperature: "hot" }, "temperature"],
  ["a temperature of 9", { temperature: 9 }, "temperature"],
  ["a temperature of -1", { temperature: -1 }, "temperature"],
  ["top_p of 2", { top_p: 2 }, "top_p"],
  ["top_p that is a list", { top_p: [1] }, "top_p"],
  ["tools that are an object", { tools: {} }, "tools"],
  ["a tool that is a text", { tools: ["look"] }, "tools[0]"],
];

const chat: BadRequest[] = [
  ...bad([
    ...EVERY,
    ...absurd("max_tokens"),
    ["max_completion_tokens of 0", { max_completion_tokens: 0 }, "max_completion_tokens"],
    ["max_completion_tokens of a text", { max_completion_tokens: "1" }, "max_completion_tokens"],
    ["two limits that differ", { max_tokens: 5, max_completion_tokens: 9 }, "max_tokens"],
    ["n of 0", { n: 0 }, "n"],
    ["n of 1,000,000", { n: 1_000_000 }, "n"],
    ["n that is a text", { n: "2" }, "n"],
    ["a frequency penalty of 3", { frequency_penalty: 3 }, "frequency_penalty"],
    ["a presence penalty of a text", { presence_penalty: "1" }, "presence_penalty"],
    ["stream_options that are true", { stream_options: true }, "stream_options"],
    ["no messages", { messages: undefined }, "messages"],
    ["messages that are an object", { messages: {} }, "messages"],
    ["messages that are null", { messages: null }, "messages"],
    ["messages that are empty", { messages: [] }, "messages"],
    ["a message that is null", messages(hello, null), "messages[1]"],
    ["a message that is a list", messages([]), "messages[0]"],
    ["a message without a role", messages({ content: "Hi" }), "messages[0].role"],
    ["a role that nobody has", messages({ role: "robot", content: "Hi" }), "messages[0].role"],
    ["a role that is a number", messages({ role: 5, content: "Hi" }), "messages[0].role"],
    ["content that is a number", messages(user(5)), "messages[0].content"],
    ["content that is an object", messages(user({ text: "Hi" })), "messages[0].content"],
    ["a part that is a text", messages(user(["Hi"])), "messages[0].content[0]"],
    ["a part without a type", messages(user([{ text: "Hi" }])), "messages[0].content[0].type"],
    ["a part of a type that is a number", messages(user([{ type: 1 }])), "messages[0].content[0].type"],
    ["a part of an unknown type", messages(user([{ type: "smell" }])), "messages[0].content[0].type"],
    [
      "a result without a call",
      messages(hello, { role: "tool", tool_call_id: "c1", content: "4" }),
      "messages[1].tool_call_id",
    ],
    [
      "a result without an id",
      messages(hello, called(call), { role: "tool", content: "4" }),
      "messages[2].tool_call_id",
    ],
    [
      "a result before its call",
      messages(hello, { role: "tool", tool_call_id: "c1", content: "4" }, called(call)),
      "messages[1].tool_call_id",
    ],
    ["calls that are an object", messages(hello, { ...called(), tool_calls: {} }), "messages[1].tool_calls"],
    ["a call that is a text", messages(hello, called("look")), "messages[1].tool_calls[0]"],
    [
      "a call without an id",
      messages(hello, called({ ...call, id: undefined })),
      "messages[1].tool_calls[0].id",
    ],
    [
      "a call without a name",
      messages(hello, called({ ...call, function: {} })),
      "messages[1].tool_calls[0].function.name",
    ],
    [
      "a choice of a tool that is not there",
      { tool_choice: { type: "function", function: { name: "look" } } },
      "tool_choice",
    ],
  ]),
  ...bad(
    [
      ["two answers", { n: 2 }, "n"],
      ["logprobs", { logprobs: true }, "logprobs"],
      ["top_logprobs", { top_logprobs: 3 }, "top_logprobs"],
      ["logit_bias", { logit_bias: { 50256: -100 } }, "logit_bias"],
      ["an answer that is heard", { modalities: ["text", "audio"] }, "modalities"],
      ["a format that nobody has", { response_format: { type: "xml" } }, "response_format.type"],
      ["an effort that nobody has", { reasoning_effort: "extreme" }, "reasoning_effort"],
      ["stops that are numbers", { stop: [1, 2] }, "stop"],
      ["an empty message", messages({ role: "user" }), "messages[0]"],
    ],
    { translatedOnly: true },
  ),
];

const use = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const said = (...content: unknown[]) => ({ role: "assistant", content });
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "4" };

const messagesDialect: BadRequest[] = [
  ...bad([
    ...EVERY,
    ...absurd("max_tokens"),
    ["no max_tokens", { max_tokens: undefined }, "max_tokens"],
    ["max_tokens of null", { max_tokens: null }, "max_tokens"],
    ["top_k of -1", { top_k: -1 }, "top_k"],
    ["top_k of 1.5", { top_k: 1.5 }, "top_k"],
    ["a temperature of 1.5", { temperature: 1.5 }, "temperature"],
    ["no messages", { messages: undefined }, "messages"],
    ["messages that are a text", { messages: "Hello" }, "messages"],
    ["messages that are empty", { messages: [] }, "messages"],
    ["a message that is a text", messages("Hello"), "messages[0]"],
    ["a message without a role", messages({ content: "Hi" }), "messages[0].role"],
    ["a role of another dialect", messages({ role: "tool", content: "Hi" }), "messages[0].role"],
    ["a message without content", messages({ role: "user" }), "messages[0].content"],
    ["content that is a number", messages(user(5)), "messages[0].content"],
    ["content that is null", messages(user(null)), "messages[0].content"],
    ["content that is an object", messages(user({ type: "text" })), "messages[0].content"],
    ["a block that is a text", messages(user(["Hi"])), "messages[0].content[0]"],
    ["a block that is null", messages(user([null])), "messages[0].content[0]"],
    ["a block without a type", messages(user([{ text: "Hi" }])), "messages[0].content[0].type"],
    ["a block of an unknown type", messages(user([{ type: "smell" }])), "messages[0].content[0].type"],
    ["a block of another dialect", messages(user([{ type: "image_url" }])), "messages[0].content[0].type"],
    ["a result without a call", messages(user([result])), "messages[0].content[0].tool_use_id"],
    [
      "a result without an id",
      messages(hello, said(use), user([{ type: "tool_result", content: "4" }])),
      "messages[2].content[0].tool_use_id",
    ],
    [
      "a result of another call",
      messages(hello, said(use), user([{ ...result, tool_use_id: "toolu_2" }])),
      "messages[2].content[0].tool_use_id",
    ],
    ["a call without an id", messages(hello, said({ ...use, id: undefined })), "messages[1].content[0].id"],
    ["a call without a name", messages(hello, said({ ...use, name: "" })), "messages[1].content[0].name"],
    ["a system that is a number", { system: 5 }, "system"],
    ["a system of an unknown block", { system: [{ type: "smell" }] }, "system[0].type"],
    [
      "a choice of a tool that is not there",
      { tool_choice: { type: "tool", name: "look" }, tools: [{ name: "other", input_schema: {} }] },
      "tool_choice",
    ],
  ]),
  ...bad(
    [
      ["stops that are a text", { stop_sequences: "END" }, "stop_sequences"],
      ["thinking that is true", { thinking: true }, "thinking"],
      [
        "a budget that is a text",
        { thinking: { type: "enabled", budget_tokens: "many" } },
        "thinking.budget_tokens",
      ],
      ["a format that nobody has", { output_config: { format: { type: "xml" } } }, "output_config.format"],
    ],
    { translatedOnly: true },
  ),
];

const input = (...list: unknown[]) => ({ input: list });
const fn = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "4" };

const responses: BadRequest[] = [
  ...bad([
    ...EVERY,
    ...absurd("max_output_tokens"),
    ["previous_response_id", { previous_response_id: "resp_1" }, "previous_response_id"],
    ["a conversation", { conversation: "conv_1" }, "conversation"],
    ["a conversation that is an object", { conversation: { id: "conv_1" } }, "conversation"],
    ["background", { background: true }, "background"],
    ["no input", { input: undefined }, "input"],
    ["input that is null", { input: null }, "input"],
    ["input that is a number", { input: 5 }, "input"],
    ["input that is an object", { input: { role: "user" } }, "input"],
    ["input that is empty", { input: [] }, "input"],
    ["input that is an empty text", { input: "" }, "input"],
    ["an item that is a text", input("Hello"), "input[0]"],
    ["an item that is null", input(hello, null), "input[1]"],
    ["an item without a type", input({ content: "Hi" }), "input[0].type"],
    ["an item of a type that is a number", input({ type: 5 }), "input[0].type"],
    ["an item of an unknown type", input({ type: "smell" }), "input[0].type"],
    ["a role that nobody has", input({ role: "robot", content: "Hi" }), "input[0].role"],
    ["a role of another dialect", input({ role: "tool", content: "Hi" }), "input[0].role"],
    ["content that is a number", input(user(5)), "input[0].content"],
    ["content that is not there", input({ role: "user" }), "input[0].content"],
    ["a part that is a text", input(user(["Hi"])), "input[0].content[0]"],
    ["a part without a type", input(user([{ text: "Hi" }])), "input[0].content[0].type"],
    ["a part of an unknown type", input(user([{ type: "smell" }])), "input[0].content[0].type"],
    ["a part of another dialect", input(user([{ type: "image_url" }])), "input[0].content[0].type"],
    ["an output without a call", input(hello, output), "input[1].call_id"],
    ["an output before its call", input(hello, output, fn), "input[1].call_id"],
    ["an output without an id", input(hello, fn, { ...output, call_id: undefined }), "input[2].call_id"],
    ["a call without an id", input(hello, { ...fn, call_id: undefined }), "input[1].call_id"],
    ["a call without a name", input(hello, { ...fn, name: undefined }), "input[1].name"],
    [
      "an output of an unknown part",
      input(hello, fn, { ...output, output: [{ type: "smell" }] }),
      "input[2].output[0].type",
    ],
    [
      "a choice of a tool that is not there",
      { tool_choice: { type: "function", name: "look" } },
      "tool_choice",
    ],
  ]),
  ...bad(
    [
      ["a prompt that is kept elsewhere", { prompt: { id: "pmpt_1" } }, "prompt"],
      ["an item that is kept elsewhere", input(hello, { type: "item_reference", id: "msg_1" }), "input[1]"],
      ["arguments that are an object", input(hello, { ...fn, arguments: {} }), "input[1].arguments"],
    ],
    { translatedOnly: true },
  ),
];

export const BAD_REQUESTS: Readonly<Record<Dialect, readonly BadRequest[]>> = {
  chat,
  messages: messagesDialect,
  responses,
};

/** Bodies that are none, whatever the dialect. */
export const BAD_BODIES: readonly (readonly [name: string, body: string | Uint8Array, words: RegExp])[] = [
  ["nothing", "", /empty/],
  ["a text", "hello", /not valid JSON/],
  ["a list", "[]", /JSON object/],
  ["null", "null", /JSON object/],
  ["half of an object", '{"model":"chat","messages":[', /not valid JSON/],
  ["bytes that are no UTF-8", Buffer.from('{"model":"chat\xff"}', "latin1"), /UTF-8/],
  ["200 levels", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`, /nested/],
  ["100,000 levels", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /nested/],
  ["100,000 levels that are never closed", `{"a":${"[".repeat(100_000)}`, /nested|not valid/],
  ["two models", '{"model":"chat","model":"messages","messages":[],"input":"x"}', /“model” is given twice/],
];
