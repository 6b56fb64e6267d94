import { UpstreamFailure } from "./answer.ts";
import { ChunkedDecoder } from "./http1-chunked.ts";
import { parseHead, type ResponseHead } from "./http1-head.ts";

const headEnd = Buffer.from("\r\n\r\n");
/**
 * Up to here a copy costs less than a view does, for which the runtime makes objects of its own. For the pieces of a stream
 * it does not: there it was measured the other way round.
 */
const COPIED_BYTES_MAX = 2_048;

/** Reads one response after another, each split anywhere and begun by `reset`. It never throws: a malformed response sets `failure`. */
export class ResponseParser {
  head: ResponseHead | null = null;
  complete = false;
  failure: UpstreamFailure | null = null;
  /** Bytes came after the end: whoever sent them is not to be trusted with another request. */
  surplus = false;

  #pending: Buffer | null = null;
  #headerBytesMax = 0;
  #headBytesLeft = 0;
  #bodyBytesLeft = 0;
  #chunked: ChunkedDecoder | null = null;

  /** For the next response; what the last one left behind is forgotten. */
  reset(headerBytesMax: number): void {
    this.head = null;
    this.complete = false;
    this.failure = null;
    this.surplus = false;
    this.#pending = null;
    this.#headerBytesMax = headerBytesMax;
    this.#headBytesLeft = headerBytesMax;
    this.#bodyBytesLeft = 0;
    this.#chunked = null;
  }

  /** Gives the body bytes of this read, perhaps a view of `bytes`, which must be ours to keep and to change. */
  feed(bytes: Buffer): Uint8Array | null {
    let data = bytes;
    let at = 0;
    if (this.head === null) {
      if (this.#pending !== null) data = Buffer.concat([this.#pending, bytes]);
      at = this.#feedHead(data);
      if (this.head === null || this.failure !== null) return null;
    }
    return this.#feedBody(data, at);
  }

  /** The other side has closed in good order; true if the response is complete by that. */
  finish(): boolean {
    if (this.head?.body === "until-close" && this.failure === null) this.complete = true;
    return this.complete;
  }

  #feedHead(data: Buffer): number {
    // Only the last three bytes seen before can be part of an end that was not found then.
    let searchFrom = Math.max(0, (this.#pending?.length ?? 0) - 3);
    this.#pending = null;
    let at = 0;
    while (this.head === null) {
      const end = data.indexOf(headEnd, searchFrom);
      const headBytes = (end < 0 ? data.length : end + headEnd.length) - at;
      if (headBytes > this.#headBytesLeft) {
        this.failure = new UpstreamFailure("limit", "a response head that is too long");
        return at;
      }
      if (end < 0) {
        this.#keepPartialHead(data, at);
        return at;
      }
      this.#headBytesLeft -= headBytes;
      this.#takeHead(data.toString("latin1", at, end + 2));
      if (this.failure !== null) return at;
      at = end + headEnd.length;
      searchFrom = at;
    }
    return at;
  }

  #keepPartialHead(data: Buffer, at: number): void {
    if (at === data.length) return;
    // Something that is not HTTP at all is refused at once, not when a limit is reached.
    const opening = data.toString("latin1", at, at + 7);
    if (opening === "HTTP/1.".slice(0, opening.length)) this.#pending = data.subarray(at);
    else this.failure = new UpstreamFailure("protocol", "no HTTP/1 status line");
  }

  #takeHead(text: string): void {
    try {
      const head = parseHead(text);
      if (head.status === 101)
        throw new UpstreamFailure("protocol", "a switch of protocols nobody asked for");
      if (head.compressed && !isUnderstoodUnread(head.status)) {
        throw new UpstreamFailure("protocol", "a compressed answer, though none was asked for");
      }
      if (head.status >= 200) this.#startBody(head);
    } catch (error) {
      this.failure =
        error instanceof UpstreamFailure ? error : new UpstreamFailure("protocol", String(error));
    }
  }

  #startBody(head: ResponseHead): void {
    this.head = head;
    if (head.body === "chunked") this.#chunked = new ChunkedDecoder(this.#headerBytesMax);
    else if (head.body === "until-close") this.#bodyBytesLeft = Number.POSITIVE_INFINITY;
    else this.#bodyBytesLeft = head.body;
    this.complete = head.body === 0;
  }

  #feedBody(data: Buffer, at: number): Uint8Array | null {
    let body: Uint8Array | null = null;
    let stoppedAt = at;
    if (this.#chunked !== null) {
      body = this.#chunked.decode(data, at);
      stoppedAt = this.#chunked.stoppedAt;
      this.complete = this.#chunked.done;
      this.failure = this.#chunked.failure;
    } else if (!this.complete) {
      stoppedAt = Math.min(data.length, at + this.#bodyBytesLeft);
      if (stoppedAt > at) body = piece(data, at, stoppedAt);
      this.#bodyBytesLeft -= stoppedAt - at;
      this.complete = this.#bodyBytesLeft === 0;
    }
    this.surplus = this.complete && stoppedAt < data.length;
    return this.head?.compressed === true ? null : body;
  }
}

function piece(data: Buffer, from: number, to: number): Uint8Array {
  if (to - from > COPIED_BYTES_MAX) return data.subarray(from, to);
  const copy = Buffer.allocUnsafeSlow(to - from);
  data.copy(copy, 0, from, to);
  return copy;
}

/** A refusal is, by its status, unless it is about the request itself: then its text is what counts. */
function isUnderstoodUnread(status: number): boolean {
  return status > 400 && status !== 422;
}
