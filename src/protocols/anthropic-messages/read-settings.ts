import type { Format, ReasoningAsk } from "../../domain/chat.ts";
import { isObject, objectOf, stringOrNull, textOf } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { readNumber } from "../read-number.ts";

export function readStops(value: unknown, problems: Problems): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(stop => typeof stop === "string")) return value;
  problems.add({ at: "stop_sequences", clause: "must be a list of texts" });
  return [];
}

/** The effort is also that of what is said; without thinking it is all that there is to tell others. */
export function readReasoning(body: Json, problems: Problems): ReasoningAsk | null {
  const effort = stringOrNull(objectOf(body["output_config"])["effort"]);
  const given = body["thinking"] ?? null;
  if (given === null) return effort === null ? null : { effort, budgetTokens: null, shows: null };
  if (!isObject(given)) {
    problems.add({ at: "thinking", clause: "must be an object" });
    return null;
  }
  if (given["type"] === "disabled") return { effort: "none", budgetTokens: null, shows: null };
  const budget = { value: given["budget_tokens"], at: "thinking.budget_tokens", problems };
  const budgetTokens = readNumber(budget, { min: 0, isWhole: true });
  const { display } = given;
  const shows = display === "summarized" ? true : display === "omitted" ? false : null;
  // Nothing before the answer, and short notes between tools.
  if (given["type"] === "between_tools") return { effort: "minimal", budgetTokens: null, shows };
  return { effort, budgetTokens, shows };
}

/** Older clients name the format at the top. */
export function readFormat(body: Json, problems: Problems): Format | null {
  const at = isObject(body["output_format"]) ? "output_format" : "output_config.format";
  const given = body["output_format"] ?? objectOf(body["output_config"])["format"] ?? null;
  if (given === null) return null;
  const format = objectOf(given);
  if (textOf(format["type"]) === "json_schema" && isObject(format["schema"]))
    return { kind: "schema", name: null, description: null, schema: format["schema"], strict: null };
  problems.add({ at, clause: "must be of the type json_schema and have a schema" });
  return null;
}
