import { refusal } from "../domain/errors.ts";
import { scanObject } from "./json-object.ts";
import { isObject } from "./json-value.ts";
import type { Json, Problem, ReadResult } from "./protocol.ts";

/** What the bodies of all dialects have in common, whatever they ask. */

export const JSON_DEPTH_MAX = 100;
export const MODEL_CHARACTERS_MAX = 200;

/** A body that parses, and what may be wrong with how it is written. */
export type Parsed = { body: Json; layout: Problem | null };

export type BodyRules = {
  /** Named twice, such a field would mean one thing here and perhaps another upstream. */
  singleFields: readonly string[];
  /** Whether a text is seen at once to be neither deep nor to name a field twice. */
  isSimple?: (text: string) => boolean;
};

export function readBody(
  bytes: Buffer,
  { singleFields, isSimple }: BodyRules,
): Parsed | Extract<ReadResult, { refusal: unknown }> {
  const text = decoded(bytes);
  if (text === null) return invalid("", { param: "", problem: "the body is not valid UTF-8" });
  const layout = isSimple?.(text) === true ? null : layoutProblem(bytes, singleFields);
  if (layout !== null && layout.param === "") return invalid("", layout);
  const body = parseObject(text);
  return typeof body === "string" ? invalid("", { param: "", problem: body }) : { body, layout };
}

/** The model is known all the same, for the record. */
export function invalidBody(body: Json, problem: Problem): ReadResult {
  const { model } = body;
  return invalid(typeof model === "string" ? model.slice(0, MODEL_CHARACTERS_MAX) : "", problem);
}

function invalid(model: string, { param, problem }: Problem): Extract<ReadResult, { refusal: unknown }> {
  return { refusal: refusal("request_invalid", { problem, param }), model };
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decoded(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** What parsing would hide: depth, and fields that are named twice. */
function layoutProblem(bytes: Buffer, singleFields: readonly string[]): Problem | null {
  const scan = scanObject(bytes, JSON_DEPTH_MAX);
  if (scan.tooDeep) return { param: "", problem: `the JSON is nested deeper than ${JSON_DEPTH_MAX} levels` };
  const names = new Set<string>();
  for (const { name } of scan.fields) {
    if (names.has(name) && singleFields.includes(name))
      return { param: name, problem: `“${name}” is given twice` };
    names.add(name);
  }
  return null;
}

function parseObject(text: string): Json | string {
  if (text === "") return "the body is empty, and must be a JSON object";
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "the body must be a JSON object";
  } catch {
    return "the body is not valid JSON";
  }
}
