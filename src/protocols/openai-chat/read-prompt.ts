import type { Prompt } from "../../domain/chat.ts";
import { isAbsent, isObject, objectOf } from "../json-value.ts";
import type { Json, Problem } from "../protocol.ts";
import { Faults } from "./faults.ts";
import { listOf, textOf, textOrNull } from "./json-shape.ts";
import { readCacheMark } from "./read-cache-mark.ts";
import { readMessages } from "./read-messages.ts";
import { readFormat, readLimit, readNumber, readReasoning, readStops, readWhole } from "./read-settings.ts";
import { readToolChoice, readTools } from "./read-tools.ts";

const SEED_MAX = Number.MAX_SAFE_INTEGER;

/**
 * A client's request in the neutral form, for an upstream of another dialect. Fields that nobody else has are left out;
 * those whose absence would change what the client gets are a problem.
 */
export function readChatPrompt(body: Json): { prompt: Prompt } | { problem: Problem } {
  const faults = new Faults();
  const prompt = readPrompt(body, faults);
  untranslatable(body, faults);
  return faults.first === null ? { prompt } : { problem: faults.first };
}

function readPrompt(body: Json, faults: Faults): Prompt {
  const model = textOf(body["model"]);
  if (model === "") faults.add({ at: "model", is: "must be the name of a model" });
  const number = (name: string, [min, max]: readonly [number, number]) =>
    readNumber({ body, name, min, max, faults });
  const parallel = body["parallel_tool_calls"];
  return {
    model,
    stream: body["stream"] === true,
    wantsUsage: objectOf(body["stream_options"])["include_usage"] === true,
    turns: readMessages(body["messages"], faults),
    tools: readTools(body, faults),
    toolChoice: readToolChoice(body, faults),
    parallelTools: typeof parallel === "boolean" ? parallel : null,
    outputTokensMax: readLimit(body, faults),
    temperature: number("temperature", [0, 2]),
    topP: number("top_p", [0, 1]),
    topK: topK(body["top_k"]),
    stops: readStops(body, faults),
    format: readFormat(body, faults),
    reasoning: readReasoning(body, faults),
    verbosity: textOrNull(body["verbosity"]),
    user: textOrNull(body["safety_identifier"]) ?? textOrNull(body["user"]),
    seed: readWhole({ body, name: "seed", min: -SEED_MAX, max: SEED_MAX, faults }),
    frequencyPenalty: number("frequency_penalty", [-2, 2]),
    presencePenalty: number("presence_penalty", [-2, 2]),
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
function untranslatable(body: Json, faults: Faults): void {
  const { n, logprobs, top_logprobs, logit_bias, modalities } = body;
  if (!isAbsent(n) && n !== 1)
    faults.add({ at: "n", is: "must be 1: the upstream of this model gives one answer to a request" });
  if (!isAbsent(logprobs) && logprobs !== false)
    faults.add({ at: "logprobs", is: "cannot be had from the upstream of this model" });
  if (!isAbsent(top_logprobs) && top_logprobs !== 0)
    faults.add({ at: "top_logprobs", is: "cannot be had from the upstream of this model" });
  if (isObject(logit_bias) && Object.keys(logit_bias).length > 0)
    faults.add({ at: "logit_bias", is: "is not understood by the upstream of this model" });
  if (listOf(modalities).some(kind => kind !== "text"))
    faults.add({ at: "modalities", is: "must be text: the upstream of this model gives nothing else" });
}
