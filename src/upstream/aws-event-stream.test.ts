import { describe, expect, test } from "bun:test";
import { UpstreamFailure } from "./answer.ts";
import { AwsEventStream } from "./aws-event-stream.ts";

function crc(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(Bun.hash.crc32(bytes));
  return sum;
}

function message(head: Buffer, payload: string): Buffer {
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + payload.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const body = Buffer.concat([prelude, crc(prelude), head, Buffer.from(payload)]);
  return Buffer.concat([body, crc(body)]);
}

const text = (name: string, value: string) =>
  Buffer.concat([
    Buffer.of(name.length),
    Buffer.from(name),
    Buffer.of(7, 0, value.length),
    Buffer.from(value),
  ]);

const HEAD = Buffer.concat([
  text(":event-type", "chunk"),
  // A flag, a byte, a number and a time, which say nothing here.
  Buffer.concat([Buffer.of(1), Buffer.from("a"), Buffer.of(0)]),
  Buffer.concat([Buffer.of(1), Buffer.from("b"), Buffer.of(2, 9)]),
  Buffer.concat([Buffer.of(1), Buffer.from("c"), Buffer.of(4, 0, 0, 0, 1)]),
  Buffer.concat([Buffer.of(1), Buffer.from("d"), Buffer.of(8), Buffer.alloc(8)]),
  text(":message-type", "event"),
]);
const WHOLE = message(HEAD, "payload");

function readAll(bytes: Buffer, step: number): string[] {
  const stream = new AwsEventStream();
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    for (const { headers, payload } of stream.feed(bytes.subarray(at, at + step))) {
      found.push(`${headers.get(":message-type")} ${headers.get(":event-type")} ${payload}`);
    }
  }
  expect(stream.isBetween).toBe(true);
  return found;
}

describe("messages in the framing of AWS", () => {
  test("are the same however their bytes arrive", () => {
    const bytes = Buffer.concat([WHOLE, message(HEAD, ""), WHOLE]);
    const expected = ["event chunk payload", "event chunk ", "event chunk payload"];
    for (let step = 1; step <= bytes.length; step += 1) expect(readAll(bytes, step)).toEqual(expected);
  });

  test("that a byte of was changed are a failure, never another message", () => {
    for (let at = 0; at < WHOLE.length; at += 1) {
      const changed = Buffer.from(WHOLE);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => new AwsEventStream().feed(changed)).toThrow(UpstreamFailure);
    }
  });

  test("that promise more than is allowed are refused before they are collected", () => {
    const prelude = Buffer.from("7fffffff00000000", "hex");
    expect(() => new AwsEventStream().feed(Buffer.concat([prelude, crc(prelude)]))).toThrow(
      "impossible length",
    );
    const small = Buffer.from("0000000c00000000", "hex");
    expect(() => new AwsEventStream().feed(Buffer.concat([small, crc(small)]))).toThrow("impossible length");
  });

  test("with headers that are no headers are refused", () => {
    expect(() => new AwsEventStream().feed(message(Buffer.of(9, 1), ""))).toThrow("not whole");
    expect(() => new AwsEventStream().feed(message(Buffer.of(1, 97, 77), ""))).toThrow("unknown type");
  });

  test("that are not whole wait", () => {
    const stream = new AwsEventStream();
    expect(stream.feed(WHOLE.subarray(0, -1))).toEqual([]);
    expect(stream.isBetween).toBe(false);
  });
});
