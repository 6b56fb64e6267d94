import { isObject, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { addContent, addJson, addText, type RequestTexts } from "../request-texts.ts";

/** Null where it is not a messages request. Images and files are no text, and are counted by their number. */
export function messagesRequestTexts(body: unknown): RequestTexts | null {
  if (!isObject(body) || !Array.isArray(body["messages"])) return null;
  const messages: readonly unknown[] = body["messages"];
  const texts: string[] = [];
  addBlocks(texts, body["system"]);
  for (const message of messages) addBlocks(texts, objectOf(message)["content"]);
  addJson(texts, body["tools"]);
  addJson(texts, objectOf(body["output_config"])["format"]);
  addJson(texts, body["output_format"]);
  return { texts, messages: messages.length };
}

function addBlocks(texts: string[], content: unknown): void {
  for (const block of addContent(texts, content)) addBlock(texts, block);
}

function addBlock(texts: string[], block: Json): void {
  addText(texts, block["title"]);
  addText(texts, block["text"]);
  addText(texts, block["thinking"]);
  if (block["type"] === "tool_addition") addJson(texts, block["tool"]);
  if (isObject(block["input"])) {
    addText(texts, block["name"]);
    addJson(texts, block["input"]);
  }
  addBlocks(texts, block["content"]);
  if (isObject(block["source"])) addSource(texts, block["source"]);
}

/** A document may be plain text, or be made of parts. */
function addSource(texts: string[], { type, data, content }: Json): void {
  if (type === "text") addText(texts, data);
  else if (type === "content") addBlocks(texts, content);
}
