import { UpstreamFailure } from "./answer.ts";

const sizeLineCharsMax = 4096;
const sizeForm = /^[0-9A-Fa-f]{1,12}[ \t]*$/;
const trailerForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:/;

/** Decodes one chunked body, split anywhere. */
export class ChunkedDecoder {
  done = false;
  failure: UpstreamFailure | null = null;
  /** Where the last decoded read stopped: after the end of the body, the first byte that is not part of it. */
  stoppedAt = 0;

  #expecting: "size" | "chunk-end" | "trailer" = "size";
  #chunkBytesLeft = 0;
  #line = "";
  #trailerBytesLeft: number;

  constructor(trailerBytesMax: number) {
    this.#trailerBytesLeft = trailerBytesMax;
  }

  /**
   * Gives the body bytes of one read as a single piece, so that a burst of small chunks is one delivery.
   * They are moved together within `bytes`, which must therefore be ours.
   */
  decode(bytes: Buffer, from: number): Uint8Array | null {
    let at = from;
    let start = -1;
    let end = -1;
    while (at < bytes.length && !this.done && this.failure === null) {
      if (this.#chunkBytesLeft === 0) {
        at = this.#takeLine(bytes, at);
        continue;
      }
      const count = Math.min(this.#chunkBytesLeft, bytes.length - at);
      if (start < 0) {
        start = at;
        end = at;
      } else {
        bytes.copyWithin(end, at, at + count);
      }
      at += count;
      end += count;
      this.#chunkBytesLeft -= count;
    }
    this.stoppedAt = at;
    return start < 0 ? null : bytes.subarray(start, end);
  }

  #takeLine(bytes: Buffer, from: number): number {
    const lineFeed = bytes.indexOf(10, from);
    this.#line += bytes.toString("latin1", from, lineFeed < 0 ? bytes.length : lineFeed);
    if (!this.#lineIsWithinLimit()) return from;
    if (lineFeed < 0) return bytes.length;
    const line = this.#line;
    this.#line = "";
    if (line.indexOf("\r") === line.length - 1) this.#onLine(line.slice(0, -1));
    else this.#fail("a chunk line that does not end in CR LF");
    return lineFeed + 1;
  }

  #lineIsWithinLimit(): boolean {
    const length = this.#line.length;
    if (this.#expecting === "chunk-end" && this.#line !== "\r" && length > 0) {
      this.#fail("a chunk longer than its size");
    } else if (this.#expecting === "size" && length > sizeLineCharsMax) {
      this.#fail("a chunk size line that is too long");
    } else if (this.#expecting === "trailer" && length > this.#trailerBytesLeft) {
      this.failure = new UpstreamFailure("limit", "trailers that are too long");
    }
    return this.failure === null;
  }

  #onLine(line: string): void {
    if (this.#expecting === "size") this.#onSize(line);
    else if (this.#expecting === "chunk-end") this.#expecting = "size";
    else if (line === "") this.done = true;
    else if (trailerForm.test(line)) this.#trailerBytesLeft -= line.length + 2;
    else this.#fail("a malformed trailer");
  }

  #onSize(line: string): void {
    const extension = line.indexOf(";");
    const size = extension < 0 ? line : line.slice(0, extension);
    if (!sizeForm.test(size) || line.includes("\0")) {
      this.#fail("a malformed chunk size");
      return;
    }
    this.#chunkBytesLeft = Number.parseInt(size, 16);
    this.#expecting = this.#chunkBytesLeft === 0 ? "trailer" : "chunk-end";
  }

  #fail(detail: string): void {
    this.failure = new UpstreamFailure("protocol", detail);
  }
}
