import type { Usage } from "../../domain/usage.ts";
import { modelProblem, named } from "../check-fields.ts";
import { isAbsent, isObject, parsedObject } from "../json-value.ts";
import { readChatUsage } from "../openai-chat/read-usage.ts";
import type { Json, Problem, ReadResult, Said, WholeAnswer } from "../protocol.ts";
import type { Endpoint } from "./endpoint.ts";
import { readJsonRequest, writeModel } from "./json-request.ts";
import { isTokenList } from "./token-list.ts";
import { typedTap } from "./typed-tap.ts";

/** Texts become vectors: what is read is paid for, and nothing is said. */
export const embeddings: Endpoint = {
  readRequest: readEmbeddingsRequest,
  writeRequest: writeModel,
  // It never streams; what comes as a stream all the same is let through.
  tap: options => typedTap({ lastType: "", parts: 1, textFields: [] }, options),
  readWhole: readEmbeddingsWhole,
};

const SINGLE_FIELDS = ["model", "input"];
const NOTHING_SAID: Said = { bytes: 0, sample: new Uint8Array() };

function readEmbeddingsRequest(bytes: Buffer): ReadResult {
  const view = () => ({ stream: false, outputTokensAsked: 0 });
  return readJsonRequest(bytes, { singleFields: SINGLE_FIELDS, problem, view });
}

function problem(body: Json): Problem | null {
  return modelProblem(body) ?? inputProblem(body);
}

function inputProblem({ input }: Json): Problem | null {
  if (input === undefined) return named("input", "is missing");
  if (input === "") return named("input", "is empty");
  if (typeof input === "string") return null;
  if (!Array.isArray(input)) return named("input", "must be a text, a list of texts or a list of tokens");
  if (input.length === 0) return named("input", "is empty");
  if (isTokenList(input)) return null;
  // Some take pictures here, as objects.
  const odd = input.findIndex(one => typeof one !== "string" && !isTokenList(one) && !isObject(one));
  return odd < 0 ? null : named(`input[${odd}]`, "must be a text or a list of tokens");
}

function readEmbeddingsWhole(bytes: Buffer): WholeAnswer | null {
  const body = parsedObject(bytes.toString("utf8"));
  if (body === null || !isAbsent(body["error"])) return null;
  const usage = usageOf(body["usage"]);
  return { usage, bad: usage === null && isObject(body["usage"]), said: () => NOTHING_SAID };
}

/** Some tell only the total, which is all input. */
function usageOf(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const { prompt_tokens: prompt, total_tokens: total } = usage;
  return readChatUsage({ ...usage, prompt_tokens: prompt ?? total, completion_tokens: 0 });
}
