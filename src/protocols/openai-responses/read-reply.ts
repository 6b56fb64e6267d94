import type { Reply } from "../../domain/chat.ts";
import { isAbsent, listOf, objectOf, textOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { readItem, saysNothing } from "./read-item.ts";
import { readResponsesUsage } from "./read-usage.ts";
import { readResponsesStop } from "./stop.ts";

/** An answer has ended, and has an output. Null for an error, and for one that failed or that has yet to come. */
export function readResponsesReply(body: Json): Reply | null {
  const { error, status, output } = body;
  if (!isAbsent(error) || !Array.isArray(output)) return null;
  if (!isAbsent(status) && status !== "completed" && status !== "incomplete") return null;
  const parts = listOf(output)
    .flatMap(readItem)
    .filter(part => !saysNothing(part));
  return {
    ...readBeginning(body),
    parts,
    stop: readResponsesStop({
      status,
      incompleteReason: objectOf(body["incomplete_details"])["reason"],
      hasCalls: parts.some(part => part.kind === "tool-call"),
      hasRefusal: parts.some(part => part.kind === "refusal"),
    }),
    usage: readResponsesUsage(body["usage"]),
  };
}

export type Beginning = Pick<Reply, "id" | "model" | "createdSeconds">;

/** What is known of a response before it has said anything. */
export function readBeginning({ id, model, created_at: createdAt }: Json): Beginning {
  const isTime = typeof createdAt === "number" && Number.isFinite(createdAt) && createdAt >= 0;
  return { id: textOf(id), model: textOf(model), createdSeconds: isTime ? Math.floor(createdAt) : null };
}
