import type { Reply, ReplyEvent, ReplyPart } from "../domain/chat.ts";
import { saidIn, startOf } from "./reply-part.ts";

/** The events of an answer that came whole, for a client that asked for a stream. */
export function unfoldReply({ id, model, createdSeconds, parts, stop, usage }: Reply): ReplyEvent[] {
  return [
    { kind: "start", id, model, createdSeconds, usage },
    ...parts.flatMap(partEvents),
    { kind: "end", stop, usage },
  ];
}

function partEvents(part: ReplyPart, index: number): ReplyEvent[] {
  const events: ReplyEvent[] = [{ kind: "part-start", index, part: startOf(part) }];
  const text = saidIn(part);
  if (text !== "") events.push({ kind: "part-delta", index, text });
  if (part.kind === "reasoning" && part.seal !== null)
    events.push({ kind: "part-seal", index, seal: part.seal });
  if (part.kind === "text")
    for (const citation of part.citations) events.push({ kind: "part-citation", index, citation });
  events.push({ kind: "part-end", index });
  return events;
}
