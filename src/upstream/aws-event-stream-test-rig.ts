import { crc32 } from "node:zlib";

/** A message in the framing of AWS, as a server would write it. */
export function awsMessage(headers: Record<string, string>, payload: string): Buffer {
  const written = Object.entries(headers).map(([name, value]) => {
    const size = Buffer.alloc(2);
    size.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([
      Buffer.of(Buffer.byteLength(name)),
      Buffer.from(name),
      Buffer.of(7),
      size,
      Buffer.from(value),
    ]);
  });
  const head = Buffer.concat(written);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + Buffer.byteLength(payload), 0);
  prelude.writeUInt32BE(head.length, 4);
  const body = Buffer.concat([prelude, checksum(prelude), head, Buffer.from(payload)]);
  return Buffer.concat([body, checksum(body)]);
}

/** An event of a model inside such a message. */
export function awsChunk(event: Record<string, unknown>): Buffer {
  const bytes = Buffer.from(JSON.stringify(event)).toString("base64");
  const headers = { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" };
  return awsMessage(headers, JSON.stringify({ bytes, p: "abcdefgh" }));
}

export function awsException(kind: string): Buffer {
  const headers = {
    ":exception-type": kind,
    ":content-type": "application/json",
    ":message-type": "exception",
  };
  return awsMessage(headers, JSON.stringify({ message: "an inner word of theirs" }));
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
