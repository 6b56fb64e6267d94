import type { CacheControlEphemeral } from "@anthropic-ai/sdk/resources/messages";
import type { CacheMark } from "../../domain/chat.ts";

/** More marks than these are refused. */
const MARKS_MAX = 4;

export type Markable = { cache_control?: CacheControlEphemeral | null };

/** For spreading into a block. Times that are not known are left to the default. */
export function writeCache(cache: CacheMark | null): Markable {
  if (cache === null) return {};
  const { ttl } = cache;
  return { cache_control: { type: "ephemeral", ...((ttl === "5m" || ttl === "1h") && { ttl }) } };
}

export type Marked = {
  /** Tools, then instructions: what stands in front of every request of a conversation. */
  front: readonly Markable[];
  /** What may be marked in the messages, from the first to the last. */
  messages: readonly Markable[];
  /** The whole request is marked, which takes one more. */
  isWhole: boolean;
};

/** Takes marks away until there are no more than are allowed: those of the oldest messages first. */
export function limitMarks({ front, messages, isWhole }: Marked): void {
  const isMarked = (block: Markable) => (block.cache_control ?? null) !== null;
  const inOrder = [...messages.filter(isMarked), ...front.filter(isMarked)];
  const allowed = isWhole ? MARKS_MAX - 1 : MARKS_MAX;
  for (const block of inOrder.slice(0, Math.max(0, inOrder.length - allowed))) delete block.cache_control;
}
