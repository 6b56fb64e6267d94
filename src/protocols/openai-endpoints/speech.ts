import { modelProblem, named, textProblem } from "../check-fields.ts";
import { isAbsent, parsedObject } from "../json-value.ts";
import type { Json, Problem, ReadResult, RequestView, Said, WholeAnswer } from "../protocol.ts";
import type { Endpoint } from "./endpoint.ts";
import { readJsonRequest, writeModel } from "./json-request.ts";
import { typedTap } from "./typed-tap.ts";

/** A text becomes sound: bytes as they come, or events where the client asks for these. */
export const speech: Endpoint = {
  readRequest: readSpeechRequest,
  writeRequest: writeModel,
  tap: options => typedTap({ lastType: "speech.audio.done", parts: 1, textFields: [] }, options),
  readWhole: readSpeechWhole,
};

const SINGLE_FIELDS = ["model", "input", "instructions", "stream_format"];
const NOTHING_SAID: Said = { bytes: 0, sample: new Uint8Array() };

function readSpeechRequest(bytes: Buffer): ReadResult {
  return readJsonRequest(bytes, { singleFields: SINGLE_FIELDS, problem, view });
}

function problem(body: Json): Problem | null {
  return modelProblem(body) ?? textProblem(body["input"], "input") ?? instructionsProblem(body);
}

function instructionsProblem({ instructions, stream_format: format }: Json): Problem | null {
  if (!isAbsent(instructions) && typeof instructions !== "string")
    return named("instructions", "must be a text");
  const isKnown = isAbsent(format) || format === "audio" || format === "sse";
  return isKnown ? null : named("stream_format", "must be one of audio, sse");
}

/** Sound has no tokens that we could count; only events can tell of some. */
function view({ input, instructions, stream_format: format }: Json, bytes: Buffer): Partial<RequestView> {
  const stream = format === "sse";
  const read = Buffer.byteLength(`${String(input)}${isAbsent(instructions) ? "" : String(instructions)}`);
  return {
    stream,
    outputTokensAsked: stream ? null : 0,
    dataBytes: Math.max(0, bytes.length - read),
    isIndivisible: true,
  };
}

/** Sound does not come here; what does is JSON, in which some makers wrap it, or an error under a good status. */
function readSpeechWhole(bytes: Buffer): WholeAnswer | null {
  const body = parsedObject(bytes.toString("utf8"));
  if (body === null || !isAbsent(body["error"])) return null;
  return { usage: null, bad: false, said: () => NOTHING_SAID };
}
