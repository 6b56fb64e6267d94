import { ContentMeter, WHOLE_SAMPLE_BYTES_MAX } from "../content-meter.ts";
import { isAbsent, isObject, parsedObject } from "../json-value.ts";
import type { Json, Said, WholeAnswer } from "../protocol.ts";
import { readResponsesUsage } from "./read-usage.ts";

/** What there is to know of a whole answer in the responses dialect. */
export function readResponsesWhole(bytes: Buffer): WholeAnswer | null {
  const body = parsedObject(bytes.toString("utf8"));
  if (body === null || body["status"] === "failed" || !isAbsent(body["error"])) return null;
  if (!Array.isArray(body["output"])) return null;
  const usage = readResponsesUsage(body["usage"]);
  return { usage, bad: usage === null && isObject(body["usage"]), said: () => saidIn(body["output"]) };
}

function saidIn(output: unknown): Said {
  const meter = new ContentMeter([], WHOLE_SAMPLE_BYTES_MAX);
  if (Array.isArray(output)) for (const item of output) if (isObject(item)) addItem(meter, item);
  return meter;
}

/** What a call gave back nobody said. */
function addItem(meter: ContentMeter, { content, summary, arguments: called, input, code }: Json): void {
  for (const text of [called, input, code]) if (typeof text === "string") meter.add(text);
  for (const parts of [summary, content]) {
    if (Array.isArray(parts)) for (const part of parts) if (isObject(part)) addPart(meter, part);
  }
}

function addPart(meter: ContentMeter, { text, refusal }: Json): void {
  for (const said of [text, refusal]) if (typeof said === "string") meter.add(said);
}
