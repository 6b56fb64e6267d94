import type { Format, Prompt, ReasoningAsk, Turn } from "../../domain/chat.ts";
import { isAbsent, isObject, objectOf } from "../json-value.ts";
import type { Json, Problem } from "../protocol.ts";
import { Faults } from "./faults.ts";
import { textOf, textOrNull } from "./json-shape.ts";
import { textPart } from "./read-content.ts";
import { readInput } from "./read-input.ts";
import { placedTools, readToolChoice, readTools } from "./read-tools.ts";

const TOKENS_MAX = 100_000_000;

export function readResponsesPrompt(body: Json): { prompt: Prompt } | { problem: Problem } {
  const faults = new Faults();
  refuseWhatIsKeptElsewhere(body, faults);
  const system = readInstructions(body["instructions"], faults);
  const input = readInput(body["input"], faults);
  if (!isAbsent(body["tools"]) && !Array.isArray(body["tools"])) faults.add("tools", "must be a list");
  const tools = readTools([...placedTools(body["tools"], "tools"), ...input.tools], faults);
  const numberAt = (param: string, range: Range) => readNumber({ value: body[param], param, range, faults });
  const text = objectOf(body["text"]);
  const prompt: Prompt = {
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    wantsUsage: true,
    turns: [...system, ...input.turns],
    tools,
    toolChoice: readToolChoice({ choice: body["tool_choice"], tools, faults }),
    parallelTools: typeof body["parallel_tool_calls"] === "boolean" ? body["parallel_tool_calls"] : null,
    outputTokensMax: numberAt("max_output_tokens", { min: 1, max: TOKENS_MAX, isWhole: true }),
    temperature: numberAt("temperature", { min: 0, max: 2 }),
    topP: numberAt("top_p", { min: 0, max: 1 }),
    topK: null,
    stops: [],
    format: readFormat(text["format"], faults),
    reasoning: readReasoningAsk(body["reasoning"], faults),
    verbosity: textOrNull(text["verbosity"]),
    user: textOrNull(body["safety_identifier"]) ?? textOrNull(body["user"]),
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
    serviceTier: textOrNull(body["service_tier"]),
    cache: null,
    cacheKey: textOrNull(body["prompt_cache_key"]),
  };
  const problem = faults.first;
  return problem === null ? { prompt } : { problem };
}

/** Nothing is kept here between two requests, and left out in silence it would be missed. */
function refuseWhatIsKeptElsewhere(body: Json, faults: Faults): void {
  const { previous_response_id: previous, conversation, prompt, background, top_logprobs: logprobs } = body;
  if (!isAbsent(previous) && previous !== "")
    faults.add(
      "previous_response_id",
      "names a response that is not kept here; send the whole conversation in “input” instead",
    );
  if (!isAbsent(conversation))
    faults.add(
      "conversation",
      "names one that is not kept here; send the whole conversation in “input” instead",
    );
  if (!isAbsent(prompt))
    faults.add("prompt", "names a template that is not kept here; send its text in “instructions” instead");
  if (background === true) faults.add("background", "cannot be true: an answer is not kept here for later");
  if (typeof logprobs === "number" && logprobs > 0)
    faults.add("top_logprobs", "cannot be answered by the upstream of this model");
}

function readInstructions(instructions: unknown, faults: Faults): Turn[] {
  if (isAbsent(instructions) || instructions === "") return [];
  if (typeof instructions === "string")
    return [{ role: "system", parts: [textPart(instructions)], at: "instructions" }];
  faults.add("instructions", "must be a text");
  return [];
}

type Range = { min: number; max: number; isWhole?: true };

function readNumber({
  value,
  param,
  range: { min, max, isWhole },
  faults,
}: {
  value: unknown;
  param: string;
  range: Range;
  faults: Faults;
}): number | null {
  if (isAbsent(value)) return null;
  const isRight = typeof value === "number" && value >= min && value <= max;
  if (isRight && (isWhole === undefined || Number.isInteger(value))) return value;
  faults.add(param, `must be a ${isWhole ? "whole " : ""}number from ${min} to ${max}`);
  return null;
}

function readFormat(format: unknown, faults: Faults): Format | null {
  if (isAbsent(format)) return null;
  const { type, name, description, schema, strict } = objectOf(format);
  switch (type) {
    case "text":
      return { kind: "text" };
    case "json_object":
      return { kind: "json" };
    case "json_schema":
      if (!isObject(schema)) faults.add("text.format.schema", "must be a JSON schema");
      return {
        kind: "schema",
        name: textOrNull(name),
        description: textOrNull(description),
        schema,
        strict: typeof strict === "boolean" ? strict : null,
      };
    default:
      faults.add("text.format.type", "must be one of text, json_object, json_schema");
      return null;
  }
}

function readReasoningAsk(reasoning: unknown, faults: Faults): ReasoningAsk | null {
  if (isAbsent(reasoning)) return null;
  if (!isObject(reasoning)) {
    faults.add("reasoning", "must be an object");
    return null;
  }
  const { effort, summary, generate_summary: formerSummary } = reasoning;
  if (!isAbsent(effort) && typeof effort !== "string") faults.add("reasoning.effort", "must be a text");
  const asked = summary ?? formerSummary;
  return {
    effort: textOrNull(effort),
    budgetTokens: null,
    shows: isAbsent(asked) ? null : asked !== "none",
  };
}
