import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  dataStart,
  endsEvent,
  eventData,
  eventJson,
  eventName,
  firstEventEnd,
  isHalf,
  lastEventEnd,
  seamOf,
} from "./sse.ts";

const ENDS = ["\n", "\r\n", "\r"];
/** Every blank line there is: the end of one line and the end of an empty one. CR and LF would be one line end. */
const BLANKS = ENDS.flatMap(first => ENDS.map(second => first + second)).filter(blank => blank !== "\r\n");
const buffer = (text: string) => Buffer.from(text);

/** The same by the letter of the specification, one character at a time. */
function eventEnds(text: string): number[] {
  const ends: number[] = [];
  let lineStart = 0;
  for (let at = 0; at < text.length; ) {
    const size = text.startsWith("\r\n", at) ? 2 : 1;
    if (!"\r\n".includes(text[at] ?? "")) at += 1;
    else {
      if (at === lineStart && at > 0) ends.push(at + size);
      at += size;
      lineStart = at;
    }
  }
  return ends;
}

describe("[P44] where an event ends", () => {
  test.each(BLANKS)("is behind %j", blank => {
    const data = buffer(`data: a${blank}data: b`);
    const end = "data: a".length + blank.length;
    expect(firstEventEnd(data, 0)).toBe(end);
    expect(lastEventEnd(data)).toBe(end);
    expect(lastEventEnd(buffer(`: x\n\ndata: a${blank}data: b`))).toBe(5 + end);
  });

  test.each([
    "",
    "data: a",
    "data: a\n",
    "data: a\r\n",
    "data: a\r",
    "a\u2028\u2028b",
    "a\u2029\u2029",
    "\n",
  ])("is nowhere in %j", text => {
    expect(lastEventEnd(buffer(text))).toBe(0);
    expect(firstEventEnd(buffer(text), 0)).toBe(buffer(text).length);
  });

  test("is found in any mixture of lines, and never inside one", () => {
    const letters = fc.constantFrom("\n", "\r", "\r\n", "a", "é", "\u2028", ":");
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 12 }), parts => {
        const text = `x${parts.join("")}`;
        const byteEnds = eventEnds(text).map(end => Buffer.byteLength(text.slice(0, end)));
        const last = lastEventEnd(buffer(text));
        expect([0, ...byteEnds]).toContain(last);
        // What could still become a CRLF is waited for, and so is an empty line between events.
        const missed = Buffer.from(text).toString("utf8", last, byteEnds.at(-1) ?? 0);
        if (!/^[\r\n]*$/.test(missed)) expect(text).toMatch(/\n\r$/);
        expect(firstEventEnd(buffer(text), 0)).toBe(byteEnds[0] ?? buffer(text).length);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is found over reads that are cut in the blank line, at each place", () => {
    for (const blank of BLANKS) {
      const whole = buffer(`data: a${blank}data: b`);
      for (let cut = 0; cut <= whole.length; cut++) {
        const [before, fresh] = [whole.subarray(0, cut), whole.subarray(cut)];
        if (lastEventEnd(before) === 0) expect(endsEvent(seamOf(buffer(""), before), fresh)).toBe(true);
      }
      let seam: Buffer = buffer("");
      const found = [...whole].findIndex(byte => {
        const isEnd = endsEvent(seam, Buffer.of(byte));
        seam = seamOf(seam, Buffer.of(byte));
        return isEnd;
      });
      // After LF and CR the next byte tells whether it was a CRLF.
      const late = blank.endsWith("\n\r") || blank === "\r\r\n" ? 1 : 0;
      expect(Math.abs(found - (6 + blank.length))).toBeLessThanOrEqual(late);
    }
  });
});

describe("[P44] what an event says", () => {
  test.each([
    ["data: a\n\n", "a"],
    ["data:a\n\n", "a"],
    ["data:  a\n\n", " a"],
    ["data\n\n", ""],
    ["data: a\r\ndata: b\r\n\r\n", "a\nb"],
    ["data: a\rdata:\rdata: b\r\r", "a\n\nb"],
    [": no\nevent: x\nid: 1\ndata: a\nretry: 5\n\n", "a"],
    ["database: x\ndata: a\n\n", "a"],
    ["\ufeffdata: a\n\n", "a"],
    ["data: a\u2028b\u2029c\n\n", "a\u2028b\u2029c"],
    ["\n\r\ndata: a\n\n", "a"],
    ['{"error":1}', '{"error":1}'],
  ])("%j is %j", (text, data) => expect(eventData(buffer(text))).toBe(data));

  test("is an object, or nothing that is asked for", () => {
    expect(eventJson(buffer('data: {"a":\ndata: 1}\n\n'))).toEqual({ a: 1 });
    for (const text of ["data: [DONE]\n\n", "data: [1]\n\n", "data: null\n\n", ": a\n\n", "data: {\n\n"])
      expect(eventJson(buffer(text))).toBeNull();
  });

  test("has the last name that it was given", () => {
    expect(eventName(buffer("event: error\ndata: {}\n\n"))).toBe("error");
    expect(eventName(buffer("\ufeffevent:a\r\nevent: b\r\n\r\n"))).toBe("b");
    expect(eventName(buffer("data: event: error\n\n"))).toBeNull();
  });

  test("begins at its first data line", () => {
    for (const before of ["", "\ufeff", ": {\n", "event: x\r\n", "id: data:\r", "\ufeff: data:\n"]) {
      const event = buffer(`${before}data: {\ndata: }\n\n`);
      expect(dataStart(event)).toBe(Buffer.byteLength(before));
    }
  });
});

test("an event is half where its data does not parse; [DONE] and blank lines are not", () => {
  for (const whole of ["", "\n", "data: {}", "data: [DONE]", "data:[DONE]\n", ": a\ndata: 5", '{"error":1}'])
    expect(isHalf(buffer(whole))).toBe(false);
  for (const half of [
    'data: {"a',
    "data: [DON",
    "da",
    "data",
    "data:",
    ": a comm",
    "<html>",
    'data: {"a":1}\nda: x\ndata: {',
  ]) {
    expect(isHalf(buffer(half))).toBe(true);
  }
});

test("a million bytes in one line are searched in proportion", () => {
  const startedAtMs = performance.now();
  for (const letter of ["x", "\r", "\r\n", "\n\r"]) {
    const data = buffer(letter.repeat(1_000_000));
    lastEventEnd(data);
    endsEvent(seamOf(data, data), data);
    firstEventEnd(buffer("x".repeat(1_000_000)), 0);
  }
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
});
