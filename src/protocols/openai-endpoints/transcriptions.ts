import { modelProblem } from "../check-fields.ts";
import { WHOLE_SAMPLE_BYTES_MAX } from "../content-meter.ts";
import { isAbsent, parsedObject } from "../json-value.ts";
import type { Json, ReadResult, RequestView, WholeAnswer } from "../protocol.ts";
import { SaidMeter } from "../said-meter.ts";
import type { Endpoint } from "./endpoint.ts";
import { readJsonRequest, writeModel } from "./json-request.ts";
import { readUsed, typedTap } from "./typed-tap.ts";

/** Sound becomes text. It comes as a form, which passes by; what is read here are its own texts, as JSON. */
export const transcriptions: Endpoint = {
  readRequest: readTranscriptionsRequest,
  writeRequest: writeModel,
  tap: options => typedTap({ lastType: "transcript.text.done", parts: 1, textFields: ['"delta"'] }, options),
  readWhole: readTranscriptionsWhole,
};

/** As much as for any other file. */
const SOUND_TOKENS_MAX = 20_000;

function readTranscriptionsRequest(bytes: Buffer): ReadResult {
  return readJsonRequest(bytes, { singleFields: [], problem: modelProblem, view });
}

/** Without a report nothing is known of the sound, and the price is that of the call and of the text. */
function view({ stream }: Json, { length }: Buffer): Partial<RequestView> {
  return {
    stream: stream === "true",
    dataBytes: length,
    uncountedTokensMax: SOUND_TOKENS_MAX,
    isIndivisible: true,
  };
}

/** JSON, or the bare text in one of several forms. */
function readTranscriptionsWhole(bytes: Buffer): WholeAnswer | null {
  const raw = bytes.toString("utf8");
  const body = parsedObject(raw);
  if (body !== null && !isAbsent(body["error"])) return null;
  const said = () => {
    const meter = new SaidMeter(WHOLE_SAMPLE_BYTES_MAX);
    const text = body === null ? raw : body["text"];
    if (typeof text === "string") meter.add(text);
    return meter;
  };
  return { ...readUsed(body?.["usage"]), said };
}
