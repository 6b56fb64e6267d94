import { closingQuote } from "../json-object.ts";

/** Measures what a model said, in the bytes of a chat answer or of its stream, without parsing them. */

const QUOTE = 0x22;
const SPACE = 0x20;
const COLON = 0x3a;
const FIELDS = ['"content"', '"reasoning_content"', '"reasoning"', '"arguments"', '"refusal"'].map(field =>
  Buffer.from(field),
);
const SAMPLE_BYTES_MIN = 512;
const NOTHING = Buffer.alloc(0);
/** The longest escape, less its last letter. */
const CUT_ESCAPE_MAX = 5;

/** Counts the bytes of text, reasoning and tool arguments, and keeps the first of them. */
export class ContentMeter {
  bytes = 0;
  readonly #sampleBytesMax: number;
  #kept = NOTHING;
  #keptBytes = 0;

  constructor(sampleBytesMax: number) {
    this.#sampleBytesMax = sampleBytesMax;
  }

  /** The beginning of what was said, as it was written: the inside of JSON strings, one behind the other. */
  get sample(): Uint8Array {
    return this.#kept.subarray(0, this.#keptBytes);
  }

  read(data: Buffer): void {
    for (const field of FIELDS) this.#readField(data, field);
  }

  /** The string values of a field, at all its places. */
  #readField(data: Buffer, field: Buffer): void {
    for (let at = data.indexOf(field); at >= 0; at = data.indexOf(field, at + 1)) {
      const value = valueAt(data, at + field.length);
      if (data[value] !== QUOTE) continue;
      const end = stringEnd(data, value);
      this.bytes += end - value - 1;
      if (this.#keptBytes < this.#sampleBytesMax) this.#keep(data, { from: value + 1, end });
    }
  }

  #keep(data: Buffer, { from, end }: { from: number; end: number }): void {
    const size = Math.min(end - from, this.#sampleBytesMax - this.#keptBytes);
    const needed = this.#keptBytes + size;
    if (needed > this.#kept.length) this.#grow(needed);
    data.copy(this.#kept, this.#keptBytes, from, from + size);
    this.#keptBytes = needed;
  }

  /** It grows as it fills: most answers are short, and many streams may stand open at once. */
  #grow(needed: number): void {
    const length = Math.max(needed, 2 * this.#kept.length, SAMPLE_BYTES_MIN);
    const larger = Buffer.allocUnsafeSlow(Math.min(length, this.#sampleBytesMax));
    this.#kept.copy(larger, 0, 0, this.#keptBytes);
    this.#kept = larger;
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
