import type { Reply } from "../../domain/chat.ts";
import type { Json, ReplyHead } from "../protocol.ts";
import { echoOf, responseObject } from "./response-object.ts";
import { writeResponsesStop } from "./stop.ts";
import { closingPart, ItemNames, isWritable, writeItem } from "./write-item.ts";
import { writeResponsesUsage } from "./write-usage.ts";

export function writeResponsesReply({ parts, stop, usage }: Reply, head: ReplyHead): Json {
  const names = new ItemNames(head.id);
  const written = parts.filter(isWritable);
  const closing = closingPart(stop, {
    hasRefusal: written.some(part => part.kind === "refusal"),
    isEmpty: written.length === 0,
  });
  if (closing !== null) written.push(closing);
  return responseObject(echoOf(head), {
    ...writeResponsesStop(stop),
    output: written.map(part => writeItem(part, names.name(part))),
    usage: usage === null ? null : writeResponsesUsage(usage),
    error: null,
  });
}
