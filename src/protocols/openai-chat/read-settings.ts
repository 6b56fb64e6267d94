import type { Format, ReasoningAsk } from "../../domain/chat.ts";
import { type Range, TOKENS_MAX } from "../check-fields.ts";
import { booleanOrNull, isAbsent, isObject, objectOf, textOrNull } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { readNumber } from "../read-number.ts";

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const LIMITS = ["max_tokens", "max_completion_tokens"] as const;
const TOKENS: Range = { min: 1, max: TOKENS_MAX, isWhole: true };

/** Two names for one limit. */
export function readLimit(body: Json, problems: Problems): number | null {
  const [old, fresh] = LIMITS.map(at => readNumber({ value: body[at], at, problems }, TOKENS));
  if (!isAbsent(old) && !isAbsent(fresh) && old !== fresh)
    problems.add({ at: "max_tokens", clause: "and “max_completion_tokens” differ: give one of them" });
  return fresh ?? old ?? null;
}

export function readStops({ stop }: Json, problems: Problems): string[] {
  const given: unknown[] = isAbsent(stop) ? [] : Array.isArray(stop) ? stop : [stop];
  const stops = given.filter(text => typeof text === "string");
  if (stops.length < given.length) problems.add({ at: "stop", clause: "must be a text or a list of texts" });
  return stops.filter(text => text !== "");
}

export function readFormat({ response_format }: Json, problems: Problems): Format | null {
  if (isAbsent(response_format)) return null;
  const { type, json_schema } = objectOf(response_format);
  if (type === "text") return { kind: "text" };
  if (type === "json_object") return { kind: "json" };
  if (type !== "json_schema") {
    problems.add({ at: "response_format.type", clause: "must be one of text, json_object, json_schema" });
    return null;
  }
  const { name, description, schema, strict } = objectOf(json_schema);
  if (!isObject(schema))
    problems.add({ at: "response_format.json_schema.schema", clause: "must be a JSON schema" });
  return {
    kind: "schema",
    name: textOrNull(name),
    description: textOrNull(description),
    schema: schema ?? null,
    strict: booleanOrNull(strict),
  };
}

/** OpenAI's `reasoning_effort`, or the object that OpenRouter made of it and other clients write too. */
export function readReasoning(
  { reasoning_effort, reasoning }: Json,
  problems: Problems,
): ReasoningAsk | null {
  if (isAbsent(reasoning_effort) && !isObject(reasoning)) return null;
  const asked = objectOf(reasoning);
  const effort = isAbsent(reasoning_effort) ? asked["effort"] : reasoning_effort;
  if (!isAbsent(effort) && !EFFORTS.some(known => known === effort)) {
    const at = isAbsent(reasoning_effort) ? "reasoning.effort" : "reasoning_effort";
    problems.add({ at, clause: `must be one of ${EFFORTS.join(", ")}` });
  }
  const budget = { value: asked["max_tokens"], at: "reasoning.max_tokens", problems };
  const budgetTokens = readNumber(budget, TOKENS);
  const switched = asked["enabled"] === false ? "none" : budgetTokens === null ? "medium" : null;
  return {
    // Without a word on how much, what is switched on is the middle.
    effort: textOrNull(effort) ?? (typeof asked["enabled"] === "boolean" ? switched : null),
    budgetTokens,
    shows: asked["exclude"] === true ? false : null,
  };
}
