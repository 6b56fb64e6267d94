import type { Json } from "../protocol.ts";
import { writeEvent } from "../sse.ts";

export type LengthEnd = {
  model: string;
  /** Whether its first event has passed. */
  hasBegun: boolean;
  openBlocks: Iterable<number>;
  /** Null where the stream has told what was read, which we do not correct. */
  input: number | null;
  output: number;
};

/** The events with which a messages stream ends when its length limit is reached. */
export function messagesLengthEnd({ model, hasBegun, openBlocks, input, output }: LengthEnd): string {
  const events: Json[] = hasBegun ? [] : [emptyStart(model)];
  for (const index of openBlocks) events.push({ type: "content_block_stop", index });
  const usage = input === null ? { output_tokens: output } : { input_tokens: input, output_tokens: output };
  events.push({ type: "message_delta", delta: { stop_reason: "max_tokens", stop_sequence: null }, usage });
  events.push({ type: "message_stop" });
  return events.map(event => writeEvent(String(event["type"]), event)).join("");
}

function emptyStart(model: string): Json {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const message = { id: "msg_ended", type: "message", role: "assistant", model, content: [] };
  return { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } };
}
