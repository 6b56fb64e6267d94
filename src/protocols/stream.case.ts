import fc from "fast-check";
import type { Reply, ReplyEvent } from "../domain/chat.ts";
import { foldReply } from "./fold.ts";
import type { Protocol, ReplyHead, StreamReader } from "./protocol.ts";
import { SseReader } from "./sse-reader.ts";

/** Streams cut, mixed and read again. */

const EVENT_BYTES_MAX = 10_000_000;

/** Places at which bytes are cut, whatever their length. */
export const cuts = fc.array(fc.nat(100_000), { maxLength: 6 });

export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const inside = places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b);
  const bounds = [0, ...inside, bytes.length];
  return bounds.slice(1).map((end, at) => bytes.subarray(bounds[at], end));
}

/** The events with their texts in pieces, which may even cut a letter in two. */
export function inPieces(events: readonly ReplyEvent[], places: readonly number[]): ReplyEvent[] {
  return events.flatMap((event, at): ReplyEvent[] => {
    if (event.kind !== "part-delta") return [event];
    const place = (places[at % Math.max(1, places.length)] ?? 0) % (event.text.length + 1);
    const pieces = [event.text.slice(0, place), event.text.slice(place)];
    return pieces.map(text => ({ ...event, text }));
  });
}

/** Calls that follow each other, as if they were made at once: each event of one beside one of the other. */
export function interleaved(events: readonly ReplyEvent[]): ReplyEvent[] {
  const calls = new Set(
    events.flatMap(event =>
      event.kind === "part-start" && event.part.kind === "tool-call" ? [event.index] : [],
    ),
  );
  const mixed: ReplyEvent[] = [];
  let lanes: ReplyEvent[][] = [];
  const flush = () => {
    for (let row = 0; lanes.some(lane => row < lane.length); row++)
      mixed.push(...lanes.flatMap(lane => lane.slice(row, row + 1)));
    lanes = [];
  };
  for (const event of events) {
    const isCall = "index" in event && calls.has(event.index);
    if (!isCall) {
      flush();
      mixed.push(event);
    } else if (event.kind === "part-start") lanes.push([event]);
    else lanes.at(-1)?.push(event);
  }
  flush();
  return mixed;
}

export function writtenStream(protocol: Protocol, events: readonly ReplyEvent[], head: ReplyHead): string {
  const writer = protocol.streamWriter(head);
  return events.map(event => writer.write(event)).join("");
}

/** All that a reader makes of a stream, its end included. */
export function readStream(protocol: Protocol, pieces: readonly Uint8Array[]): ReplyEvent[] {
  const sse = new SseReader(EVENT_BYTES_MAX);
  const reader: StreamReader = protocol.streamReader();
  const events = pieces.flatMap(piece => sse.feed(piece).flatMap(event => reader.read(event)));
  const last = sse.rest().flatMap(event => reader.read(event));
  return [...events, ...last, ...reader.finish()];
}

export function streamedReply(protocol: Protocol, pieces: readonly Uint8Array[]): Reply | null {
  return foldReply(readStream(protocol, pieces));
}
