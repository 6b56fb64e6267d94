import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { SseEvent } from "./protocol.ts";
import { SseReader } from "./sse-reader.ts";

const SEED = { seed: 20_261_115 };
const BYTES_MAX = 1_000_000;

function read(pieces: readonly (string | Uint8Array)[]): SseEvent[] {
  const reader = new SseReader(BYTES_MAX);
  const events = pieces.flatMap(piece => reader.feed(typeof piece === "string" ? Buffer.from(piece) : piece));
  return [...events, ...reader.rest()];
}

const data = (...texts: string[]): SseEvent[] => texts.map(text => ({ event: null, data: text }));

const STREAMS: Record<string, { text: string; events: SseEvent[] }> = {
  "with LF": { text: "data: a\n\ndata: b\n\n", events: data("a", "b") },
  "with CRLF": { text: "data: a\r\n\r\ndata: b\r\n\r\n", events: data("a", "b") },
  "with lone CR": { text: "data: a\r\rdata: b\r\r", events: data("a", "b") },
  "with all three by turns": {
    text: "data: a\n\r\ndata: b\r\rdata: c\r\n\ndata: d\r\n\r",
    events: data("a", "b", "c", "d"),
  },
  "without the space": { text: "data:a\n\ndata:  b\n\n", events: data("a", " b") },
  "of several data lines": { text: "data: {\ndata:\ndata: }\n\n", events: data("{\n\n}") },
  "with a field that has no colon": { text: "data\n\ndata\ndata\n\n", events: data("", "\n") },
  "with comments": { text: ": keep-alive\n\n:\n\n: a\ndata: b\n: c\n\n", events: data("b") },
  "with event names": {
    text: "event: one\ndata: a\n\nevent:two\r\ndata: b\r\n\r\ndata: c\n\nevent: none\n\ndata: d\n\n",
    events: [{ event: "one", data: "a" }, { event: "two", data: "b" }, ...data("c", "d")],
  },
  "with fields that are none of ours": {
    text: "id: 7\nretry: 5\ndatax: no\nevents: no\n data: no\ndata: yes\n\n",
    events: data("yes"),
  },
  "that begins with a byte order mark": {
    text: "\ufeffdata: a\n\n\ufeffdata: no\n\ndata: b\n\n",
    events: data("a", "b"),
  },
  "with a byte order mark inside": {
    text: "data: \ufeff\n\ndata: a\ufeff\n\n",
    events: data("\ufeff", "a\ufeff"),
  },
  "with line breaks that are none": {
    text: "data: a\u2028b\u2029c\u0085d\u000be\u000cf\n\n",
    events: data("a\u2028b\u2029c\u0085d\u000be\u000cf"),
  },
  "of letters of all widths": {
    text: "data: aé漢😀👩‍👧\n\ndata: 日本\n\n",
    events: data("aé漢😀👩‍👧", "日本"),
  },
  "without a blank line at the end": {
    text: "data: a\n\nevent: x\ndata: b",
    events: [...data("a"), { event: "x", data: "b" }],
  },
  "that stops inside a field": { text: "data: a\n\ndat", events: data("a") },
  "of nothing": { text: "", events: [] },
  "of blank lines": { text: "\n\n\r\n\r\r\n", events: [] },
};

describe("[P44] however its bytes are cut, a stream", () => {
  for (const [name, { text, events }] of Object.entries(STREAMS)) {
    test(`${name} gives the same events`, () => {
      const bytes = Buffer.from(text);
      expect(read([bytes])).toEqual(events);
      expect(read([...bytes].map(byte => Uint8Array.of(byte)))).toEqual(events);
      for (let cut = 0; cut <= bytes.length; cut++)
        expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(events);
    });
  }

  test("of many events gives them all", () => {
    const lines = fc.constantFrom("data: x", "data:", "event: e", ": c", "id: 1", "", "", "data: é漢😀");
    const ends = fc.constantFrom("\n", "\r\n", "\r");
    const streams = fc.array(fc.tuple(lines, ends)).map(pairs => pairs.flat().join(""));
    const cuts = fc.array(fc.nat(200), { maxLength: 8 });
    fc.assert(
      fc.property(streams, cuts, (text, places) => {
        const bytes = Buffer.from(text);
        const bounds = [0, ...places.map(at => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const pieces = bounds.slice(1).map((end, at) => bytes.subarray(bounds[at], end));
        expect(read(pieces)).toEqual(read([bytes]));
      }),
      SEED,
    );
  });
});

test("[P44] a letter that is cut off at the end of all is marked as such, and nothing before it is lost", () => {
  const [event] = read([Buffer.from("data: a漢").subarray(0, -1)]);
  expect(event?.data).toBe("a\ufffd");
});

test("[P45] an event of many megabytes in small pieces costs no more than its bytes", () => {
  const reader = new SseReader(64_000_000);
  const piece = Buffer.from("x".repeat(16_384));
  const pieces = 2_000;
  reader.feed(Buffer.from("data: "));
  const begun = performance.now();
  for (let at = 0; at < pieces; at++) expect(reader.feed(piece)).toEqual([]);
  const [event] = reader.feed(Buffer.from("\n\n"));
  expect(event?.data.length).toBe(pieces * piece.length);
  // Searched anew with each piece it would be 32 GB.
  expect(performance.now() - begun).toBeLessThan(5_000);
});

describe("[P45] the limit of an event", () => {
  test("counts the bytes of what is unfinished, over all its lines", () => {
    const reader = new SseReader(20);
    reader.feed(Buffer.from("data: 漢字\n"));
    expect(reader.isOverlong).toBe(false);
    reader.feed(Buffer.from("data: 漢字"));
    expect(reader.isOverlong).toBe(true);
    expect(reader.feed(Buffer.from("\n\n"))).toHaveLength(1);
    expect(reader.isOverlong).toBe(false);
  });

  test("does not count what is finished", () => {
    const reader = new SseReader(20);
    reader.feed(Buffer.from("data: a\n\n".repeat(100)));
    reader.feed(Buffer.from(": a comment that stands alone\n".repeat(100)));
    reader.feed(Buffer.from("data: a\n\ndata: b"));
    expect(reader.isOverlong).toBe(false);
  });
});
