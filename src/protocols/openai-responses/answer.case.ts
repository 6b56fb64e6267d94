import type { ReplyEvent } from "../../domain/chat.ts";
import type { Json, SseEvent } from "../protocol.ts";
import { SseReader } from "../sse-reader.ts";
import { responsesStreamReader } from "./read-stream.ts";

/** Events of an upstream as they come, without their framing. */
export type WireEvent = { type: string } & Record<string, unknown>;

export const RESPONSE = {
  id: "resp_upstream",
  object: "response",
  created_at: 1_764_180_467,
  status: "in_progress",
  model: "gpt-upstream",
  output: [],
  usage: null,
};

export const CREATED: WireEvent = { type: "response.created", sequence_number: 0, response: RESPONSE };

export const USAGE = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 19,
};

export function ended(output: readonly unknown[], extra: Json = {}): WireEvent {
  const status = typeof extra["status"] === "string" ? extra["status"] : "completed";
  return { type: `response.${status}`, response: { ...RESPONSE, status, output, usage: USAGE, ...extra } };
}

export const sseOf = (event: WireEvent): SseEvent => ({ event: event.type, data: JSON.stringify(event) });

/** What is told of a stream that closes in good order. */
export function told(events: readonly WireEvent[]): ReplyEvent[] {
  const reader = responsesStreamReader();
  return [...events.flatMap(event => reader.read(sseOf(event))), ...reader.finish()];
}

/** The events of a stream of ours. */
export function eventsOf(stream: string): WireEvent[] {
  return new SseReader(10_000_000).feed(Buffer.from(stream)).map(({ event, data }) => {
    const parsed: WireEvent = JSON.parse(data);
    if (event !== parsed.type) throw new Error(`event: ${event} says ${parsed.type}`);
    return parsed;
  });
}
