import { type Refusal, refusal } from "../../domain/errors.ts";
import { scanObject, spliceFields } from "../json-object.ts";

/** A chat request as the gateway needs it; the bytes themselves pass on. */
export type ChatRequest = {
  bytes: Buffer;
  model: string;
  stream: boolean;
  /** The client wants the usage chunk for itself. */
  wantsUsage: boolean;
  streamOptions: Readonly<Record<string, unknown>> | null;
  /** Which of the two names the client used for its limit, if any. */
  limitField: "max_tokens" | "max_completion_tokens" | null;
  outputTokensAsked: number | null;
  choices: number;
  /** Bytes of images and files inside the text, which are not text. */
  dataBytes: number;
  dataParts: number;
};

export const JSON_DEPTH_MAX = 100;
export const MODEL_CHARACTERS_MAX = 200;
const CHOICES_MAX = 128;
const TOKENS_MAX = 100_000_000;
/** The first letter of null. */
const NULL = 0x6e;

/** Named twice, a field would mean one thing here and perhaps another upstream. */
const SINGLE_FIELDS = [
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "n",
];

export type ReadResult = { request: ChatRequest } | { refusal: Refusal; model: string };

type Body = Readonly<Record<string, unknown>>;
type Problem = { param: string; problem: string };

export function readChatRequest(bytes: Buffer): ReadResult {
  const text = decoded(bytes);
  if (text === null) return invalid("", { param: "", problem: "the body is not valid UTF-8" });
  const layout = isSimple(text) ? null : layoutProblem(bytes);
  if (layout !== null && layout.param === "") return invalid("", layout);
  const body = parseObject(text);
  if (typeof body === "string") return invalid("", { param: "", problem: body });
  const problem = layout ?? (isPlain(body) ? null : bodyProblem(body));
  if (problem === null) return { request: shape(bytes, body) };
  return invalid(
    typeof body["model"] === "string" ? body["model"].slice(0, MODEL_CHARACTERS_MAX) : "",
    problem,
  );
}

function invalid(model: string, { param, problem }: Problem): ReadResult {
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

/** Too short to be deep, without an escape that could hide a name, and no name of ours in it twice. */
function isSimple(text: string): boolean {
  if (text.length > 2 * JSON_DEPTH_MAX || text.includes("\\")) return false;
  // Written out: on every request, and a loop over the names costs several times as much.
  return !(
    isRepeated(text, '"model"') ||
    isRepeated(text, '"messages"') ||
    isRepeated(text, '"stream"') ||
    isRepeated(text, '"stream_options"') ||
    isRepeated(text, '"max_tokens"') ||
    isRepeated(text, '"max_completion_tokens"') ||
    isRepeated(text, '"n"')
  );
}

function isRepeated(text: string, quoted: string): boolean {
  const at = text.indexOf(quoted);
  return at >= 0 && text.includes(quoted, at + 1);
}

/** What parsing would hide: depth, and fields that are named twice. */
function layoutProblem(bytes: Buffer): Problem | null {
  const scan = scanObject(bytes, JSON_DEPTH_MAX);
  if (scan.tooDeep) return { param: "", problem: `the JSON is nested deeper than ${JSON_DEPTH_MAX} levels` };
  const names = new Set<string>();
  for (const { name } of scan.fields) {
    if (names.has(name) && SINGLE_FIELDS.includes(name))
      return { param: name, problem: `“${name}” is given twice` };
    names.add(name);
  }
  return null;
}

function parseObject(text: string): Body | string {
  if (text === "") return "the body is empty, and must be a JSON object";
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : "the body must be a JSON object";
  } catch {
    return "the body is not valid JSON";
  }
}

/** The usual request, seen to be one without asking everything that could be wrong with it. */
function isPlain(body: Body): boolean {
  const { model, messages, stream } = body;
  if (typeof model !== "string" || model === "" || model.length > MODEL_CHARACTERS_MAX) return false;
  if (body["n"] !== undefined || body["stream_options"] !== undefined) return false;
  if (body["max_tokens"] !== undefined || body["max_completion_tokens"] !== undefined) return false;
  if (stream !== undefined && typeof stream !== "boolean") return false;
  if (!Array.isArray(messages) || messages.length === 0) return false;
  for (let at = 0; at < messages.length; at++) if (!isObject(messages[at])) return false;
  return true;
}

