import { crc32 } from "node:zlib";
import { UpstreamFailure } from "./answer.ts";

/**
 * The framing in which AWS streams: each message has its length, the length of its headers, a checksum of these two, the
 * headers, the payload, and a checksum of all that.
 */
export type AwsMessage = { headers: ReadonlyMap<string, string>; payload: Buffer };

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const MESSAGE_BYTES_MIN = PRELUDE_BYTES + CHECKSUM_BYTES;
/** What AWS itself allows. */
const MESSAGE_BYTES_MAX = 16 * 1_024 * 1_024;
const STRING = 7;
/** How long values of the other types are; -1 where they tell themselves. */
const VALUE_BYTES: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];

/** Takes bytes as they come, and gives the messages that are whole. Throws an UpstreamFailure where they make no sense. */
export class AwsEventStream {
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #neededBytes = PRELUDE_BYTES;

  /** Nothing is half there. */
  get isBetween(): boolean {
    return this.#waitingBytes === 0;
  }

  feed(bytes: Uint8Array): AwsMessage[] {
    this.#waiting.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#waitingBytes += bytes.length;
    const messages: AwsMessage[] = [];
    // A message of many reads is put together once, at its end.
    if (this.#waitingBytes < this.#neededBytes) return messages;
    let rest = Buffer.concat(this.#waiting);
    for (;;) {
      this.#neededBytes = rest.length < PRELUDE_BYTES ? PRELUDE_BYTES : lengthOf(rest);
      if (rest.length < this.#neededBytes) break;
      messages.push(messageOf(rest.subarray(0, this.#neededBytes)));
      rest = rest.subarray(this.#neededBytes);
    }
    this.#waiting = rest.length === 0 ? [] : [rest];
    this.#waitingBytes = rest.length;
    return messages;
  }
}

function lengthOf(bytes: Buffer): number {
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw broken("a wrong checksum of its lengths");
  const length = bytes.readUInt32BE(0);
  if (length < MESSAGE_BYTES_MIN || length > MESSAGE_BYTES_MAX) throw broken("an impossible length");
  return length;
}

function messageOf(bytes: Buffer): AwsMessage {
  const end = bytes.length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw broken("a wrong checksum");
  const headersEnd = PRELUDE_BYTES + bytes.readUInt32BE(4);
  if (headersEnd > end) throw broken("headers that are longer than it");
  return {
    headers: headersOf(bytes.subarray(PRELUDE_BYTES, headersEnd)),
    payload: bytes.subarray(headersEnd, end),
  };
}

/** Those that are texts; the rest is stepped over. */
function headersOf(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw broken("a header that is not whole");
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString("utf8");
    const type = take(1).readUInt8();
    const fixed = VALUE_BYTES[type];
    if (fixed === undefined) throw broken("a header of an unknown type");
    const value = take(fixed < 0 ? take(2).readUInt16BE() : fixed);
    if (type === STRING) headers.set(name, value.toString("utf8"));
  }
  return headers;
}

function broken(what: string): UpstreamFailure {
  return new UpstreamFailure("protocol", `a message of the event stream has ${what}`);
}
