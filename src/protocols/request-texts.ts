import { isObject } from "./json-value.ts";
import type { Json } from "./protocol.ts";

/** What of a request a model reads: the texts to be counted, and the messages that each cost a little more. */
export type RequestTexts = { texts: string[]; messages: number };

export function addText(texts: string[], text: unknown): void {
  if (typeof text === "string" && text !== "") texts.push(text);
}

/** Given to the model as JSON, such as a tool or the form of the answer. */
export function addJson(texts: string[], value: unknown): void {
  if (typeof value === "object" && value !== null) texts.push(JSON.stringify(value));
}

/** A text is added; where there are parts instead, they are what is still to be looked at. */
export function addContent(texts: string[], content: unknown): readonly Json[] {
  addText(texts, content);
  return Array.isArray(content) ? content.filter(isObject) : [];
}
