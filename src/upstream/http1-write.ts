import { isStreamed, type StreamedBody, UpstreamFailure } from "./answer.ts";
import type { Call } from "./http1-call.ts";

/** As much of the body as is copied behind the head: a usual request is then a single write. */
const joinedBodyBytesMax = 32 * 1024;

const CRLF = Buffer.from("\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

type Sink = { write: (data: Uint8Array, byteOffset: number, byteLength: number) => number };

export type WriterListener = {
  /** What was waited for has come: `write` is to be called. */
  onMore: () => void;
  onFailure: (failure: UpstreamFailure) => void;
};

/**
 * Where a head and the body behind it are put together. A socket takes what it can at once, so one place serves all
 * requests, and only what is left over is copied.
 */
const scratch = Buffer.allocUnsafeSlow(joinedBodyBytesMax + 16 * 1024);

/**
 * Writes one request as fast as the socket takes it; the greater part of a large body is never copied. Of a body that
 * streams one piece is at hand at a time.
 */
export class RequestWriter {
  done = true;
  readonly #listener: WriterListener;
  #head: string | null = null;
  #first: Buffer | null = null;
  #rest: Uint8Array | null = null;
  #offset = 0;
  #source: StreamedBody | null = null;
  #isWaiting = false;

  constructor(listener: WriterListener) {
    this.#listener = listener;
  }

  /** The next request; the last one is done. */
  load(call: Call): void {
    const { body } = call.request;
    this.#source = isStreamed(body) ? body : null;
    this.#head = call.head;
    this.#first = null;
    this.#rest = isStreamed(body) || body?.length === 0 ? null : body;
    this.#offset = 0;
    this.done = false;
  }

  /** False if the socket is closed. To be called again when the socket has drained, until `done`. */
  write(socket: Sink): boolean {
    if (this.#head !== null && !this.#writeHead(socket, this.#head)) return false;
    while (!this.done) {
      const bytes = this.#first ?? this.#rest;
      if (bytes === null) {
        this.#ask();
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

  /** With as much of the body as fits behind it. */
  #writeHead(socket: Sink, head: string): boolean {
    const body = this.#rest;
    const bodyBytes = Math.min(body?.length ?? 0, joinedBodyBytesMax);
    const length = head.length + bodyBytes;
    const bytes = length <= scratch.length ? scratch : Buffer.allocUnsafe(length);
    bytes.write(head, 0, "latin1");
    if (body !== null) bytes.set(bodyBytes === body.length ? body : body.subarray(0, bodyBytes), head.length);
    const written = socket.write(bytes, 0, length);
    if (written < 0) return false;
    this.#head = null;
    this.#rest = body === null || bodyBytes === body.length ? null : body.subarray(bodyBytes);
    if (written < length) this.#first = Buffer.from(bytes.subarray(written, length));
    else this.done = this.#rest === null && this.#source === null;
    return true;
  }

  /** The rest of a body that streams is not wanted. The request is never done then, and its connection not kept. */
  stop(): void {
    const source = this.#source;
    if (source === null) return;
    this.#source = null;
    this.#rest = null;
    source.cancel();
  }

  #next(): void {
    this.#offset = 0;
    if (this.#first === null) this.#rest = null;
    this.#first = null;
    this.done = this.#rest === null && this.#source === null;
  }

  #ask(): void {
    const source = this.#source;
    if (source === null || this.#isWaiting) return;
    this.#isWaiting = true;
    source.next().then(
      piece => this.#take(source, piece),
      (error: unknown) => {
        if (this.#source === source) this.#listener.onFailure(asFailure(error));
      },
    );
  }

  #take(source: StreamedBody, piece: Uint8Array | null): void {
    this.#isWaiting = false;
    // Stopped meanwhile.
    if (this.#source !== source) return;
    if (piece === null) this.#source = null;
    this.#rest = source.length === null ? chunk(piece) : piece;
    this.done = this.#rest === null;
    this.#listener.onMore();
  }
}

function chunk(piece: Uint8Array | null): Uint8Array {
  if (piece === null) return LAST_CHUNK;
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, CRLF]);
}

function asFailure(error: unknown): UpstreamFailure {
  return error instanceof UpstreamFailure ? error : new UpstreamFailure("cut", `the body: ${String(error)}`);
}
