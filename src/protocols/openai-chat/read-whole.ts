import type { Usage } from "../../domain/usage.ts";
import { WHOLE_SAMPLE_BYTES_MAX } from "../content-meter.ts";
import { isAbsent, isObject, parsedObject } from "../json-value.ts";
import type { Said, WholeAnswer } from "../protocol.ts";
import { chatMeter } from "./content-bytes.ts";
import { peekChatUsage } from "./peek-usage.ts";
import { readChatUsage } from "./read-usage.ts";

/** What there is to know of a whole chat answer; most are read without being parsed. */
export function readChatWhole(bytes: Buffer): WholeAnswer | null {
  const quick = peekChatUsage(bytes);
  if (quick !== null) return new ChatAnswer(bytes, quick, false);
  const body = parsedObject(bytes.toString("utf8"));
  if (body === null || !isAbsent(body["error"]) || !Array.isArray(body["choices"])) return null;
  const usage = readChatUsage(body["usage"]);
  return new ChatAnswer(bytes, usage, usage === null && isObject(body["usage"]));
}

class ChatAnswer implements WholeAnswer {
  constructor(
    readonly bytes: Buffer,
    readonly usage: Usage | null,
    readonly bad: boolean,
  ) {}

  said(): Said {
    const meter = chatMeter(WHOLE_SAMPLE_BYTES_MAX);
    meter.read(this.bytes);
    return meter;
  }
}
