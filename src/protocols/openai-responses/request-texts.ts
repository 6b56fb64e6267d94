import { isObject, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { addContent, addJson, addText, type RequestTexts } from "../request-texts.ts";

/** Null where it is not a responses request. Images, audio and files are no text, and are counted by their number. */
export function responsesRequestTexts(body: unknown): RequestTexts | null {
  if (!isObject(body)) return null;
  const { input } = body;
  if (typeof input !== "string" && !Array.isArray(input)) return null;
  const texts: string[] = [];
  addText(texts, body["instructions"]);
  for (const item of addContent(texts, input)) addItem(texts, item);
  addJson(texts, body["tools"]);
  addJson(texts, objectOf(body["text"])["format"]);
  return { texts, messages: typeof input === "string" ? 1 : input.length };
}

function addItem(texts: string[], item: Json): void {
  addParts(texts, item["content"]);
  addParts(texts, item["summary"]);
  addText(texts, item["name"]);
  addText(texts, item["arguments"]);
  addText(texts, item["input"]);
  // What was asked of a tool that is no function, such as a command.
  addJson(texts, item["action"]);
  addJson(texts, item["operation"]);
  addParts(texts, item["output"]);
  if (Array.isArray(item["tools"])) addJson(texts, item["tools"]);
}

function addParts(texts: string[], content: unknown): void {
  for (const part of addContent(texts, content)) {
    addText(texts, part["text"]);
    addText(texts, part["refusal"]);
  }
}
