import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseHead } from "./http1-head.ts";
import { ResponseParser } from "./http1-parse.ts";

const chunkedResponse =
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nx-a:\t2 \r\n\r\n" +
  "5\r\nhello\r\n1;name=value\r\n \r\n00B ; x\r\nwide\r\nworld\r\n0\r\nx-trailer: t\r\n\r\n";
const lengthResponse = "HTTP/1.1 201 Created\r\ncontent-length: 17\r\n\r\nhello wide\r\nworld";
const body = "hello wide\r\nworld";

function parse(pieces: string[], headerBytesMax = 16_384) {
  const parser = new ResponseParser();
  parser.reset(headerBytesMax);
  let received = "";
  for (const piece of pieces) {
    if (parser.failure === null)
      received += Buffer.from(parser.feed(Buffer.from(piece, "latin1")) ?? []).toString("latin1");
  }
  return { parser, received };
}

function cut(text: string, points: number[]): string[] {
  const sorted = [0, ...points.map(point => point % text.length).sort((a, b) => a - b), text.length];
  return sorted
    .slice(1)
    .map((end, index) => text.slice(sorted[index], end))
    .filter(piece => piece !== "");
}

test("a short body does not keep all that came with it, and a long one is not copied", () => {
  for (const [length, isCopied] of [
    [100, true],
    [100_000, false],
  ] as const) {
    const parser = new ResponseParser();
    parser.reset(16_384);
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;
    const given = Buffer.from(head + "x".repeat(length));
    const read = parser.feed(given);
    expect(read).toHaveLength(length);
    expect(read?.buffer === given.buffer).toBe(!isCopied);
  }
});

