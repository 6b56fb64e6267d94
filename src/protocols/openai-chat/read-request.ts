import { isOpenAI } from "../../domain/catalogue.ts";
import { DataSize } from "../data-size.ts";
import { scanObject, spliceFields } from "../json-object.ts";
import { isAbsent, isObject, objectOf } from "../json-value.ts";
import { readResponsesRequest } from "../openai-responses/read-request.ts";
import type { Json, ReadResult, RequestEdits, RequestView } from "../protocol.ts";
import { invalidBody, JSON_DEPTH_MAX, MODEL_CHARACTERS_MAX, readBody } from "../read-body.ts";
import { chatProblem } from "./check-request.ts";

/** The first letter of null. */
const NULL = 0x6e;
const SINGLE_FIELDS = [
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "n",
];

/** A chat request; or one in the responses dialect, which some clients send here although the answer is to be chat. */
export function readChatRequest(bytes: Buffer): ReadResult {
  const read = readBody(bytes, RULES);
  if ("refusal" in read) return read;
  const { body, layout } = read;
  if (isAbsent(body["messages"]) && !isAbsent(body["input"])) return readResponsesRequest(bytes);
  const problem = layout ?? (isPlain(body) ? null : chatProblem(body));
  return problem === null ? { request: view(bytes, body) } : invalidBody(body, problem);
}

const RULES = { singleFields: SINGLE_FIELDS, isSimple };

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

/** The usual request, seen to be one without asking everything that could be wrong with it. */
function isPlain(body: Json): boolean {
  for (const name in body) if (name !== "model" && name !== "messages" && name !== "stream") return false;
  const { model, messages, stream } = body;
  if (typeof model !== "string" || model === "" || model.length > MODEL_CHARACTERS_MAX) return false;
  if (stream !== undefined && typeof stream !== "boolean") return false;
  if (!Array.isArray(messages) || messages.length === 0) return false;
  for (let at = 0; at < messages.length; at++) if (!isPlainMessage(messages[at])) return false;
  return true;
}

function isPlainMessage(message: unknown): boolean {
  if (!isObject(message) || typeof message["content"] !== "string") return false;
  const { role } = message;
  if (role === "user" || role === "system") return true;
  return (
    role === "assistant" && message["tool_calls"] === undefined && message["function_call"] === undefined
  );
}

function view(bytes: Buffer, body: Json): RequestView {
  const limitField = !isAbsent(body["max_completion_tokens"])
    ? "max_completion_tokens"
    : isAbsent(body["max_tokens"])
      ? null
      : "max_tokens";
  const data = measured(body["messages"] as readonly Json[]);
  return {
    dialect: "chat",
    bytes,
    body,
    model: String(body["model"]),
    stream: body["stream"] === true,
    wantsUsage: objectOf(body["stream_options"])["include_usage"] === true,
    limitField,
    outputTokensAsked: limitField === null ? null : Number(body[limitField]),
    choices: typeof body["n"] === "number" ? body["n"] : 1,
    dataBytes: data.bytes,
    dataParts: data.parts,
  };
}

function measured(messages: readonly Json[]): DataSize {
  const size = new DataSize();
  for (let at = 0; at < messages.length; at++) {
    const content = messages[at]?.["content"];
    if (Array.isArray(content)) for (const part of content) if (isObject(part)) addPart(size, part);
  }
  return size;
}

function addPart(size: DataSize, part: Json): void {
  const { image_url: image, video_url: video, input_audio: audio, file } = part;
  const picture = image ?? video;
  const url = isObject(picture) ? picture["url"] : picture;
  const data = isObject(audio) ? audio["data"] : objectOf(file)["file_data"];
  if (typeof url === "string") size.addUrl(url);
  else if (typeof data === "string" || isObject(file)) size.add(data);
}

/** The body for the upstream: as it was sent, apart from the model's name, the usage chunk and a lowered limit. */
export function writeChatRequest(request: RequestView, edits: RequestEdits): Uint8Array {
  const { upstreamModel, outputTokens, kind } = edits;
  const { bytes, body } = request;
  const isSame = upstreamModel === request.model && outputTokens === null;
  if (isSame && (request.wantsUsage || !request.stream)) return bytes;
  const scan = scanObject(bytes, JSON_DEPTH_MAX);
  const changes = new Map<string, string>();
  if (upstreamModel !== request.model) changes.set("model", JSON.stringify(upstreamModel));
  if (request.stream && !request.wantsUsage) {
    const options = objectOf(body["stream_options"]);
    changes.set("stream_options", JSON.stringify({ ...options, include_usage: true }));
  }
  if (outputTokens !== null) {
    const ours = isOpenAI(kind) ? "max_completion_tokens" : "max_tokens";
    const limitField = request.limitField ?? ours;
    changes.set(limitField, String(outputTokens));
    // Both names may be there with the same value; neither may promise more than the other. One that is null stays
    // so: some upstreams refuse a request that gives both.
    const other = limitField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    if (scan.fields.some(field => field.name === other && bytes[field.valueStart] !== NULL))
      changes.set(other, String(outputTokens));
  }
  return spliceFields(bytes, scan, changes);
}
