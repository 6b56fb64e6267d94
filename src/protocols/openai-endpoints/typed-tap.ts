import { NO_USAGE, type Usage } from "../../domain/usage.ts";
import { ContentMeter } from "../content-meter.ts";
import { type EventRules, EventTap, SAMPLE_BYTES_MAX } from "../event-tap.ts";
import { isAbsent } from "../json-value.ts";
import { readResponsesUsage } from "../openai-responses/read-usage.ts";
import type { Json, Report, Tap, TapOptions } from "../protocol.ts";
import { eventData, eventJson, writeEvent } from "../sse.ts";

export type TypedStream = {
  /** The `type` of the event that ends a part of the answer, with what was used for it. */
  lastType: string;
  /** How many of them there are. */
  parts: number;
  /** The quoted names of the fields that hold text; sound and pictures are not measured. */
  textFields: readonly string[];
};

const ERROR = Buffer.from('"error"');
const DONE = Buffer.from("[DONE]");
const TOO_LONG = {
  error: {
    message: "The answer grew longer than what was granted for it.",
    type: "server_error",
    code: "length",
    param: null,
  },
};

/** Watches a stream whose events say by their `type` what they are: pictures, speech, transcripts. */
export function typedTap(stream: TypedStream, options: TapOptions): Tap {
  return new EventTap(new TypedRules(stream), options.eventBytesMax);
}

class TypedRules implements EventRules {
  ended = false;
  failed = false;
  readonly content: ContentMeter;
  readonly #stream: TypedStream;
  readonly #last: Buffer;
  #usage: Usage | null = null;
  #bad = false;
  #parts = 0;

  constructor(stream: TypedStream) {
    this.#stream = stream;
    this.#last = Buffer.from(`"${stream.lastType}"`);
    this.content = new ContentMeter(
      stream.textFields.map(field => Buffer.from(field)),
      SAMPLE_BYTES_MAX,
    );
  }

  /** Some never say [DONE], and some give fewer pictures than were asked for. */
  get isWhole(): boolean {
    return this.ended || this.#parts > 0;
  }

  reported(): Report {
    return { usage: this.#usage, isFinal: this.isWhole, bad: this.#bad };
  }

  isPlain(events: Buffer): boolean {
    return events.indexOf(ERROR) < 0 && events.indexOf(DONE) < 0 && events.indexOf(this.#last) < 0;
  }

  pass(events: Buffer): void {
    this.content.read(events);
  }

  read(event: Buffer): Uint8Array | null {
    if (event.indexOf(DONE) >= 0 && eventData(event).trim() === "[DONE]") this.ended = true;
    const body = eventJson(event);
    if (body !== null && isError(body)) {
      this.failed = !this.ended;
      return null;
    }
    if (body?.["type"] === this.#stream.lastType) this.#readLast(body);
    // Its last event repeats what was said.
    else this.pass(event);
    return event;
  }

  lengthEnd(): string {
    return writeEvent(null, TOO_LONG);
  }

  failureEnd(body: Json): string {
    return writeEvent(null, body);
  }

  #readLast({ usage }: Json): void {
    this.#parts += 1;
    this.ended ||= this.#parts >= this.#stream.parts;
    if (isAbsent(usage)) return;
    const read = readUsed(usage);
    this.#bad ||= read.bad;
    if (read.usage !== null) this.#usage = sum(this.#usage ?? NO_USAGE, read.usage);
  }
}

/** Some give the error as an object, some as a text, and some name the field where there is none. */
function isError({ type, error }: Json): boolean {
  return type === "error" || !isAbsent(error);
}

/** Sound is told by its tokens or by how long it lasts; what is told by its length has no tokens to be counted. */
export function readUsed(usage: unknown): { usage: Usage | null; bad: boolean } {
  const isDuration = (usage as { type?: unknown } | null | undefined)?.type === "duration";
  if (isAbsent(usage) || isDuration) return { usage: null, bad: false };
  const read = readResponsesUsage(usage);
  return { usage: read, bad: read === null };
}

function sum(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite5m: one.cacheWrite5m + other.cacheWrite5m,
    cacheWrite1h: one.cacheWrite1h + other.cacheWrite1h,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}
