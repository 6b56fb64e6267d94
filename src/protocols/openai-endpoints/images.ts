import { modelProblem, numbersProblem, type Range, streamProblem, textProblem } from "../check-fields.ts";
import { isAbsent, parsedObject } from "../json-value.ts";
import type { Json, Problem, ReadResult, RequestView, Said, WholeAnswer } from "../protocol.ts";
import type { Endpoint } from "./endpoint.ts";
import { readJsonRequest, writeModel } from "./json-request.ts";
import { readUsed, typedTap } from "./typed-tap.ts";

/** A text becomes pictures. They are no text, however they are written: only what the upstream reports is counted. */
export const images: Endpoint = {
  readRequest: readImagesRequest,
  writeRequest: writeModel,
  tap: options => {
    const parts = options.request.choices;
    return typedTap({ lastType: "image_generation.completed", parts, textFields: [] }, options);
  },
  readWhole: readImagesWhole,
};

const IMAGES_MAX = 10;
const SINGLE_FIELDS = ["model", "prompt", "n", "stream"];
const NUMBERS: Readonly<Record<string, Range>> = { n: { min: 1, max: IMAGES_MAX, isWhole: true } };
const NOTHING_SAID: Said = { bytes: 0, sample: new Uint8Array() };

function readImagesRequest(bytes: Buffer): ReadResult {
  return readJsonRequest(bytes, { singleFields: SINGLE_FIELDS, problem, view });
}

function problem(body: Json): Problem | null {
  return (
    modelProblem(body) ??
    textProblem(body["prompt"], "prompt") ??
    streamProblem(body) ??
    numbersProblem(body, NUMBERS)
  );
}

/** Without a report there are no tokens, and the price is that of the call. */
function view({ n }: Json, { length }: Buffer): Partial<RequestView> {
  const choices = typeof n === "number" ? n : 1;
  return { choices, isIndivisible: true, dataBytes: length, uncountedTokensMax: length };
}

function readImagesWhole(bytes: Buffer): WholeAnswer | null {
  const body = parsedObject(bytes.toString("utf8"));
  if (body === null || !isAbsent(body["error"])) return null;
  return { ...readUsed(body["usage"]), said: () => NOTHING_SAID };
}
