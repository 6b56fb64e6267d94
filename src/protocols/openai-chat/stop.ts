import type { Stop, StopReason } from "../../domain/chat.ts";

/** OpenAI's own reasons first, then what others write in the same field. */
const REASONS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["stop", "end"],
  ["length", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "filter"],
  ["end_turn", "end"],
  ["eos", "end"],
  ["eos_token", "end"],
  ["stop_sequence", "stop-sequence"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["model_length", "context-full"],
  ["model_context_window_exceeded", "context-full"],
  ["tool_use", "tool-calls"],
  ["tool_call", "tool-calls"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
  ["sensitive", "filter"],
  ["safety", "filter"],
]);

export type Finish = {
  raw: unknown;
  /** vLLM tells the stop sequence that it met beside the reason. */
  matched: unknown;
  hasCalls: boolean;
  hasRefusal: boolean;
};

/** Why the answer ended. A call that was made is a call, and a refusal one, whatever the upstream says of its end. */
export function readStop({ raw, matched, hasCalls, hasRefusal }: Finish): Stop {
  const given = typeof raw === "string" && raw !== "" ? raw : null;
  const reason = given === null ? "end" : (REASONS.get(given.toLowerCase()) ?? "unknown");
  const met = given !== null && typeof matched === "string" && matched !== "" && !REASONS.has(matched);
  const stop = (told: StopReason): Stop => ({ reason: told, raw: given, sequence: null });
  switch (reason) {
    case "end":
    case "stop-sequence":
    case "tool-calls":
    case "unknown":
      if (hasCalls) return stop("tool-calls");
      if (reason === "unknown") return stop("unknown");
      if (hasRefusal) return stop("refusal");
      if (met) return { reason: "stop-sequence", raw: given, sequence: matched };
      // No call came of it: the client would wait for one.
      return stop(reason === "tool-calls" ? "end" : reason);
    default:
      return stop(reason);
  }
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

export type Ended = { stop: Stop; hasCalls: boolean; hasRefusal: boolean };

/**
 * `stop` is a good end. A pause and a reason that nobody knows are told as `length`: of the four it is the one that says
 * that there is more to come, and no client takes it for the whole answer. A refusal ends with `stop` where its text
 * stands in `refusal`, as with OpenAI's own, and is filtered content where there is none.
 */
export function writeStop({ stop, hasCalls, hasRefusal }: Ended): FinishReason {
  switch (stop.reason) {
    case "end":
    case "stop-sequence":
      return hasCalls ? "tool_calls" : "stop";
    case "tool-calls":
      return "tool_calls";
    case "length":
    case "context-full":
    case "pause":
    case "unknown":
      return "length";
    case "refusal":
      return hasRefusal ? "stop" : "content_filter";
    case "filter":
      return "content_filter";
    default:
      return stop.reason satisfies never;
  }
}
