import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { type Ask, hearAt, parseEvents } from "./demo.case.ts";

/** What the tests of the demo's Messages dialect share. */
export type Block = {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  data?: string;
  id?: string;
  name?: string;
  input?: unknown;
};
export type MessagesUsage = {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens: number;
  output_tokens_details?: { thinking_tokens: number };
};
export type Message = {
  id: string;
  type: string;
  role: string;
  model: string;
  content: Block[];
  stop_reason: string | null;
  stop_sequence: string | null;
  stop_details?: { type: string; category: string | null; explanation: string | null };
  usage: MessagesUsage;
};
export type MessagesEvent = {
  type: string;
  index?: number;
  message?: Message;
  content_block?: Block;
  delta?: { [field: string]: string | null };
  usage?: MessagesUsage;
};

export const SAY = (content: MessageParam["content"]): MessageParam[] => [{ role: "user", content }];
export const HELLO = SAY("What is a wicket gate?");

export async function message(ask: Ask, model = "demo"): Promise<Message> {
  const heard = await hearAt("messages", { ask: { max_tokens: 1_000, messages: HELLO, ...ask }, model });
  if (heard.status !== 200 || heard.failure !== null) throw new Error(heard.text);
  return JSON.parse(heard.text);
}

export async function messageEvents(ask: Ask, model = "demo"): Promise<MessagesEvent[]> {
  const full = { max_tokens: 1_000, messages: HELLO, ...ask, stream: true };
  const heard = await hearAt("messages", { ask: full, model });
  if (heard.status !== 200) throw new Error(heard.text);
  return parseEvents(heard.reads);
}

/** The sentence of a refusal with status 400. */
export async function refusedMessage(ask: Ask): Promise<string> {
  const heard = await hearAt("messages", { ask: { max_tokens: 1_000, messages: HELLO, ...ask } });
  const body = JSON.parse(heard.text);
  if (heard.status !== 400 || body.error.type !== "invalid_request_error" || body.type !== "error") {
    throw new Error(`${heard.status}: ${heard.text}`);
  }
  return body.error.message;
}

/** A stream as the message it told. */
export function foldMessage(events: readonly MessagesEvent[]): Message {
  const started = events[0]?.message;
  if (started === undefined) throw new Error("no message_start");
  const folded: Message = structuredClone(started);
  const inputs: string[] = [];
  for (const { type, index = 0, content_block: block, delta = {}, usage } of events) {
    if (type === "content_block_start" && block !== undefined) folded.content[index] = structuredClone(block);
    if (type === "message_delta") Object.assign(folded, delta, { usage: { ...folded.usage, ...usage } });
    const open = folded.content[index];
    if (type === "content_block_stop" && open?.type === "tool_use") {
      open.input = inputs[index] ? JSON.parse(inputs[index]) : {};
    }
    if (type !== "content_block_delta" || open === undefined) continue;
    if (delta["type"] === "text_delta") open.text += String(delta["text"]);
    if (delta["type"] === "thinking_delta") open.thinking += String(delta["thinking"]);
    if (delta["type"] === "signature_delta") open.signature = String(delta["signature"]);
    if (delta["type"] === "input_json_delta") inputs[index] = (inputs[index] ?? "") + delta["partial_json"];
  }
  return folded;
}
