import { DataSize } from "../data-size.ts";
import { type ObjectScan, scanObject, spliceFields } from "../json-object.ts";
import { isAbsent, isObject } from "../json-value.ts";
import type { Json, Problem, ReadResult, RequestEdits, RequestView } from "../protocol.ts";
import { invalidBody, JSON_DEPTH_MAX, readBody } from "../read-body.ts";
import { countProblem, messagesProblem } from "./check-request.ts";
import { BUDGET_TOKENS_MIN } from "./thinking.ts";

const LIMIT = "max_tokens";
const SINGLE_FIELDS = ["model", "messages", "stream", LIMIT, "thinking"];

export function readMessagesRequest(bytes: Buffer): ReadResult {
  return readChecked(bytes, messagesProblem);
}

/** A request whose tokens are only to be counted. */
export function readCountRequest(bytes: Buffer): ReadResult {
  return readChecked(bytes, countProblem);
}

function readChecked(bytes: Buffer, check: (body: Json) => Problem | null): ReadResult {
  const read = readBody(bytes, { singleFields: SINGLE_FIELDS });
  if ("refusal" in read) return read;
  const { body, layout } = read;
  const problem = layout ?? check(body);
  return problem === null ? { request: view(bytes, body) } : invalidBody(body, problem);
}

function view(bytes: Buffer, body: Json): RequestView {
  const asked = body[LIMIT];
  const data = new DataSize();
  for (const message of body["messages"] as readonly Json[]) addParts(data, message["content"]);
  return {
    dialect: "messages",
    bytes,
    body,
    model: String(body["model"]),
    stream: body["stream"] === true,
    wantsUsage: true,
    limitField: isAbsent(asked) ? null : LIMIT,
    outputTokensAsked: isAbsent(asked) ? null : Number(asked),
    choices: 1,
    dataBytes: data.bytes,
    dataParts: data.parts,
  };
}

function addParts(size: DataSize, parts: unknown): void {
  if (Array.isArray(parts)) for (const part of parts) if (isObject(part)) addPart(size, part);
}

function addPart(size: DataSize, { type, source, content }: Json): void {
  if (type === "tool_result") addParts(size, content);
  else if ((type === "image" || type === "document") && isObject(source)) addSource(size, source);
}

/** A document may also be plain text, which is counted as such, or be made of parts. */
function addSource(size: DataSize, { type, data, content }: Json): void {
  if (type === "content") addParts(size, content);
  else if (type !== "text") size.add(type === "base64" ? data : null);
}

/** The body for the upstream: as it was sent, apart from the model's name and a lowered limit. */
export function writeMessagesRequest(request: RequestView, edits: RequestEdits): Uint8Array {
  const { upstreamModel, outputTokens } = edits;
  const { bytes, model } = request;
  if (upstreamModel === model && outputTokens === null) return bytes;
  const scan = scanObject(bytes, JSON_DEPTH_MAX);
  const changes = new Map<string, string>();
  if (upstreamModel !== model) changes.set("model", JSON.stringify(upstreamModel));
  if (outputTokens !== null) {
    changes.set(LIMIT, String(outputTokens));
    const thinking = loweredThinking(request, scan, outputTokens);
    if (thinking !== null) changes.set("thinking", thinking);
  }
  return spliceFields(bytes, scan, changes);
}

/**
 * What may be thought must stay below what may be said. It keeps the share that the client gave it; where that is too
 * little to be taken, nothing is thought.
 */
function loweredThinking(request: RequestView, scan: ObjectScan, outputTokens: number): string | null {
  const { body, bytes, outputTokensAsked } = request;
  const budget = isObject(body["thinking"]) ? body["thinking"]["budget_tokens"] : null;
  if (typeof budget !== "number" || budget < outputTokens) return null;
  const share = Math.floor((outputTokens * budget) / Math.max(outputTokensAsked ?? 0, budget + 1));
  if (share < BUDGET_TOKENS_MIN) return '{"type":"disabled"}';
  const field = scan.fields.find(({ name }) => name === "thinking");
  if (field === undefined) return null;
  const value = bytes.subarray(field.valueStart, field.valueEnd);
  const change = new Map([["budget_tokens", String(share)]]);
  return Buffer.from(spliceFields(value, scanObject(value, JSON_DEPTH_MAX), change)).toString("utf8");
}
