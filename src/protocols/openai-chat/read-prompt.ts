import type { Prompt } from "../../domain/chat.ts";
import type { Range } from "../check-fields.ts";
import { booleanOrNull, isAbsent, isObject, listOf, objectOf, textOf, textOrNull } from "../json-value.ts";
import { Problems } from "../problems.ts";
import type { Json, Problem } from "../protocol.ts";
import { readNumber } from "../read-number.ts";
import { readCacheMark } from "./read-cache-mark.ts";
import { readMessages } from "./read-messages.ts";
import { readFormat, readLimit, readReasoning, readStops } from "./read-settings.ts";
import { readToolChoice, readTools } from "./read-tools.ts";

const SEED_MAX = Number.MAX_SAFE_INTEGER;

/**
 * A client's request in the neutral form, for an upstream of another dialect. Fields that nobody else has are left out;
 * those whose absence would change what the client gets are a problem.
 */
export function readChatPrompt(body: Json): { prompt: Prompt } | { problem: Problem } {
  const problems = new Problems();
  const prompt = readPrompt(body, problems);
  untranslatable(body, problems);
  return problems.first === null ? { prompt } : { problem: problems.first };
}

function readPrompt(body: Json, problems: Problems): Prompt {
  const model = textOf(body["model"]);
  if (model === "") problems.add({ at: "model", clause: "must be the name of a model" });
  const number = (at: string, range: Range) => readNumber({ value: body[at], at, problems }, range);
  return {
    model,
    stream: body["stream"] === true,
    wantsUsage: objectOf(body["stream_options"])["include_usage"] === true,
    turns: readMessages(body["messages"], problems),
    tools: readTools(body, problems),
    toolChoice: readToolChoice(body, problems),
    parallelTools: booleanOrNull(body["parallel_tool_calls"]),
    outputTokensMax: readLimit(body, problems),
    temperature: number("temperature", { min: 0, max: 2 }),
    topP: number("top_p", { min: 0, max: 1 }),
    topK: topK(body["top_k"]),
    stops: readStops(body, problems),
    format: readFormat(body, problems),
    reasoning: readReasoning(body, problems),
    verbosity: textOrNull(body["verbosity"]),
    user: textOrNull(body["safety_identifier"]) ?? textOrNull(body["user"]),
    seed: number("seed", { min: -SEED_MAX, max: SEED_MAX, isWhole: true }),
    frequencyPenalty: number("frequency_penalty", { min: -2, max: 2 }),
    presencePenalty: number("presence_penalty", { min: -2, max: 2 }),
    serviceTier: textOrNull(body["service_tier"]),
    cache: readCacheMark(body),
    cacheKey: textOrNull(body["prompt_cache_key"]),
  };
}

/** Not OpenAI's own, but widely sent; some write 0 or -1 for none. */
function topK(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** What the client would miss in its answer without being told. */
function untranslatable(body: Json, problems: Problems): void {
  const { n, logprobs, top_logprobs, logit_bias, modalities } = body;
  if (!isAbsent(n) && n !== 1)
    problems.add({ at: "n", clause: "must be 1: the upstream of this model gives one answer to a request" });
  if (!isAbsent(logprobs) && logprobs !== false)
    problems.add({ at: "logprobs", clause: "cannot be had from the upstream of this model" });
  if (!isAbsent(top_logprobs) && top_logprobs !== 0)
    problems.add({ at: "top_logprobs", clause: "cannot be had from the upstream of this model" });
  if (isObject(logit_bias) && Object.keys(logit_bias).length > 0)
    problems.add({ at: "logit_bias", clause: "is not understood by the upstream of this model" });
  if (listOf(modalities).some(kind => kind !== "text"))
    problems.add({ at: "modalities", clause: "must be text: the upstream of this model gives nothing else" });
}
