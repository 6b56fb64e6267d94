import type { Said } from "./protocol.ts";

/** What JSON writes otherwise; most pieces of a stream have none of it. */
const ESCAPED = /[\p{Cc}\p{Cs}"\\]/u;

/**
 * Counts what a model said as it would stand in JSON, which is how it is counted where the upstream's own bytes pass,
 * and keeps the first of it.
 */
export class SaidMeter implements Said {
  bytes = 0;
  readonly #sampleBytesMax: number;
  #kept = "";

  constructor(sampleBytesMax: number) {
    this.#sampleBytesMax = sampleBytesMax;
  }

  get sample(): Uint8Array {
    return Buffer.from(this.#kept).subarray(0, this.#sampleBytesMax);
  }

  add(text: string): void {
    const written = ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text;
    this.bytes += Buffer.byteLength(written);
    if (this.#kept.length < this.#sampleBytesMax)
      this.#kept += written.slice(0, this.#sampleBytesMax - this.#kept.length);
  }
}
