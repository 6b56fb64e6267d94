import type { Json, Report, Said, Tap } from "./protocol.ts";
import { beginsEvent, endsEvent, firstEventEnd, isBlank, isHalf, lastEventEnd, seamOf } from "./sse.ts";

/** What a dialect looks for in the events that go by. */
export type EventRules = {
  /** The upstream has said its last word. */
  readonly ended: boolean;
  /** The upstream reported an error. */
  readonly failed: boolean;
  /** Nothing is missing from the answer, should the upstream close now. */
  readonly isWhole: boolean;
  readonly content: Said;
  reported: () => Report;
  /** Whole events among which there is none to look at; found out by a few native searches. */
  isPlain: (events: Buffer) => boolean;
  /** Those pass as they came. */
  pass: (events: Buffer) => void;
  /** Any other event by itself, and what of it goes on; null where nothing does. */
  read: (event: Buffer) => Uint8Array | null;
  lengthEnd: (usage: { input: number; output: number }) => string;
  failureEnd: (body: Json) => string;
};

/** Enough to tell how many bytes a token has in this answer, and little for a stream that stands still. */
export const SAMPLE_BYTES_MAX = 8_192;

const NOTHING: Buffer = Buffer.alloc(0);
const BLANK_LINE = Buffer.from("\n\n");

/**
 * Watches a stream go by. Whole events pass as they came, but for what the dialect withholds or edits; the rest of an
 * unfinished one waits, so that the client always stands between two events when the stream has to be ended.
 */
export class EventTap implements Tap {
  readonly content: Said;
  readonly #rules: EventRules;
  readonly #eventBytesMax: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #seam = NOTHING;
  #isCut = false;
  #hasBegun = false;
  /** We ended it: nothing of the upstream's passes any more. */
  #isOver = false;

  constructor(rules: EventRules, eventBytesMax: number) {
    this.#rules = rules;
    this.#eventBytesMax = eventBytesMax;
    this.content = rules.content;
  }

  get ended(): boolean {
    return this.#rules.ended;
  }

  get failed(): boolean {
    return this.#isCut || this.#rules.failed;
  }

  get isOverlong(): boolean {
    return this.#waitingBytes > this.#eventBytesMax;
  }

  reported(): Report {
    return this.#rules.reported();
  }

  feed(bytes: Uint8Array): Uint8Array | null {
    if (this.#isOver || this.failed || this.ended) return null;
    const fresh = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isWaiting = this.#waiting.length > 0;
    // An event of many reads is put together once, at its end, and each read is searched once.
    if (isWaiting && !endsEvent(this.#seam, fresh)) return this.#keep(fresh);
    const data = isWaiting ? Buffer.concat([...this.#waiting, fresh]) : fresh;
    const end = lastEventEnd(data);
    if (isWaiting) this.#forget();
    if (end < data.length) this.#keep(data.subarray(end));
    return end === 0 ? null : this.#pass(end === data.length ? data : data.subarray(0, end));
  }

  /** What lost only its blank line passes like any event; of what lost more, nothing can be made. */
  rest(): Uint8Array | null {
    const unfinished = Buffer.concat(this.#waiting);
    this.#forget();
    if (this.#isOver || this.failed || !this.#begins(unfinished)) return null;
    const passing = unfinished.length === 0 || isHalf(unfinished) ? null : this.#rules.read(unfinished);
    if (this.#rules.failed || this.#rules.isWhole) return passing;
    this.#isCut = true;
    // An error follows it, which is an event of its own.
    return passing === null ? null : Buffer.concat([passing, BLANK_LINE]);
  }

  lengthEnd(usage: { input: number; output: number }): Uint8Array {
    this.#end();
    return Buffer.from(this.#rules.lengthEnd(usage));
  }

  failureEnd(body: Json): Uint8Array {
    this.#end();
    return Buffer.from(this.#rules.failureEnd(body));
  }

  #end(): void {
    this.#isOver = true;
    this.#forget();
  }

  #keep(bytes: Buffer): null {
    if (bytes.length === 0) return null;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#seam = seamOf(this.#seam, bytes);
    return null;
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#seam = NOTHING;
  }

  /** What begins like no event is a page or a text under the wrong name, and nothing of it is for the client. */
  #begins(bytes: Buffer): boolean {
    this.#hasBegun ||= beginsEvent(bytes);
    if (!this.#hasBegun && !isBlank(bytes)) this.#isCut = true;
    return !this.#isCut;
  }

  #pass(events: Buffer): Uint8Array | null {
    if (!this.#hasBegun && !this.#begins(events)) return null;
    if (!this.#rules.isPlain(events)) return this.#eventByEvent(events);
    this.#rules.pass(events);
    return events;
  }

  #eventByEvent(events: Buffer): Uint8Array | null {
    const kept: Uint8Array[] = [];
    for (let from = 0; from < events.length; ) {
      const end = firstEventEnd(events, from);
      const passing = this.#rules.read(events.subarray(from, end));
      if (this.#rules.failed) break;
      if (passing !== null) kept.push(passing);
      // Whatever an upstream says after its last word is for nobody.
      if (this.#rules.ended) break;
      from = end;
    }
    const [only] = kept;
    if (only === undefined) return null;
    return kept.length === 1 ? only : Buffer.concat(kept);
  }
}
