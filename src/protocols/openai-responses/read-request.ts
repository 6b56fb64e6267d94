import { DataSize } from "../data-size.ts";
import { scanObject, spliceFields } from "../json-object.ts";
import { isAbsent, isObject, objectOf } from "../json-value.ts";
import type { Json, ReadResult, RequestEdits, RequestView } from "../protocol.ts";
import { invalidBody, JSON_DEPTH_MAX, readBody } from "../read-body.ts";
import { responsesProblem } from "./check-request.ts";

const LIMIT = "max_output_tokens";
const SINGLE_FIELDS = [
  "model",
  "input",
  "stream",
  LIMIT,
  "previous_response_id",
  "conversation",
  "background",
];

export function readResponsesRequest(bytes: Buffer): ReadResult {
  const read = readBody(bytes, { singleFields: SINGLE_FIELDS });
  if ("refusal" in read) return read;
  const { body, layout } = read;
  const problem = layout ?? responsesProblem(body);
  return problem === null ? { request: view(bytes, body) } : invalidBody(body, problem);
}

function view(bytes: Buffer, body: Json): RequestView {
  const asked = body[LIMIT];
  const data = measured(body["input"]);
  return {
    dialect: "responses",
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

function measured(input: unknown): DataSize {
  const size = new DataSize();
  if (!Array.isArray(input)) return size;
  for (const item of input) {
    if (!isObject(item)) continue;
    addParts(size, item["content"]);
    addParts(size, item["output"]);
    // A picture that the model made, and that is shown to it again.
    if (item["type"] === "image_generation_call" && typeof item["result"] === "string")
      size.add(item["result"]);
  }
  return size;
}

/** What a tool gave back is a list of parts, too, or a single one. */
function addParts(size: DataSize, parts: unknown): void {
  if (Array.isArray(parts)) for (const part of parts) addPart(size, part);
  else addPart(size, parts);
}

function addPart(size: DataSize, part: unknown): void {
  if (!isObject(part)) return;
  switch (part["type"]) {
    case "input_image":
    case "computer_screenshot":
      size.addUrl(part["image_url"]);
      break;
    case "input_file":
      size.add(part["file_data"]);
      break;
    case "input_audio":
      size.add(objectOf(part["input_audio"])["data"]);
      break;
    default:
  }
}

/** The body for the upstream: as it was sent, apart from the model's name and a lowered limit. */
export function writeResponsesRequest(request: RequestView, edits: RequestEdits): Uint8Array {
  const { upstreamModel, outputTokens } = edits;
  const { bytes, model } = request;
  const changes = new Map<string, string>();
  if (upstreamModel !== model) changes.set("model", JSON.stringify(upstreamModel));
  if (outputTokens !== null) changes.set(LIMIT, String(outputTokens));
  return changes.size === 0 ? bytes : spliceFields(bytes, scanObject(bytes, JSON_DEPTH_MAX), changes);
}
