import type { Usage } from "../../domain/usage.ts";
import { scanObject } from "../json-object.ts";
import { ContentMeter, stringEnd, valueAt } from "./content-bytes.ts";
import { readChatUsage } from "./read-usage.ts";

export type TapOptions = {
  /** The client asked for the usage chunk too. */
  passUsage: boolean;
  /** The name the client used, where the upstream was given another. */
  renameTo: string | null;
  eventBytesMax: number;
};

export type Report = {
  usage: Usage | null;
  /** It came at the end, and so is of the whole answer. */
  isFinal: boolean;
  /** A report could not be believed. */
  bad: boolean;
};

const BOUNDARY_BYTES_MAX = 3;
/** Enough to tell how many bytes a token has in this answer, and little for a stream that stands still. */
const SAMPLE_BYTES_MAX = 8_192;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
/** The first letter of null. */
const NULL = 0x6e;
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
const DONE = Buffer.from("[DONE]");
const MODEL = Buffer.from('"model"');

/**
 * Watches a chat stream go by. Whole events pass as they came; the rest of an unfinished one waits, so that the
 * client always stands between two events when the stream has to be ended. Only the usage chunk that the gateway
 * asked for itself is withheld, and the model's name is put back where the upstream knows it by another.
 */
export class ChatTap {
  /** The upstream has said its last word, whether or not it closes the connection. */
  ended = false;
  /** The upstream reported an error in the stream: its text, and all that follows, stays here. */
  failed = false;
  /** Text, reasoning and tool arguments that went by. */
  readonly content = new ContentMeter(SAMPLE_BYTES_MAX);
  readonly #options: TapOptions;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #usage: Usage | null = null;
  #isFinal = false;
  #bad = false;

  constructor(options: TapOptions) {
    this.#options = options;
  }

  /** Something unfinished is longer than any event may be. */
  get isOverlong(): boolean {
    return this.#waitingBytes > this.#options.eventBytesMax;
  }