function bodyProblem(body: Body): Problem | null {
  const named = (param: string, problem: string): Problem => ({ param, problem });
  const { model, messages, stream, n } = body;
  const options = body["stream_options"];
  if (model === undefined) return named("model", "“model” is missing");
  if (typeof model !== "string" || model === "") return named("model", "“model” must be the name of a model");
  if (model.length > MODEL_CHARACTERS_MAX)
    return named("model", `“model” has more than ${MODEL_CHARACTERS_MAX} characters`);
  if (messages === undefined) return named("messages", "“messages” is missing");
  if (!Array.isArray(messages)) return named("messages", "“messages” must be a list");
  if (messages.length === 0) return named("messages", "“messages” is empty");
  const odd = messages.findIndex(
    message => typeof message !== "object" || message === null || Array.isArray(message),
  );
  if (odd >= 0) return named(`messages[${odd}]`, `“messages[${odd}]” must be an object`);
  if (!isAbsent(stream) && typeof stream !== "boolean")
    return named("stream", "“stream” must be true or false");
  if (!isAbsent(options) && !isObject(options))
    return named("stream_options", "“stream_options” must be an object");
  if (!isAbsent(n) && !isCount(n, CHOICES_MAX))
    return named("n", `“n” must be a whole number from 1 to ${CHOICES_MAX}`);
  for (const limit of ["max_tokens", "max_completion_tokens"]) {
    if (!isAbsent(body[limit]) && !isCount(body[limit], TOKENS_MAX)) {
      return named(limit, `“${limit}” must be a whole number from 1 to ${TOKENS_MAX}`);
    }
  }
  const both = !isAbsent(body["max_tokens"]) && !isAbsent(body["max_completion_tokens"]);
  if (both && body["max_tokens"] !== body["max_completion_tokens"]) {
    return named("max_tokens", "“max_tokens” and “max_completion_tokens” differ: give one of them");
  }
  return null;
}

function shape(bytes: Buffer, body: Body): ChatRequest {
  const options = body["stream_options"];
  const limitField = !isAbsent(body["max_completion_tokens"])
    ? "max_completion_tokens"
    : isAbsent(body["max_tokens"])
      ? null
      : "max_tokens";
  const data = measureData(body["messages"] as readonly Body[]);
  return {
    bytes,
    model: String(body["model"]),
    stream: body["stream"] === true,
    wantsUsage: isObject(options) && options["include_usage"] === true,
    streamOptions: isObject(options) ? options : null,
    limitField,
    outputTokensAsked: limitField === null ? null : Number(body[limitField]),
    choices: typeof body["n"] === "number" ? body["n"] : 1,
    dataBytes: data.bytes,
    dataParts: data.parts,
  };
}

/** Images, audio and files travel as base64 inside the text, and are not counted by their letters. */
function measureData(messages: readonly Body[]): { bytes: number; parts: number } {
  const sum = { bytes: 0, parts: 0 };
  for (let at = 0; at < messages.length; at++) {
    const content = messages[at]?.["content"];
    if (Array.isArray(content)) for (const part of content) addPart(sum, part);
  }
  return sum;
}

function addPart(sum: { bytes: number; parts: number }, part: unknown): void {
  const size = isObject(part) ? dataSize(part) : 0;
  if (size === 0) return;
  sum.bytes += size;
  sum.parts += 1;
}

function dataSize(part: Body): number {
  const { image_url: image, input_audio: audio, file } = part;
  const url = isObject(image) ? image["url"] : image;
  if (typeof url === "string") return url.startsWith("data:") ? url.length : 1;
  const data = isObject(audio) ? audio["data"] : isObject(file) ? file["file_data"] : null;
  if (typeof data === "string") return data.length;
  // A file that the upstream already has is as large as one that is sent along.
  return isObject(file) ? 1 : 0;
}

export type ChatEdits = {
  upstreamModel: string;
  /** Null leaves the client's own limit as it is. */
  outputTokens: number | null;
  limitField: "max_tokens" | "max_completion_tokens";
};

/** The body for the upstream: as it was sent, apart from the model's name, the usage chunk and a lowered limit. */
export function writeChatRequest(request: ChatRequest, edits: ChatEdits): Uint8Array {
  const { upstreamModel, outputTokens, limitField } = edits;
  const isSame = upstreamModel === request.model && outputTokens === null;
  if (isSame && (request.wantsUsage || !request.stream)) return request.bytes;
  const { bytes } = request;
  const scan = scanObject(bytes, JSON_DEPTH_MAX);
  const changes = new Map<string, string>();
  if (upstreamModel !== request.model) changes.set("model", JSON.stringify(upstreamModel));
  if (request.stream && !request.wantsUsage) {
    changes.set("stream_options", JSON.stringify({ ...request.streamOptions, include_usage: true }));
  }
  if (outputTokens !== null) {
    changes.set(limitField, String(outputTokens));
    // Both names may be there with the same value; neither may promise more than the other. One that is null stays
    // so: some upstreams refuse a request that gives both.
    const other = limitField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    if (scan.fields.some(field => field.name === other && bytes[field.valueStart] !== NULL))
      changes.set(other, String(outputTokens));
  }
  return spliceFields(bytes, scan, changes);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown, max: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max;
}
