import type { Format, ReasoningAsk } from "../../domain/chat.ts";
import { isAbsent, isObject, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import type { Faults } from "./faults.ts";
import { textOrNull } from "./json-shape.ts";

const TOKENS_MAX = 100_000_000;
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const LIMITS = ["max_tokens", "max_completion_tokens"] as const;

export type NumberSpot = { body: Json; name: string; min: number; max: number; faults: Faults };

export function readNumber({ body, name, min, max, faults }: NumberSpot): number | null {
  const value = body[name];
  if (isAbsent(value)) return null;
  if (typeof value === "number" && value >= min && value <= max) return value;
  faults.add({ at: name, is: `must be a number from ${min} to ${max}` });
  return null;
}

export function readWhole({ body, name, min, max, faults }: NumberSpot): number | null {
  const value = body[name];
  if (isAbsent(value)) return null;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  faults.add({ at: name, is: `must be a whole number from ${min} to ${max}` });
  return null;
}

/** Two names for one limit. */
export function readLimit(body: Json, faults: Faults): number | null {
  const [old, fresh] = LIMITS.map(name => readWhole({ body, name, min: 1, max: TOKENS_MAX, faults }));
  if (!isAbsent(old) && !isAbsent(fresh) && old !== fresh)
    faults.add({ at: "max_tokens", is: "and “max_completion_tokens” differ: give one of them" });
  return fresh ?? old ?? null;
}

export function readStops({ stop }: Json, faults: Faults): string[] {
  const given: unknown[] = isAbsent(stop) ? [] : Array.isArray(stop) ? stop : [stop];
  const stops = given.filter(text => typeof text === "string");
  if (stops.length < given.length) faults.add({ at: "stop", is: "must be a text or a list of texts" });
  return stops.filter(text => text !== "");
}

export function readFormat({ response_format }: Json, faults: Faults): Format | null {
  if (isAbsent(response_format)) return null;
  const { type, json_schema } = objectOf(response_format);
  if (type === "text") return { kind: "text" };
  if (type === "json_object") return { kind: "json" };
  if (type !== "json_schema") {
    faults.add({ at: "response_format.type", is: "must be one of text, json_object, json_schema" });
    return null;
  }
  const { name, description, schema, strict } = objectOf(json_schema);
  if (!isObject(schema))
    faults.add({ at: "response_format.json_schema.schema", is: "must be a JSON schema" });
  return {
    kind: "schema",
    name: textOrNull(name),
    description: textOrNull(description),
    schema: schema ?? null,
    strict: typeof strict === "boolean" ? strict : null,
  };
}

/** OpenAI's `reasoning_effort`, or the object that OpenRouter made of it and other clients write too. */
export function readReasoning({ reasoning_effort, reasoning }: Json, faults: Faults): ReasoningAsk | null {
  if (isAbsent(reasoning_effort) && !isObject(reasoning)) return null;
  const asked = objectOf(reasoning);
  const effort = isAbsent(reasoning_effort) ? asked["effort"] : reasoning_effort;
  if (!isAbsent(effort) && !EFFORTS.some(known => known === effort)) {
    const at = isAbsent(reasoning_effort) ? "reasoning.effort" : "reasoning_effort";
    faults.add({ at, is: `must be one of ${EFFORTS.join(", ")}` });
  }
  const budget = { "reasoning.max_tokens": asked["max_tokens"] };
  const budgetTokens = readWhole({
    body: budget,
    name: "reasoning.max_tokens",
    min: 1,
    max: TOKENS_MAX,
    faults,
  });
  const switched = asked["enabled"] === false ? "none" : budgetTokens === null ? "medium" : null;
  return {
    // Without a word on how much, what is switched on is the middle.
    effort: textOrNull(effort) ?? (typeof asked["enabled"] === "boolean" ? switched : null),
    budgetTokens,
    shows: asked["exclude"] === true ? false : null,
  };
}
