import type { Format, Prompt, ReasoningAsk, Turn } from "../../domain/chat.ts";
import { type Range, TOKENS_MAX } from "../check-fields.ts";
import { booleanOrNull, isAbsent, isObject, objectOf, textOf, textOrNull } from "../json-value.ts";
import { Problems } from "../problems.ts";
import type { Json, Problem } from "../protocol.ts";
import { readNumber } from "../read-number.ts";
import { textPart } from "../text-part.ts";
import { readInput } from "./read-input.ts";
import { placedTools, readToolChoice, readTools } from "./read-tools.ts";

export function readResponsesPrompt(body: Json): { prompt: Prompt } | { problem: Problem } {
  const problems = new Problems();
  refuseWhatIsKeptElsewhere(body, problems);
  const system = readInstructions(body["instructions"], problems);
  const input = readInput(body["input"], problems);
  if (!isAbsent(body["tools"]) && !Array.isArray(body["tools"]))
    problems.add({ at: "tools", clause: "must be a list" });
  const tools = readTools([...placedTools(body["tools"], "tools"), ...input.tools], problems);
  const numberAt = (at: string, range: Range) => readNumber({ value: body[at], at, problems }, range);
  const text = objectOf(body["text"]);
  const prompt: Prompt = {
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    wantsUsage: true,
    turns: [...system, ...input.turns],
    tools,
    toolChoice: readToolChoice({ choice: body["tool_choice"], tools, problems }),
    parallelTools: booleanOrNull(body["parallel_tool_calls"]),
    outputTokensMax: numberAt("max_output_tokens", { min: 1, max: TOKENS_MAX, isWhole: true }),
    temperature: numberAt("temperature", { min: 0, max: 2 }),
    topP: numberAt("top_p", { min: 0, max: 1 }),
    topK: null,
    stops: [],
    format: readFormat(text["format"], problems),
    reasoning: readReasoningAsk(body["reasoning"], problems),
    verbosity: textOrNull(text["verbosity"]),
    user: textOrNull(body["safety_identifier"]) ?? textOrNull(body["user"]),
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
    serviceTier: textOrNull(body["service_tier"]),
    cache: null,
    cacheKey: textOrNull(body["prompt_cache_key"]),
  };
  const problem = problems.first;
  return problem === null ? { prompt } : { problem };
}

/** Nothing is kept here between two requests, and left out in silence it would be missed. */
function refuseWhatIsKeptElsewhere(body: Json, problems: Problems): void {
  const { previous_response_id: previous, conversation, prompt, background, top_logprobs: logprobs } = body;
  if (!isAbsent(previous) && previous !== "")
    problems.add({
      at: "previous_response_id",
      clause: "names a response that is not kept here; send the whole conversation in “input” instead",
    });
  if (!isAbsent(conversation))
    problems.add({
      at: "conversation",
      clause: "names one that is not kept here; send the whole conversation in “input” instead",
    });
  if (!isAbsent(prompt))
    problems.add({
      at: "prompt",
      clause: "names a template that is not kept here; send its text in “instructions” instead",
    });
  if (background === true)
    problems.add({ at: "background", clause: "cannot be true: an answer is not kept here for later" });
  if (typeof logprobs === "number" && logprobs > 0)
    problems.add({ at: "top_logprobs", clause: "cannot be answered by the upstream of this model" });
}

function readInstructions(instructions: unknown, problems: Problems): Turn[] {
  if (isAbsent(instructions) || instructions === "") return [];
  if (typeof instructions === "string")
    return [{ role: "system", parts: [textPart(instructions)], at: "instructions" }];
  problems.add({ at: "instructions", clause: "must be a text" });
  return [];
}

function readFormat(format: unknown, problems: Problems): Format | null {
  if (isAbsent(format)) return null;
  const { type, name, description, schema, strict } = objectOf(format);
  switch (type) {
    case "text":
      return { kind: "text" };
    case "json_object":
      return { kind: "json" };
    case "json_schema":
      if (!isObject(schema)) problems.add({ at: "text.format.schema", clause: "must be a JSON schema" });
      return {
        kind: "schema",
        name: textOrNull(name),
        description: textOrNull(description),
        schema,
        strict: booleanOrNull(strict),
      };
    default:
      problems.add({ at: "text.format.type", clause: "must be one of text, json_object, json_schema" });
      return null;
  }
}

function readReasoningAsk(reasoning: unknown, problems: Problems): ReasoningAsk | null {
  if (isAbsent(reasoning)) return null;
  if (!isObject(reasoning)) {
    problems.add({ at: "reasoning", clause: "must be an object" });
    return null;
  }
  const { effort, summary, generate_summary: formerSummary } = reasoning;
  if (!isAbsent(effort) && typeof effort !== "string")
    problems.add({ at: "reasoning.effort", clause: "must be a text" });
  const asked = summary ?? formerSummary;
  return {
    effort: textOrNull(effort),
    budgetTokens: null,
    shows: isAbsent(asked) ? null : asked !== "none",
  };
}
