import { WHOLE_SAMPLE_BYTES_MAX } from "../content-meter.ts";
import { isAbsent, isObject, parsedObject } from "../json-value.ts";
import type { WholeAnswer } from "../protocol.ts";
import { chatMeter } from "./content-bytes.ts";
import { peekChatUsage } from "./peek-usage.ts";
import { readChatUsage } from "./read-usage.ts";

/** What there is to know of a whole chat answer; most are read without being parsed. */
export function readChatWhole(bytes: Buffer): WholeAnswer | null {
  const said = () => {
    const meter = chatMeter(WHOLE_SAMPLE_BYTES_MAX);
    meter.read(bytes);
    return meter;
  };
  const quick = peekChatUsage(bytes);
  if (quick !== null) return { usage: quick, bad: false, said };
  const body = parsedObject(bytes.toString("utf8"));
  if (body === null || !isAbsent(body["error"]) || !Array.isArray(body["choices"])) return null;
  const usage = readChatUsage(body["usage"]);
  return { usage, bad: usage === null && isObject(body["usage"]), said };
}
