import type { Stop, StopReason } from "../../domain/chat.ts";

const REASONS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["max_output_tokens", "length"],
  ["content_filter", "filter"],
]);

export type Ending = {
  /** The status of the response. */
  status: unknown;
  /** Why it is incomplete, where it is. */
  incompleteReason: unknown;
  hasCalls: boolean;
  hasRefusal: boolean;
};

/** Why an answer ended. A call that was made is a call, and a refusal one, whatever the status says. */
export function readResponsesStop({ status, incompleteReason, hasCalls, hasRefusal }: Ending): Stop {
  const given = typeof incompleteReason === "string" ? incompleteReason : status;
  const raw = typeof given === "string" ? given : null;
  const stop = (reason: StopReason): Stop => ({ reason, raw, sequence: null });
  const known = status === "incomplete" && raw !== null ? REASONS.get(raw) : undefined;
  if (known !== undefined) return stop(known);
  if (hasCalls) return stop("tool-calls");
  if (status !== undefined && status !== null && status !== "completed") return stop("unknown");
  return stop(hasRefusal ? "refusal" : "end");
}

/** What a client is told. */
export type ToldEnd =
  | { status: "completed"; incompleteReason: null }
  | { status: "incomplete"; incompleteReason: string };

const COMPLETED: ToldEnd = { status: "completed", incompleteReason: null };

/**
 * A refusal is a good end here: its part says that it is one. A pause, and a reason that nobody knows, are incomplete
 * for a reason that is not in OpenAI's list: clients show it, or take it for something other than an end, and none takes
 * it for the whole answer or for one that was too long.
 */
export function writeResponsesStop({ reason }: Stop): ToldEnd {
  switch (reason) {
    case "end":
    case "tool-calls":
    case "stop-sequence":
    case "refusal":
      return COMPLETED;
    case "length":
    case "context-full":
      return { status: "incomplete", incompleteReason: "max_output_tokens" };
    case "filter":
      return { status: "incomplete", incompleteReason: "content_filter" };
    case "pause":
    case "unknown":
      return { status: "incomplete", incompleteReason: reason };
    default:
      return reason satisfies never;
  }
}
