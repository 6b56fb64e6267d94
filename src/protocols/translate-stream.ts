import type { ReplyEvent } from "../domain/chat.ts";
import { NO_USAGE, type Usage } from "../domain/usage.ts";
import { SAMPLE_BYTES_MAX } from "./event-tap.ts";
import type { Json, Report, SseEvent, StreamReader, StreamWriter, Tap } from "./protocol.ts";
import { SaidMeter } from "./said-meter.ts";
import { SseReader } from "./sse-reader.ts";
import type { ToolBook } from "./tool-book.ts";
import type { Translation } from "./translate-whole.ts";

const encoder = new TextEncoder();
const USAGE = '"usage"';
/** In a text the quotes would be escaped. */
const USAGE_OBJECT = /"usage"\s*:\s*\{/;

/** An upstream that begins more than so many parts means no answer by it. */
const PARTS_MAX = 20_000;
/** How much may be read while nothing goes on to the client, in the longest of events: the input of a tool may wait. */
const SILENT_EVENTS_MAX = 4;

export type TranslatingTapOptions = Translation & { eventBytesMax: number };

/** Stands between an upstream's stream and a client that speaks another dialect. */
export function translatingTap(options: TranslatingTapOptions): Tap {
  return new TranslatingTap(options);
}

class TranslatingTap implements Tap {
  ended = false;
  failed = false;
  readonly content = new SaidMeter(SAMPLE_BYTES_MAX);
  readonly #sse: SseReader;
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #book: ToolBook;
  readonly #open = new Set<number>();
  readonly #silentBytesMax: number;
  #silentBytes = 0;
  #partCount = 0;
  /** What was written and has not been taken. */
  #out = "";
  #hasBegun = false;
  #usage: Usage | null = null;
  #isFinal = false;
  #sawUsage = false;

  constructor({ from, to, head, book, eventBytesMax }: TranslatingTapOptions) {
    this.#sse = new SseReader(eventBytesMax);
    this.#silentBytesMax = SILENT_EVENTS_MAX * eventBytesMax;
    this.#reader = from.streamReader();
    this.#writer = to.streamWriter(head);
    this.#book = book;
  }

  get isOverlong(): boolean {
    return this.#sse.isOverlong || this.#silentBytes > this.#silentBytesMax;
  }

  reported(): Report {
    const bad = this.ended && this.#usage === null && this.#sawUsage;
    return { usage: this.#usage, isFinal: this.#isFinal, bad };
  }

  feed(bytes: Uint8Array): Uint8Array | null {
    if (this.#isOver) return null;
    this.#guard(() => this.#readAll(this.#sse.feed(bytes)));
    this.#silentBytes = this.#out === "" ? this.#silentBytes + bytes.length : 0;
    return this.#taken();
  }

  rest(): Uint8Array | null {
    if (this.#isOver) return null;
    this.#guard(() => {
      this.#readAll(this.#sse.rest());
      if (!this.#isOver) this.#pass(this.#reader.finish());
    });
    if (!this.ended) this.failed = true;
    return this.#taken();
  }

  /** The usage is our own count here, and no report of the upstream's. */
  lengthEnd({ input, output }: { input: number; output: number }): Uint8Array {
    if (this.#isOver) return new Uint8Array();
    const stop = { reason: "length", raw: null, sequence: null } as const;
    this.#guard(() => {
      if (!this.#hasBegun)
        this.#write({ kind: "start", id: "", model: "", createdSeconds: null, usage: null });
      this.#pass([...this.#open].map(index => ({ kind: "part-end", index })));
      this.#write({ kind: "end", stop, usage: { ...NO_USAGE, input, output } });
    });
    this.ended = true;
    return this.#taken() ?? new Uint8Array();
  }

  failureEnd(body: Json): Uint8Array {
    this.#guard(() => {
      this.#out += this.#writer.failure(body);
    });
    this.failed = true;
    return this.#taken() ?? new Uint8Array();
  }

  get #isOver(): boolean {
    return this.ended || this.failed;
  }

  /** A codec that throws was given something that its maker did not think of: it is the stream that failed. */
  #guard(step: () => void): void {
    try {
      step();
    } catch {
      this.failed = true;
    }
  }

  #taken(): Uint8Array | null {
    const text = this.#out;
    this.#out = "";
    return text === "" ? null : encoder.encode(text);
  }

  #readAll(events: readonly SseEvent[]): void {
    for (const event of events) {
      if (!this.#sawUsage && event.data.includes(USAGE)) this.#sawUsage = USAGE_OBJECT.test(event.data);
      this.#pass(this.#reader.read(event));
      if (this.#isOver) return;
    }
  }

  #pass(events: readonly ReplyEvent[]): void {
    for (const event of events) {
      this.#note(event);
      if (this.failed) return;
      if (this.#book.isBlank) this.#write(event);
      else for (const restored of this.#book.restore(event)) this.#write(restored);
      if (this.ended) return;
    }
  }

  #write(event: ReplyEvent): void {
    if (event.kind === "part-delta") this.content.add(event.text);
    this.#out += this.#writer.write(event);
  }

  #note(event: ReplyEvent): void {
    switch (event.kind) {
      case "start":
        this.#hasBegun = true;
        this.#usage = event.usage;
        break;
      case "part-start":
        this.#partCount += 1;
        if (this.#partCount > PARTS_MAX) this.failed = true;
        this.#open.add(event.index);
        break;
      case "part-end":
        this.#open.delete(event.index);
        break;
      case "end":
        this.ended = true;
        // What was reported at the beginning is not what the whole answer used.
        this.#usage = event.usage;
        this.#isFinal = event.usage !== null;
        break;
      case "failure":
        this.failed = true;
        break;
      default:
    }
  }
}
