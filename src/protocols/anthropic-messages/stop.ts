import type { Stop, StopReason } from "../../domain/chat.ts";

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  max_tokens: "length",
  stop_sequence: "stop-sequence",
  tool_use: "tool-calls",
  pause_turn: "pause",
  refusal: "refusal",
  model_context_window_exceeded: "context-full",
};

/** Reasons that a tool call beside them does not overrule. */
const CUT_SHORT: readonly StopReason[] = ["length", "filter", "refusal", "context-full", "pause"];

export type RawStop = { raw: string | null; sequence: string | null; calledTools: boolean };

export function readStop({ raw, sequence, calledTools }: RawStop): Stop {
  const known = raw !== null && Object.hasOwn(REASONS, raw) ? REASONS[raw] : undefined;
  const reason = known ?? "unknown";
  return { reason: calledTools && !CUT_SHORT.includes(reason) ? "tool-calls" : reason, raw, sequence };
}

export type WrittenStop = {
  stop_reason: string;
  stop_sequence: string | null;
  stop_details: { type: "refusal"; category: null; explanation: null } | null;
};

/** The blocks decide together with the reason: a client runs tools only where it is told that they were called. */
export function writeStop(stop: Stop, wrote: { calls: boolean; refusal: boolean }): WrittenStop {
  const name = stopName(stop.reason, wrote);
  return {
    stop_reason: name,
    stop_sequence: name === "stop_sequence" ? stop.sequence : null,
    stop_details: name === "refusal" ? { type: "refusal", category: null, explanation: null } : null,
  };
}

function stopName(reason: StopReason, { calls, refusal }: { calls: boolean; refusal: boolean }): string {
  switch (reason) {
    case "length":
      return "max_tokens";
    case "context-full":
      return "model_context_window_exceeded";
    case "pause":
      return "pause_turn";
    case "refusal":
    // The dialect has one word for a model that will not answer and for a filter that will not let it.
    case "filter":
      return "refusal";
    case "end":
    case "stop-sequence":
    case "tool-calls":
    case "unknown":
      if (calls) return "tool_use";
      if (refusal) return "refusal";
      if (reason === "stop-sequence") return "stop_sequence";
      // There is no word for “nobody knows”. This one says that something may be missing, and promises nothing.
      return reason === "unknown" ? "max_tokens" : "end_turn";
    default:
      return reason satisfies never;
  }
}
