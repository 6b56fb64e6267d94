import type { Seal } from "../../domain/chat.ts";
import { isDeep, isObject, listOf, objectOf, parsedObject } from "../json-value.ts";

/** Where a make of the dialect writes what was thought: the first two are fields, the last two stand in the content. */
export type ReasoningField = "reasoning_content" | "reasoning" | "think" | "thinking";

const FIELDS: readonly ReasoningField[] = ["reasoning_content", "reasoning", "think", "thinking"];

/** What an upstream of this dialect wants back: its reasoning where it wrote it, and what it hung on its tool calls. */
export type ChatSeal = {
  field: ReasoningField | null;
  /** OpenRouter's `reasoning_details`. */
  details: readonly unknown[];
  /** `extra_content` by the id of the call; Gemini keeps its thought signatures there. */
  tools: ReadonlyMap<string, unknown>;
};

export const NO_TOOLS: ReadonlyMap<string, unknown> = new Map();

/** Null where there is nothing to want back. */
export function writeSeal({ field, details, tools }: ChatSeal): Seal | null {
  if (field === null && details.length === 0 && tools.size === 0) return null;
  const value = {
    ...(field === null ? {} : { field }),
    ...(details.length === 0 ? {} : { details }),
    ...(tools.size === 0 ? {} : { tools: Object.fromEntries(tools) }),
  };
  return { origin: "chat", kind: "signature", value: JSON.stringify(value), id: null };
}

/** Null where it is another dialect's, or was changed on its way. */
export function readSeal(seal: Seal | null): ChatSeal | null {
  if (seal === null || seal.origin !== "chat") return null;
  const value = parsedObject(seal.value);
  if (value === null || isDeep(value)) return null;
  const { field, details, tools } = value;
  return {
    field: FIELDS.find(name => name === field) ?? null,
    details: listOf(details).filter(isObject),
    tools: new Map(Object.entries(objectOf(tools)).filter(([, extra]) => isObject(extra))),
  };
}
