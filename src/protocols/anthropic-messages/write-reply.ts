import type { Reply, ReplyPart } from "../../domain/chat.ts";
import type { Json, ReplyHead } from "../protocol.ts";
import { saidIn } from "../reply-part.ts";
import { replyBlock } from "./reply-block.ts";
import { writeStop } from "./stop.ts";
import { guessedUsage, writeMessagesUsage } from "./write-usage.ts";

export function writeMessagesReply(reply: Reply, head: ReplyHead): Json {
  const { parts, stop } = reply;
  const usage = reply.usage ?? guessedUsage({ input: head.inputTokensGuess, characters: characters(parts) });
  const calls = parts.some(part => part.kind === "tool-call");
  const refusal = parts.some(part => part.kind === "refusal");
  return {
    ...writeHead(head),
    content: parts.flatMap(part => replyBlock(part) ?? []),
    ...writeStop(stop, { calls, refusal }),
    usage: writeMessagesUsage(usage),
  };
}

/** What is known of an answer before it begins. */
export function writeHead({ id, model }: ReplyHead): Json {
  return { id: `msg_${id}`, type: "message", role: "assistant", model };
}

function characters(parts: readonly ReplyPart[]): number {
  return parts.reduce((sum, part) => sum + saidIn(part).length, 0);
}
