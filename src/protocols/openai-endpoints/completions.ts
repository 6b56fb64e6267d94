import {
  modelProblem,
  named,
  numbersProblem,
  type Range,
  streamProblem,
  TOKENS_MAX,
} from "../check-fields.ts";
import { ContentMeter, WHOLE_SAMPLE_BYTES_MAX } from "../content-meter.ts";
import { isAbsent, objectOf } from "../json-value.ts";
import { writeChatRequest } from "../openai-chat/read-request.ts";
import { readChatWhole } from "../openai-chat/read-whole.ts";
import type { Json, Problem, ReadResult, RequestEdits, RequestView, WholeAnswer } from "../protocol.ts";
import { completionsTap } from "./completions-tap.ts";
import type { Endpoint } from "./endpoint.ts";
import { readJsonRequest } from "./json-request.ts";
import { isTokenList } from "./token-list.ts";

/** Text after text, as it was before there were chats. */
export const completions: Endpoint = {
  readRequest: readCompletionsRequest,
  writeRequest: writeCompletionsRequest,
  tap: completionsTap,
  readWhole: readCompletionsWhole,
};

/** The API's own, where the client sets no limit. */
const TOKENS_DEFAULT = 16;
const CHOICES_MAX = 128;
const PROMPTS_MAX = 2_048;
const SINGLE_FIELDS = ["model", "prompt", "stream", "stream_options", "max_tokens", "n", "best_of", "echo"];
const NUMBERS: Readonly<Record<string, Range>> = {
  max_tokens: { min: 0, max: TOKENS_MAX, isWhole: true },
  n: { min: 1, max: CHOICES_MAX, isWhole: true },
  best_of: { min: 1, max: CHOICES_MAX, isWhole: true },
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
  frequency_penalty: { min: -2, max: 2 },
  presence_penalty: { min: -2, max: 2 },
};

function readCompletionsRequest(bytes: Buffer): ReadResult {
  return readJsonRequest(bytes, { singleFields: SINGLE_FIELDS, problem, view });
}

function problem(body: Json): Problem | null {
  return (
    modelProblem(body) ??
    promptProblem(body) ??
    streamProblem(body) ??
    numbersProblem(body, NUMBERS) ??
    echoProblem(body)
  );
}

function promptProblem({ prompt }: Json): Problem | null {
  if (prompt === undefined) return named("prompt", "is missing");
  if (typeof prompt === "string") return null;
  if (!Array.isArray(prompt)) return named("prompt", "must be a text, a list of texts or a list of tokens");
  if (prompt.length === 0) return named("prompt", "is empty");
  const isTokens = isTokenList(prompt);
  if (!isTokens && prompt.length > PROMPTS_MAX)
    return named("prompt", `has more than ${PROMPTS_MAX} entries`);
  const odd = isTokens ? -1 : prompt.findIndex(one => typeof one !== "string" && !isTokenList(one));
  return odd < 0 ? null : named(`prompt[${odd}]`, "must be a text or a list of tokens");
}

function echoProblem({ echo }: Json): Problem | null {
  return isAbsent(echo) || typeof echo === "boolean" ? null : named("echo", "must be true or false");
}

function view(body: Json): Partial<RequestView> {
  const { prompt, max_tokens: limit, n, best_of: best, stream_options: options } = body;
  const prompts = Array.isArray(prompt) && !isTokenList(prompt) ? prompt.length : 1;
  const each = Math.max(typeof n === "number" ? n : 1, typeof best === "number" ? best : 1);
  return {
    wantsUsage: objectOf(options)["include_usage"] === true,
    limitField: "max_tokens",
    // Whoever asks for none, to have the prompt rated, is held for one.
    outputTokensAsked: typeof limit === "number" ? Math.max(1, limit) : TOKENS_DEFAULT,
    choices: prompts * each,
  };
}

/** The default is sent as well, so that no upstream has another. */
function writeCompletionsRequest(request: RequestView, edits: RequestEdits): Uint8Array {
  const unsaid = isAbsent(request.body["max_tokens"]) ? TOKENS_DEFAULT : null;
  return writeChatRequest(request, { ...edits, outputTokens: edits.outputTokens ?? unsaid });
}

function readCompletionsWhole(bytes: Buffer): WholeAnswer | null {
  const read = readChatWhole(bytes);
  if (read === null) return null;
  const said = () => {
    const meter = new ContentMeter([Buffer.from('"text"')], WHOLE_SAMPLE_BYTES_MAX);
    meter.read(bytes);
    return meter;
  };
  return { ...read, said };
}
