import type { Prompt, Turn } from "../../domain/chat.ts";
import { isObject, objectOf, stringOrNull, textOf } from "../json-value.ts";
import { Problems } from "../problems.ts";
import type { Json, Problem } from "../protocol.ts";
import { readNumber } from "../read-number.ts";
import { readContent } from "./read-block.ts";
import { readCache } from "./read-cache.ts";
import { readFormat, readReasoning, readStops } from "./read-settings.ts";
import { readToolChoice, readTools } from "./read-tools.ts";

export type PromptReading = {
  /** Only its tokens are to be counted: then it needs no limit. */
  forCounting?: boolean;
};

const SHARE = { min: 0, max: 1 };

/** What a client of this dialect asks. Fields that are not looked for here are its upstream's matter, and no fault. */
export function readMessagesPrompt(
  body: Json,
  { forCounting = false }: PromptReading = {},
): { prompt: Prompt } | { problem: Problem } {
  const problems = new Problems();
  const number = (at: string) => ({ value: body[at], at, problems });
  const prompt: Prompt = {
    model: readModel(body, problems),
    stream: readStream(body, problems),
    wantsUsage: true,
    turns: readTurns(body, problems),
    tools: readTools(body["tools"], problems),
    ...readToolChoice(body, problems),
    outputTokensMax: readLimit(body, { forCounting, problems }),
    temperature: readNumber(number("temperature"), SHARE),
    topP: readNumber(number("top_p"), SHARE),
    topK: readNumber(number("top_k"), { min: 0, isWhole: true }),
    stops: readStops(body["stop_sequences"], problems),
    format: readFormat(body, problems),
    reasoning: readReasoning(body, problems),
    verbosity: null,
    user: stringOrNull(objectOf(body["metadata"])["user_id"]),
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
    serviceTier: stringOrNull(body["service_tier"]),
    cache: readCache(body),
    cacheKey: null,
  };
  return problems.first === null ? { prompt } : { problem: problems.first };
}

function readModel(body: Json, problems: Problems): string {
  const model = textOf(body["model"]);
  if (model === "") problems.add({ at: "model", clause: "must be the name of a model" });
  return model;
}

function readStream(body: Json, problems: Problems): boolean {
  const stream = body["stream"] ?? false;
  if (typeof stream !== "boolean") problems.add({ at: "stream", clause: "must be true or false" });
  return stream === true;
}

function readLimit(
  body: Json,
  { forCounting, problems }: { forCounting: boolean; problems: Problems },
): number | null {
  const given = forCounting ? body["max_tokens"] : (body["max_tokens"] ?? 0);
  const limit = { value: given, at: "max_tokens", problems };
  return readNumber(limit, { min: 1, isWhole: true });
}

function readTurns(body: Json, problems: Problems): Turn[] {
  const calls = new Set<string>();
  const system = body["system"] ?? "";
  const parts = readContent(system, { at: "system", role: "system", calls, problems });
  const first: Turn[] = parts.length === 0 ? [] : [{ role: "system", parts, at: "system" }];
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0) {
    problems.add({ at: "messages", clause: "must be a list with at least one message" });
    return first;
  }
  const lastUser = messages.findLastIndex(message => objectOf(message)["role"] === "user");
  const said = messages.flatMap((message: unknown, place) => {
    const at = `messages[${place}]`;
    if (!isObject(message)) {
      problems.add({ at, clause: "must be an object" });
      return [];
    }
    const turn = readTurn(message, { at, calls, problems });
    return turn === null || (isOver(message) && place < lastUser) ? [] : [turn];
  });
  return [...first, ...said];
}

/** Instructions may be meant for one turn of the user alone. */
function isOver(message: Json): boolean {
  return message["role"] === "system" && message["clear_at"] === "next_user_message";
}

function readTurn(
  message: Json,
  reading: { at: string; calls: Set<string>; problems: Problems },
): Turn | null {
  const { at, problems } = reading;
  const { role } = message;
  if (role !== "user" && role !== "assistant" && role !== "system") {
    problems.add({ at: `${at}.role`, clause: "must be one of user, assistant, system" });
    return null;
  }
  // Instructions may have nothing to say, and change a setting only.
  const content = message["content"] ?? (role === "system" ? [] : undefined);
  return { role, parts: readContent(content, { ...reading, at: `${at}.content`, role }), at };
}