describe("a response reads the same", () => {
  for (const [name, text, expected] of [
    ["chunked", chunkedResponse, body],
    ["with a length", lengthResponse, body],
  ] as const) {
    test(`${name}, split at every byte`, () => {
      for (let at = 0; at <= text.length; at += 1) {
        const { parser, received } = parse([text.slice(0, at), text.slice(at)]);
        expect([at, parser.failure, parser.complete, parser.surplus, received]).toEqual([
          at,
          null,
          true,
          false,
          expected,
        ]);
      }
    });

    test(`${name}, byte by byte`, () => {
      const { parser, received } = parse([...text]);
      expect([parser.failure, parser.complete, received]).toEqual([null, true, expected]);
    });

    test(`${name}, in random pieces`, () => {
      fc.assert(
        fc.property(fc.array(fc.nat(10_000), { maxLength: 30 }), points => {
          const { parser, received } = parse(cut(text, points));
          return parser.complete && parser.failure === null && received === expected;
        }),
      );
    });
  }

  test("random bodies in random chunks and random pieces", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 400 }), { maxLength: 20 }),
        fc.array(fc.nat(100_000), { maxLength: 30 }),
        (chunks, points) => {
          const texts = chunks.map(chunk => Buffer.from(chunk).toString("latin1"));
          const framed = texts.map(text => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
          const whole = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${framed}0\r\n\r\n`;
          const { parser, received } = parse(cut(whole, points));
          return parser.complete && parser.failure === null && received === texts.join("");
        },
      ),
    );
  });
});

describe("a head", () => {
  test("has lower-case names, trimmed values and repeated headers joined", () => {
    const { parser } = parse([chunkedResponse]);
    expect(parser.head?.status).toBe(200);
    expect(parser.head?.headers.get("x-a")).toBe("1, 2");
  });

  test("finds a header by its whole name alone, whatever others say", () => {
    const lines = ["X-Content-Type: text/html", "a: content-type: text/css", "CONTENT-TYPE:\t text/plain \t"];
    const text = `HTTP/1.1 200 content-type: x\r\n${lines.join("\r\n")}\r\ncontent-length: 0\r\n\r\n`;
    const { headers } = parse([text]).parser.head ?? {};
    const found = ["content-type", "x-content-type", "a", "type", "text/plain", "b"].map(name =>
      headers?.get(name),
    );
    const whole = ["text/plain", "text/html", "content-type: text/css"];
    expect(found).toEqual([...whole, undefined, undefined, undefined]);
  });

  test("says of random headers what a list of them says", () => {
    const chance = (count: number) => Math.floor(Math.random() * count);
    const pick = <T>(from: readonly T[]) => from[chance(from.length)] as T;
    for (let round = 0; round < 300; round++) {
      const names = ["a", "B", "x-a", "Date", "dAtE", "x_1"];
      const values = ["", "1", " 2 ", "\t3:", "a: b", "\u00a04\u00a0", "\u00c9", "x, y"];
      const given = Array.from({ length: chance(8) }, () => [pick(names), pick(values)] as const);
      const wanted = new Map<string, string>();
      for (const [name, value] of given) {
        const [key, trimmed] = [name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, "")];
        wanted.set(key, wanted.has(key) ? `${wanted.get(key)}, ${trimmed}` : trimmed);
      }
      const lines = given.map(([name, value]) => `${name}:${value}\r\n`).join("");
      const { headers } = parseHead(`HTTP/1.1 200 OK\r\n${lines}content-length: 1\r\n`);
      for (const name of ["a", "b", "x-a", "date", "x_1", "c"])
        expect([lines, name, headers.get(name)]).toEqual([lines, name, wanted.get(name)]);
    }
  });

  test("may have no reason and no headers; the body then lasts until the close", () => {
    const { parser, received } = parse(["HTTP/1.1 200\r\n\r\nabc"]);
    expect([received, parser.complete, parser.head?.keepAlive]).toEqual(["abc", false, false]);
    expect(parser.finish()).toBe(true);
  });

  test("of a status without a body is the whole response", () => {
    for (const status of [204, 304]) {
      const { parser } = parse([`HTTP/1.1 ${status} x\r\ncontent-length: 10\r\n\r\n`]);
      expect([parser.complete, parser.head?.keepAlive]).toEqual([true, true]);
    }
  });

  test("decides about keeping the connection", () => {
    const kept = (text: string) => parse([`${text}content-length: 0\r\n\r\n`]).parser.head?.keepAlive;
    expect(kept("HTTP/1.1 200 OK\r\n")).toBe(true);
    expect(kept("HTTP/1.1 200 OK\r\nConnection: Close\r\n")).toBe(false);
    expect(kept("HTTP/1.0 200 OK\r\n")).toBe(false);
    expect(kept("HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n")).toBe(true);
  });

  test("followed by a cut is not complete", () => {
    const { parser } = parse(["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc"]);
    expect(parser.finish()).toBe(false);
  });

  test("same length repeated is one length", () => {
    expect(
      parse(["HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nab"]).parser.complete,
    ).toBe(true);
  });
});

test("bytes after the end are noticed", () => {
  expect(parse([`${lengthResponse}H`]).parser.surplus).toBe(true);
  expect(parse([`${chunkedResponse}H`]).parser.surplus).toBe(true);
});

test("bytes before a malformed chunk are given", () => {
  const { parser, received } = parse([
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n",
  ]);
  expect([received, parser.failure?.kind]).toEqual(["abc", "protocol"]);
});

const chunkedHead = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

describe("refused as malformed:", () => {
  for (const [name, text] of [
    ["garbage", "SSH-2.0-x\r\n"],
    ["another version", "HTTP/2.0 200 OK\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
    [
      "length and transfer-encoding",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
    ],
    ["lengths that differ", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"],
    ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"],
    ["a length that is no number", "HTTP/1.1 200 OK\r\ncontent-length: 0x1\r\n\r\n"],
    ["an empty length", "HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n"],
    ["a length beyond exact numbers", "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n"],
    ["another transfer-encoding", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n"],
    ["chunks over HTTP/1.0", "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"],
    ["a folded header", "HTTP/1.1 200 OK\r\na: 1\r\n b\r\n\r\n"],
    ["a space before the colon", "HTTP/1.1 200 OK\r\na : 1\r\n\r\n"],
    ["a header without a colon", "HTTP/1.1 200 OK\r\nabc\r\nd: e\r\n\r\n"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: e\r\n\r\n"],
    ["a lone LF in the status line", "HTTP/1.1 200 O\nK\r\na: 1\r\n\r\n"],
    ["a zero byte in the status line", "HTTP/1.1 200 O\0K\r\na: 1\r\n\r\n"],
    ["a lone CR in the status line", "HTTP/1.1 200 O\rK\r\na: 1\r\n\r\n"],
    ["a lone LF", "HTTP/1.1 200 OK\r\na: 1\nb: 2\r\n\r\n"],
    ["a lone CR", "HTTP/1.1 200 OK\r\na: 1\rb: 2\r\n\r\n"],
    ["a zero byte", "HTTP/1.1 200 OK\r\na: \0\r\n\r\n"],
    ["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["a chunk size that is no number", `${chunkedHead}xyz\r\n`],
    ["a negative chunk size", `${chunkedHead}-1\r\n`],
    ["an empty chunk size", `${chunkedHead}\r\n`],
    ["a huge chunk size", `${chunkedHead}fffffffffffff\r\n`],
    ["a chunk size line with a lone LF", `${chunkedHead}1\na\r\n`],
    ["an endless chunk extension", `${chunkedHead}1;${"x".repeat(5000)}`],
    ["a chunk longer than its size", `${chunkedHead}1\r\nab`],
    ["a malformed trailer", `${chunkedHead}0\r\n folded\r\n\r\n`],
  ] as const) {
    test(name, () => {
      const whole = parse([text]).parser;
      const bytewise = parse([...text]).parser;
      expect([whole.failure?.kind, whole.complete]).toEqual(["protocol", false]);
      expect(bytewise.failure?.kind).toBe("protocol");
    });
  }
});

describe("refused as too long:", () => {
  for (const [name, text] of [
    ["a head", `HTTP/1.1 200 OK\r\na: ${"x".repeat(300)}\r\n\r\n`],
    ["a head without an end", `HTTP/1.1 200 OK\r\na: ${"x".repeat(300)}`],
    ["interim heads without an end", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20)],
    ["trailers", `${chunkedHead}0\r\n${`a: ${"x".repeat(90)}\r\n`.repeat(4)}\r\n`],
  ] as const) {
    test(name, () => {
      expect(parse([text], 256).parser.failure?.kind).toBe("limit");
      expect(parse([...text], 256).parser.failure?.kind).toBe("limit");
    });
  }
});
