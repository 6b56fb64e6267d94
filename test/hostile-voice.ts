import type { Dialect } from "../src/domain/usage.ts";

/** How an upstream of each dialect says things, in pieces that can be put together wrongly. */

export type Voice = {
  /** Up to the first word: the answer has begun, and a text is open. */
  start: string;
  word: (text: string) => string;
  /** The text is whole. */
  close: string;
  /** The last word, with the usage that is given; undefined is none. */
  end: (usage: unknown) => string;
  /** An error in the midst of a stream. */
  error: (message: string) => string;
  /** The same for a body. */
  errorBody: (message: string) => string;
  usage: (input: number, output: number) => Record<string, number>;
  whole: (text: string, usage: unknown) => string;
  /** A call of a tool at its place. */
  callStart: (place: number) => string;
  /** A piece of its arguments. */
  callPiece: (place: unknown, text: string) => string;
  /** All of them, once more. */
  callEnd: (place: number, args: string) => string;
};

const named = (event: { type: string } & Record<string, unknown>) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const chunk = (more: Record<string, unknown>) =>
  `data: ${JSON.stringify({ id: "chatcmpl-up", object: "chat.completion.chunk", created: 1_700_000_000, model: "up-model", ...more })}\n\n`;
const choice = (delta: unknown, finish: string | null = null) =>
  chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });

const chat: Voice = {
  start: choice({ role: "assistant", content: "" }),
  word: content => choice({ content }),
  close: choice({}, "stop"),
  end: usage => `${usage === undefined ? "" : chunk({ choices: [], usage })}data: [DONE]\n\n`,
  error: message => `data: ${JSON.stringify({ error: { message, type: "x", code: "y" } })}\n\n`,
  errorBody: message => JSON.stringify({ error: { message, type: "x", code: "y" } }),
  usage: (input, output) => ({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  }),
  whole: (content, usage) =>
    JSON.stringify({
      id: "chatcmpl-up",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "up-model",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage,
    }),
  callStart: index =>
    choice({
      tool_calls: [
        { index, id: `call_${index}`, type: "function", function: { name: "look", arguments: "" } },
      ],
    }),
  callPiece: (index, args) => choice({ tool_calls: [{ index, function: { arguments: args } }] }),
  callEnd: () => "",
};

const block = (index: unknown, content_block: unknown) =>
  named({ type: "content_block_start", index, content_block });
const stopBlock = (index: unknown) => named({ type: "content_block_stop", index });
const blockDelta = (index: unknown, delta: unknown) => named({ type: "content_block_delta", index, delta });
const MESSAGE = { id: "msg_up", type: "message", role: "assistant", model: "up-model" };

const messages: Voice = {
  start:
    named({
      type: "message_start",
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 5, output_tokens: 1 } },
    }) + block(0, { type: "text", text: "" }),
  word: text => blockDelta(0, { type: "text_delta", text }),
  close: stopBlock(0),
  end: usage =>
    named({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage }) +
    named({ type: "message_stop" }),
  error: message => named({ type: "error", error: { type: "overloaded_error", message } }),
  errorBody: message => JSON.stringify({ type: "error", error: { type: "overloaded_error", message } }),
  usage: (input, output) => ({ input_tokens: input, output_tokens: output }),
  whole: (text, usage) =>
    JSON.stringify({
      ...MESSAGE,
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage,
    }),
  callStart: place => block(place + 1, { type: "tool_use", id: `toolu_${place}`, name: "look", input: {} }),
  callPiece: (place, partial_json) =>
    blockDelta(typeof place === "number" ? place + 1 : place, { type: "input_json_delta", partial_json }),
  callEnd: place => stopBlock(place + 1),
};

const response = (status: string, more: Record<string, unknown> = {}) => ({
  id: "resp_up",
  object: "response",
  created_at: 1_700_000_000,
  model: "up-model",
  status,
  error: null,
  incomplete_details: null,
  output: [],
  ...more,
});
const item = (text: string, status: string) => ({
  id: "msg_up",
  type: "message",
  role: "assistant",
  status,
  content: status === "completed" ? [{ type: "output_text", text, annotations: [] }] : [],
});
const callItem = (place: number, args: string, status: string) => ({
  id: `fc_up${place}`,
  type: "function_call",
  call_id: `call_${place}`,
  name: "look",
  arguments: args,
  status,
});
const AT_TEXT = { item_id: "msg_up", output_index: 0, content_index: 0 };
/** Hostile or not, nobody looks at these numbers. */
const told = (type: string, more: Record<string, unknown>) => named({ type, sequence_number: 7, ...more });

const responses: Voice = {
  start:
    told("response.created", { response: response("in_progress") }) +
    told("response.output_item.added", { output_index: 0, item: item("", "in_progress") }) +
    told("response.content_part.added", {
      ...AT_TEXT,
      part: { type: "output_text", text: "", annotations: [] },
    }),
  word: delta => told("response.output_text.delta", { ...AT_TEXT, delta }),
  close:
    told("response.content_part.done", {
      ...AT_TEXT,
      part: { type: "output_text", text: "Hi", annotations: [] },
    }) + told("response.output_item.done", { output_index: 0, item: item("Hi", "completed") }),
  end: usage =>
    told("response.completed", {
      response: response("completed", {
        output: [item("Hi", "completed")],
        ...(usage === undefined ? {} : { usage }),
      }),
    }),
  error: message => told("error", { code: "server_error", message, param: null }),
  errorBody: message => JSON.stringify({ error: { message, type: "server_error", code: null, param: null } }),
  usage: (input, output) => ({ input_tokens: input, output_tokens: output, total_tokens: input + output }),
  whole: (text, usage) => JSON.stringify(response("completed", { output: [item(text, "completed")], usage })),
  callStart: place =>
    told("response.output_item.added", { output_index: place + 1, item: callItem(place, "", "in_progress") }),
  callPiece: (place, delta) =>
    told("response.function_call_arguments.delta", {
      item_id: `fc_up${place}`,
      output_index: typeof place === "number" ? place + 1 : place,
      delta,
    }),
  callEnd: (place, args) =>
    told("response.output_item.done", { output_index: place + 1, item: callItem(place, args, "completed") }),
};

/** A call of a tool, whole. */
export function wholeCall(voice: Voice, place: number, args: string): string {
  return voice.callStart(place) + voice.callPiece(place, args) + voice.callEnd(place, args);
}

export const VOICES: Readonly<Record<Dialect, Voice>> = { chat, messages, responses };
export const DIALECTS = ["chat", "messages", "responses"] as const satisfies readonly Dialect[];
