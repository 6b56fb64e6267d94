import type { ReasoningPart, ReplyPart, Seal } from "../../domain/chat.ts";
import { functionInput, inputText } from "../function-input.ts";
import { isObject, listOf, objectOf, textOf, textOrNull } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { joinedTexts } from "../text-part.ts";
import { readCitations } from "./read-content.ts";
import { readNamespace } from "./read-tools.ts";

/**
 * What an item of an answer says: one part for each place of a message's content, so that a stream can tell which is
 * which, and one for any other item. Some may be empty.
 */
export function readItem(item: unknown): ReplyPart[] {
  if (!isObject(item)) return [];
  const type = textOf(item["type"]);
  switch (type) {
    case "message":
      return listOf(item["content"]).map(readContentPart);
    case "reasoning":
      return [readReasoning(item)];
    case "function_call":
    case "custom_tool_call":
      return [readCall(item)];
    default:
      return [{ kind: "foreign", type }];
  }
}

/** An empty part would be a block, or an item, that says nothing. A call says something even so. */
export function saysNothing(part: ReplyPart): boolean {
  switch (part.kind) {
    case "text":
      return part.text === "" && part.citations.length === 0;
    case "refusal":
      return part.text === "";
    case "reasoning":
      return part.text === "" && part.seal === null;
    default:
      return false;
  }
}

export function readReasoning(item: Json): ReasoningPart {
  const told = joinedTexts(item["summary"]);
  const text = told === "" ? joinedTexts(item["content"]) : told;
  return { kind: "reasoning", text, seal: sealOf(item) };
}

export function argumentsOf(given: unknown): string {
  return functionInput(inputText(given));
}

function readContentPart(content: unknown): ReplyPart {
  const { type, text, refusal, annotations } = objectOf(content);
  switch (type) {
    case "output_text":
    case "text":
      return { kind: "text", text: textOf(text), citations: readCitations(annotations), cache: null };
    case "refusal":
      return { kind: "refusal", text: textOf(refusal) };
    default:
      return { kind: "foreign", type: textOf(type) };
  }
}

/** Without a name nobody can be called. */
function readCall(item: Json): ReplyPart {
  const isCustom = item["type"] === "custom_tool_call";
  const id = textOrNull(item["call_id"]) ?? textOrNull(item["id"]);
  const name = textOrNull(item["name"]);
  if (id === null || name === null) return { kind: "foreign", type: textOf(item["type"]) };
  return {
    kind: "tool-call",
    id,
    name,
    input: isCustom ? textOf(item["input"]) : argumentsOf(item["arguments"]),
    tool: isCustom ? "custom" : "function",
    namespace: readNamespace(item["namespace"]),
    cache: null,
  };
}

function sealOf({ encrypted_content: ciphertext, id }: Json): Seal | null {
  const value = textOrNull(ciphertext);
  return value === null ? null : { origin: "responses", kind: "ciphertext", value, id: textOrNull(id) };
}
