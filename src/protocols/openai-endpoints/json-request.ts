import { scanObject, spliceFields } from "../json-object.ts";
import type { Json, Problem, ReadResult, RequestEdits, RequestView } from "../protocol.ts";
import { invalidBody, JSON_DEPTH_MAX, readBody } from "../read-body.ts";

export type JsonRules = {
  /** Given twice, they would mean one thing here and perhaps another upstream. */
  singleFields: readonly string[];
  problem: (body: Json) => Problem | null;
  /** What is special about the request; the rest is as of one that is short, whole and has no answer to be limited. */
  view: (body: Json, bytes: Buffer) => Partial<RequestView>;
};

/** A request in JSON that is no conversation. */
export function readJsonRequest(bytes: Buffer, { singleFields, problem, view }: JsonRules): ReadResult {
  const read = readBody(bytes, { singleFields });
  if ("refusal" in read) return read;
  const { body, layout } = read;
  const found = layout ?? problem(body);
  if (found !== null) return invalidBody(body, found);
  return { request: { ...plainView(bytes, body), ...view(body, bytes) } };
}

function plainView(bytes: Buffer, body: Json): RequestView {
  return {
    dialect: "chat",
    bytes,
    body,
    model: String(body["model"]),
    stream: body["stream"] === true,
    wantsUsage: true,
    limitField: null,
    outputTokensAsked: null,
    choices: 1,
    dataBytes: 0,
    dataParts: 0,
  };
}

/** As it was sent, apart from the model's name where the upstream knows it by another. */
export function writeModel({ bytes, model }: RequestView, { upstreamModel }: RequestEdits): Uint8Array {
  if (upstreamModel === model) return bytes;
  const scan = scanObject(bytes, JSON_DEPTH_MAX);
  return spliceFields(bytes, scan, new Map([["model", JSON.stringify(upstreamModel)]]));
}
