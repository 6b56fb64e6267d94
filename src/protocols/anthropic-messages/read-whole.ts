import { ContentMeter, WHOLE_SAMPLE_BYTES_MAX } from "../content-meter.ts";
import { isAbsent, isObject, jsonText, parsedObject } from "../json-value.ts";
import type { Json, Said, WholeAnswer } from "../protocol.ts";
import { readMessagesUsage } from "./read-usage.ts";

/** What there is to know of a whole messages answer. */
export function readMessagesWhole(bytes: Buffer): WholeAnswer | null {
  const body = parsedObject(bytes.toString("utf8"));
  if (body === null || body["type"] === "error" || !isAbsent(body["error"])) return null;
  if (!Array.isArray(body["content"])) return null;
  const usage = readMessagesUsage(body["usage"]);
  return { usage, bad: usage === null && isObject(body["usage"]), said: () => saidIn(body["content"]) };
}

function saidIn(content: unknown): Said {
  const meter = new ContentMeter([], WHOLE_SAMPLE_BYTES_MAX);
  if (Array.isArray(content)) for (const block of content) if (isObject(block)) addBlock(meter, block);
  return meter;
}

/** What a tool of the upstream's gave back nobody said. */
function addBlock(meter: ContentMeter, { type, text, thinking, input }: Json): void {
  if (type === "text" && typeof text === "string") meter.add(text);
  if (type === "thinking" && typeof thinking === "string") meter.add(thinking);
  if (isObject(input)) meter.add(jsonText(input));
}
