import { closingQuote } from "./json-object.ts";
import type { Said } from "./protocol.ts";

/** Measures what a model said, in the bytes of an answer or of its stream, without parsing them. */

const QUOTE = 0x22;
const SPACE = 0x20;
const COLON = 0x3a;
/** A whole answer is at hand, so all that a usual one says is counted. */
export const WHOLE_SAMPLE_BYTES_MAX = 1_048_576;
const KEPT_BYTES_MIN = 512;
const NOTHING: Buffer = Buffer.alloc(0);
/** The longest escape, less its last letter. */
const CUT_ESCAPE_MAX = 5;

/** Where a piece of text stands in some bytes. */
type Span = { from: number; end: number };

/** The first bytes of what is added to it. */
export class KeptText {
  readonly #bytesMax: number;
  #kept = NOTHING;
  #keptBytes = 0;
  /** More was added than it keeps. */
  isCut = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** As it was written: the inside of JSON strings, one behind the other. */
  get bytes(): Buffer {
    return this.#kept.subarray(0, this.#keptBytes);
  }

  add(data: Buffer, { from, end }: Span): void {
    const size = Math.min(end - from, this.#bytesMax - this.#keptBytes);
    if (size < end - from) this.isCut = true;
    const needed = this.#keptBytes + size;
    if (needed > this.#kept.length) this.#grow(needed);
    data.copy(this.#kept, this.#keptBytes, from, from + size);
    this.#keptBytes = needed;
  }

  /** It grows as it fills: most answers are short, and many streams may stand open at once. */
  #grow(needed: number): void {
    const length = Math.max(needed, 2 * this.#kept.length, KEPT_BYTES_MIN);
    const larger = Buffer.allocUnsafeSlow(Math.min(length, this.#bytesMax));
    this.#kept.copy(larger, 0, 0, this.#keptBytes);
    this.#kept = larger;
  }
}

/** Counts the bytes of text, reasoning and tool arguments, and keeps the first of them. */
export class ContentMeter implements Said {
  bytes = 0;
  /** Gets all of what is read, for as long as it is set. */
  also: KeptText | null = null;
  readonly #fields: readonly Buffer[];
  readonly #sample: KeptText;

  /** The fields are quoted names, such as `"content"`. */
  constructor(fields: readonly Buffer[], sampleBytesMax: number) {
    this.#fields = fields;
    this.#sample = new KeptText(sampleBytesMax);
  }

  get sample(): Uint8Array {
    return this.#sample.bytes;
  }

  read(data: Buffer): void {
    for (const field of this.#fields) this.#readField(data, field);
  }

  /** What stands in no field of its own. */
  add(text: string): void {
    const written = Buffer.from(JSON.stringify(text));
    this.#say(written, { from: 1, end: written.length - 1 });
  }

  /** The string values of a field, at all its places. */
  #readField(data: Buffer, field: Buffer): void {
    for (let at = data.indexOf(field); at >= 0; at = data.indexOf(field, at + 1)) {
      const value = valueAt(data, at + field.length);
      if (data[value] === QUOTE) this.#say(data, { from: value + 1, end: stringEnd(data, value) });
    }
  }

  #say(data: Buffer, span: Span): void {
    this.bytes += span.end - span.from;
    if (!this.#sample.isCut) this.#sample.add(data, span);
    this.also?.add(data, span);
  }
}

const decoder = new TextDecoder();

/** The text of a sample. Its last letter or escape may have been cut off; what is no JSON is read as it stands. */
export function sampleText(sample: Uint8Array): string {
  const raw = decoder.decode(sample);
  for (let cut = 0; cut <= CUT_ESCAPE_MAX; cut++) {
    try {
      return String(JSON.parse(`"${raw.slice(0, raw.length - cut)}"`));
    } catch {
      // It may be the end of it that does not parse.
    }
  }
  return raw;
}

/** Where a field's value begins, behind the colon and any white space. */
export function valueAt(data: Buffer, from: number): number {
  let at = from;
  while ((data[at] ?? QUOTE) <= SPACE || data[at] === COLON) at += 1;
  return at;
}

/** The closing quote of a string; the end of the data where there is none. */
export function stringEnd(data: Buffer, open: number): number {
  const end = closingQuote(data, open);
  return end < 0 ? data.length : end;
}