  reported(): Report {
    return { usage: this.#usage, isFinal: this.#isFinal, bad: this.#bad };
  }

  /** What may go on to the client now; null where nothing does. */
  feed(bytes: Uint8Array): Uint8Array | null {
    if (this.failed) return null;
    const fresh = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const last = this.#waiting.at(-1);
    // An event of many reads is put together once, at its end, and each read is searched once.
    if (last !== undefined && !endsEvent(last, fresh)) return this.#keep(fresh);
    const data = last === undefined ? fresh : Buffer.concat([...this.#waiting, fresh]);
    const end = lastEventEnd(data);
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (end < data.length) this.#keep(data.subarray(end));
    return end === 0 ? null : this.#pass(data.subarray(0, end));
  }

  /** Once the stream is over: what still waited for its blank line, looked at and treated like any event. */
  rest(): Uint8Array | null {
    const unfinished = Buffer.concat(this.#waiting);
    this.#waiting = [];
    return unfinished.length === 0 || this.failed ? null : this.#pass(unfinished);
  }

  #keep(bytes: Buffer): null {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    return null;
  }

  #pass(events: Buffer): Uint8Array | null {
    const isPlain = !mayHaveUsage(events) && events.indexOf(ERROR) < 0 && events.indexOf(DONE) < 0;
    if (!isPlain || this.#options.renameTo !== null) return this.#eventByEvent(events);
    this.content.read(events);
    return events;
  }

  #eventByEvent(events: Buffer): Uint8Array | null {
    const { renameTo } = this.#options;
    const kept: Uint8Array[] = [];
    let from = 0;
    while (from < events.length) {
      const end = firstEventEnd(events, from);
      const event = events.subarray(from, end);
      if (event.indexOf(ERROR) >= 0 && isError(event)) {
        this.failed = true;
        break;
      }
      from = end;
      if (event.indexOf(DONE) >= 0 && eventData(event).trim() === "[DONE]") this.ended = true;
      if (mayHaveUsage(event) && this.#isUsageChunk(event)) continue;
      kept.push(renameTo === null ? event : renamed(event, renameTo));
    }
    this.content.read(events.subarray(0, from));
    return kept.length === 0 ? null : Buffer.concat(kept);
  }

  /** Reads the usage of an event; true where the event is nothing but usage that the client did not ask for. */
  #isUsageChunk(event: Buffer): boolean {
    const chunk = eventJson(event);
    if (chunk === null || typeof chunk["usage"] !== "object" || chunk["usage"] === null) return false;
    const choices: unknown[] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [{}];
    const read = readChatUsage(chunk["usage"]);
    this.#bad = read === null;
    this.#usage = read ?? this.#usage;
    this.#isFinal = choices.every(isFinished);
    return !this.#options.passUsage && choices.length === 0;
  }
}

function isFinished(choice: unknown): boolean {
  return (
    typeof choice === "object" &&
    choice !== null &&
    "finish_reason" in choice &&
    choice.finish_reason !== null
  );
}

/** A blank line may begin in one read and end in the next. */
function endsEvent(before: Buffer, fresh: Buffer): boolean {
  return lastEventEnd(Buffer.concat([before.subarray(-BOUNDARY_BYTES_MAX), fresh])) > 0;
}

/** Just past the last blank line; events end at one, whichever of the three line ends the upstream writes. */
function lastEventEnd(data: Buffer): number {
  const lf = data.lastIndexOf("\n\n");
  const crlf = data.lastIndexOf("\n\r\n");
  const cr = lf < 0 && crlf < 0 ? data.lastIndexOf("\r\r") : -1;
  return Math.max(lf < 0 ? 0 : lf + 2, crlf < 0 ? 0 : crlf + 3, cr < 0 ? 0 : cr + 2);
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

/** Where its first data line begins: comments and other fields may stand before it. */
function dataStart(event: Buffer): number {
  const lines = ["\ndata:", "\rdata:"].map(line => event.indexOf(line) + 1).filter(at => at > 0);
  return lines.length === 0 || event.indexOf("data:") === 0 ? 0 : Math.min(...lines);
}

/** The data lines of one event; the whole of it where it has none, as in a plain JSON error under the wrong type. */
function eventData(event: Buffer): string {
  const text = event.toString("utf8").replace(/^\ufeff/, "");
  const data = text.split(/\r\n|\n|\r/).filter(line => line.startsWith("data:"));
  return data.length === 0 ? text : data.map(line => line.slice(5)).join("\n");
}

/** The event's data as an object; null for comments, the last word and anything that is not one. */
function eventJson(event: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(eventData(event));
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

/** Whether any `"usage"` is more than null, as it is on all chunks but the last; parsing tells whether it is one. */
function mayHaveUsage(data: Buffer): boolean {
  for (let at = data.indexOf(USAGE); at >= 0; at = data.indexOf(USAGE, at + 1)) {
    if (data[valueAt(data, at + USAGE.length)] !== NULL) return true;
  }
  return false;
}

/** Where the value of the event's own `"model"` begins, as against one deeper inside; -1 where it has none. */
function modelValue(event: Buffer): number {
  const at = event.indexOf(MODEL);
  if (at < 0) return -1;
  const deeper = event.indexOf(OPEN_BRACE, event.indexOf(OPEN_BRACE) + 1);
  const first = valueAt(event, at + MODEL.length);
  if (at < deeper && event[first] === QUOTE) return first;
  const from = event.indexOf(OPEN_BRACE, dataStart(event));
  const { fields } = scanObject(event.subarray(from), Number.MAX_SAFE_INTEGER);
  const field = fields.find(({ name }) => name === "model");
  return field === undefined ? -1 : from + field.valueStart;
}

/** The event with the value of its own `"model"` replaced, wherever else in it the word may stand. */
function renamed(event: Buffer, name: string): Uint8Array {
  const value = modelValue(event);
  if (event[value] !== QUOTE) return event;
  const end = stringEnd(event, value);
  return Buffer.concat([
    event.subarray(0, value),
    Buffer.from(JSON.stringify(name)),
    event.subarray(end + 1),
  ]);
}
