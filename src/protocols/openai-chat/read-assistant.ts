import type { Part, ReasoningPart, ToolCallPart } from "../../domain/chat.ts";
import { functionInput } from "../function-input.ts";
import { isAbsent, isDeep, isObject, listOf, objectOf, textOf } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { readCacheMark } from "./read-cache-mark.ts";
import { readContent } from "./read-content.ts";
import { detailsText } from "./reasoning-details.ts";
import { writeSeal } from "./reasoning-seal.ts";

export type MessageSpot = { message: Json; at: string; problems: Problems };

/** What the model said before: its thoughts, its text, a refusal, and its calls, in this order. */
export function readAssistant({ message, at, problems }: MessageSpot): Part[] {
  const content = readContent({
    content: message["content"],
    at: `${at}.content`,
    takes: ["text", "refusal", "thinking"],
    problems,
  });
  const refusal = textOf(message["refusal"]);
  return [
    ...reasoningOf(message),
    ...content,
    ...(refusal === "" ? [] : [{ kind: "refusal", text: refusal } as const]),
    ...readCalls({ message, at, problems }),
  ];
}

/** The id that a call gets where the dialect gives none: calls of the time before tools were known by their name. */
export function legacyCallId(at: string): string {
  return `call_${at.replace(/\D/g, "")}`;
}

function reasoningOf(message: Json): ReasoningPart[] {
  const { reasoning_content, reasoning, reasoning_details, tool_calls } = message;
  const content = textOf(reasoning_content);
  const text = content || textOf(reasoning) || detailsText(reasoning_details);
  const seal = writeSeal({
    field: text === "" ? null : content === "" ? "reasoning" : "reasoning_content",
    details: listOf(reasoning_details).filter(detail => isObject(detail) && !isDeep(detail)),
    tools: extrasOf(tool_calls),
  });
  return text === "" && seal === null ? [] : [{ kind: "reasoning", text, seal }];
}

function extrasOf(calls: unknown): ReadonlyMap<string, unknown> {
  const extras = listOf(calls).map(objectOf);
  return new Map(
    extras.flatMap(({ id, extra_content }) =>
      typeof id === "string" && isObject(extra_content) && !isDeep(extra_content)
        ? [[id, extra_content]]
        : [],
    ),
  );
}

function readCalls({ message, at, problems }: MessageSpot): ToolCallPart[] {
  const { tool_calls, function_call } = message;
  const legacy = isObject(function_call)
    ? { id: legacyCallId(at), type: "function", function: function_call }
    : null;
  if (legacy !== null) {
    const call = readCall({ message: legacy, at: `${at}.function_call`, problems });
    return call === null ? [] : [call];
  }
  if (isAbsent(tool_calls)) return [];
  if (!Array.isArray(tool_calls)) {
    problems.add({ at: `${at}.tool_calls`, clause: "must be a list" });
    return [];
  }
  return tool_calls.flatMap((call: unknown, place) => {
    const read = readCall({ message: objectOf(call), at: `${at}.tool_calls[${place}]`, problems });
    return read === null ? [] : [read];
  });
}

function readCall({ message: call, at, problems }: MessageSpot): ToolCallPart | null {
  const { id, type } = call;
  const tool = type === "custom" ? "custom" : "function";
  const spec = objectOf(call[tool]);
  const field = tool === "custom" ? "input" : "arguments";
  const { name, [field]: input } = spec;
  // A legacy call stands without the field that is named after its type.
  const inside = at.endsWith("function_call") ? at : `${at}.${tool}`;
  if (typeof id !== "string" || id === "") problems.add({ at: `${at}.id`, clause: "is missing" });
  else if (!isAbsent(type) && type !== tool)
    problems.add({ at: `${at}.type`, clause: "must be function or custom" });
  else if (typeof name !== "string" || name === "")
    problems.add({ at: `${inside}.name`, clause: "is missing" });
  else if (typeof input !== "string") problems.add({ at: `${inside}.${field}`, clause: "must be a text" });
  else
    return {
      kind: "tool-call",
      id,
      name,
      input: tool === "function" ? functionInput(input) : input,
      tool,
      namespace: null,
      cache: readCacheMark(call),
    };
  return null;
}
