import { isObject } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { addContent, addJson, addText, type RequestTexts } from "../request-texts.ts";

/** Given to the model as JSON, beside the messages. */
const DEFINITIONS = ["tools", "functions", "response_format"];

/** Null where it is not a chat request. Images, audio and files are no text, and are counted by their number. */
export function chatRequestTexts(body: unknown): RequestTexts | null {
  if (!isObject(body) || !Array.isArray(body["messages"])) return null;
  const messages: readonly unknown[] = body["messages"];
  const texts: string[] = [];
  for (const message of messages) if (isObject(message)) addMessage(texts, message);
  for (const name of DEFINITIONS) addJson(texts, body[name]);
  return { texts, messages: messages.length };
}

function addMessage(texts: string[], message: Json): void {
  addText(texts, message["name"]);
  addText(texts, message["reasoning_content"]);
  addText(texts, message["refusal"]);
  for (const part of addContent(texts, message["content"])) {
    addText(texts, part["text"]);
    addText(texts, part["refusal"]);
  }
  addCall(texts, message["function_call"]);
  const calls = message["tool_calls"];
  if (!Array.isArray(calls)) return;
  for (const call of calls) {
    if (!isObject(call)) continue;
    addCall(texts, call["function"]);
    addCall(texts, call["custom"]);
  }
}

function addCall(texts: string[], call: unknown): void {
  if (!isObject(call)) return;
  addText(texts, call["name"]);
  addText(texts, call["arguments"]);
  addText(texts, call["input"]);
}
