import type { Call } from "./http1-call.ts";

/** As much of the body as is copied behind the head: a usual request is then a single write. */
const joinedBodyBytesMax = 32 * 1024;

type Sink = { write: (data: Uint8Array, byteOffset: number, byteLength: number) => number };

/** Writes one request as fast as the socket takes it; the greater part of a large body is never copied. */
export class RequestWriter {
  done = true;
  #first: Buffer | null = null;
  #rest: Uint8Array | null = null;
  #offset = 0;

  /** The next request; the last one is done. */
  load(call: Call): void {
    const { head } = call;
    const { body } = call.request;
    const joinedBytes = Math.min(body?.length ?? 0, joinedBodyBytesMax);
    const first = Buffer.allocUnsafe(head.length + joinedBytes);
    first.write(head, 0, "latin1");
    if (body !== null && joinedBytes > 0) {
      const whole = joinedBytes === body.length;
      first.set(whole ? body : body.subarray(0, joinedBytes), head.length);
      this.#rest = whole ? null : body.subarray(joinedBytes);
    } else this.#rest = null;
    this.#first = first;
    this.#offset = 0;
    this.done = false;
  }

  /** False if the socket is closed. To be called again when the socket has drained, until `done`. */
  write(socket: Sink): boolean {
    while (!this.done) {
      const bytes = this.#first ?? this.#rest;
      if (bytes === null) {
        this.done = true;
        break;
      }
      const left = bytes.length - this.#offset;
      const written = socket.write(bytes, this.#offset, left);
      if (written < 0) return false;
      this.#offset += written;
      if (written < left) return true;
      this.#next();
    }
    return true;
  }

  #next(): void {
    this.#offset = 0;
    if (this.#first === null) this.#rest = null;
    this.#first = null;
    this.done = this.#rest === null;
  }
}
