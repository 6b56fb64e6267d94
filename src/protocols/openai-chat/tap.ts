import type { Usage } from "../../domain/usage.ts";
import { contentBytesOf, stringEnd, valueAt } from "./content-bytes.ts";
import { readChatUsage } from "./read-usage.ts";

/**
 * Watches a chat stream go by. Whole events pass as they came; the rest of an unfinished one waits, so that the
 * client always stands between two events when the stream has to be ended. Only the usage chunk that the gateway
 * asked for itself is withheld, and the model's name is put back where the upstream knows it by another.
 */
export type TapOptions = {
  /** The client asked for the usage chunk too. */
  passUsage: boolean;
  /** The name the client used, where the upstream was given another. */
  renameTo: string | null;
  eventBytesMax: number;
};

export type Tap = {
  /** What may go on to the client now; null where nothing does. */
  feed: (bytes: Uint8Array) => Uint8Array | null;
  /** The upstream has said its last word, whether or not it closes the connection. */
  ended: () => boolean;
  /** The upstream reported an error in the stream: its text, and all that follows, stays here. */
  failed: () => boolean;
  /** Something unfinished is longer than any event may be. */
  overlong: () => boolean;
  /** As reported; `bad` where a report could not be believed. */
  reported: () => { usage: Usage | null; bad: boolean };
  /** Bytes of text, reasoning and tool arguments that went by. */
  contentBytes: () => number;
  /** What is still waiting for its end when the stream is over: an event without its blank line. */
  rest: () => Uint8Array | null;
};

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
const DONE = Buffer.from("[DONE]");
const MODEL = Buffer.from('"model"');
export function chatTap(options: TapOptions): Tap {
  let waiting: Buffer | null = null;
  let usage: Usage | null = null;
  let bad = false;
  let contentBytes = 0;
  let ended = false;
  let failed = false;

  function feed(bytes: Uint8Array): Uint8Array | null {
    const fresh = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const data: Buffer = waiting === null ? fresh : Buffer.concat([waiting, fresh]);
    const end = lastEventEnd(data);
    waiting = end === data.length ? null : data.subarray(end);
    if (end === 0) return null;
    const events = data.subarray(0, end);
    contentBytes += contentBytesOf(events);
    if (events.length < 64 || events.indexOf(DONE, events.length - 64) >= 0) ended ||= endsWithDone(events);
    const plain = objectAfter(events, USAGE, 0) < 0 && events.indexOf(ERROR) < 0;
    if (plain && options.renameTo === null) return events;
    return eventByEvent(events);
  }

  function eventByEvent(events: Buffer): Uint8Array | null {
    const kept: Uint8Array[] = [];
    for (let from = 0; from < events.length; ) {
      const end = firstEventEnd(events, from);
      const event = events.subarray(from, end);
      from = end;
      if (event.indexOf(ERROR) >= 0 && isError(event)) {
        failed = true;
        break;
      }
      if (objectAfter(event, USAGE, 0) >= 0 && isUsageChunk(event)) continue;
      kept.push(options.renameTo === null ? event : renamed(event, options.renameTo));
    }
    return kept.length === 0 ? null : Buffer.concat(kept);
  }

  /** Reads the usage of an event; true where the event is nothing but usage that the client did not ask for. */
  function isUsageChunk(event: Buffer): boolean {
    const chunk = eventJson(event);
    if (chunk === null || typeof chunk["usage"] !== "object" || chunk["usage"] === null) return false;
    const read = readChatUsage(chunk["usage"]);
    if (read === null) bad = true;
    else usage = read;
    return !options.passUsage && Array.isArray(chunk["choices"]) && chunk["choices"].length === 0;
  }

  return {
    feed,
    ended: () => ended,
    failed: () => failed,
    overlong: () => waiting !== null && waiting.length > options.eventBytesMax,
    reported: () => ({ usage, bad }),
    contentBytes: () => contentBytes,
    rest: () => waiting,
  };
}

/** Just past the last blank line; events end at one, whichever of the three line ends the upstream writes. */
function lastEventEnd(data: Buffer): number {
  const lf = data.lastIndexOf("\n\n");
  const crlf = data.lastIndexOf("\r\n\r\n");
  const cr = lf < 0 && crlf < 0 ? data.lastIndexOf("\r\r") : -1;
  return Math.max(lf < 0 ? 0 : lf + 2, crlf < 0 ? 0 : crlf + 4, cr < 0 ? 0 : cr + 2);
}

function firstEventEnd(data: Buffer, from: number): number {
  for (let at = from; at < data.length; at++) {
    const byte = data[at];
    if (byte !== LF && byte !== CR) continue;
    const line = byte === CR && data[at + 1] === LF ? 2 : 1;
    const next = data[at + line];
    if (next === LF) return at + line + 1;
    if (next === CR) return at + line + (data[at + line + 1] === LF ? 2 : 1);
  }
  return data.length;
}

function endsWithDone(events: Buffer): boolean {
  const tail = events.toString("latin1", Math.max(0, events.length - 64)).trimEnd();
  return /(^|[\r\n])data: ?\[DONE\]$/.test(tail);
}

/** The data lines of one event as JSON; null for comments, the last word and anything that is not an object. */
function eventJson(event: Buffer): Record<string, unknown> | null {
  const lines = event.toString("utf8").split(/\r\n|\n|\r/);
  const data = lines.filter(line => line.startsWith("data:")).map(line => line.slice(5));
  try {
    const value: unknown = JSON.parse(data.join("\n"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Some upstreams give the error as an object, some as a text, and some name the field where there is none. */
function isError(event: Buffer): boolean {
  const error = eventJson(event)?.["error"];
  return error !== undefined && error !== null;
}

/** Where the object begins that is the value of a field; -1 where no such field has an object. */
function objectAfter(data: Buffer, field: Buffer, from: number): number {
  for (let at = data.indexOf(field, from); at >= 0; at = data.indexOf(field, at + 1)) {
    const value = valueAt(data, at + field.length);
    if (data[value] === OPEN_BRACE) return value;
  }
  return -1;
}

/** The event with its first `"model"` value replaced: in a chunk, that is the model's own name. */
function renamed(event: Buffer, name: string): Uint8Array {
  const at = event.indexOf(MODEL);
  const value = at < 0 ? -1 : valueAt(event, at + MODEL.length);
  if (value < 0 || event[value] !== QUOTE) return event;
  const end = stringEnd(event, value);
  return Buffer.concat([
    event.subarray(0, value),
    Buffer.from(JSON.stringify(name)),
    event.subarray(end + 1),
  ]);
}
