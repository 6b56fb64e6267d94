import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Prompt, Reply, ReplyEvent } from "../domain/chat.ts";
import { sampleText } from "./content-meter.ts";
import { fakeProtocol } from "./fake-protocol.case.ts";
import { foldReply } from "./fold.ts";
import { HEAD, PROMPT } from "./prompt.case.ts";
import type { Protocol, Tap } from "./protocol.ts";
import { replies } from "./reply.case.ts";
import { SseReader } from "./sse-reader.ts";
import { noToolBook, toolBook } from "./tool-book.ts";
import { translatePrompt } from "./translate-prompt.ts";
import { translatingTap } from "./translate-stream.ts";
import { translateWhole, unfoldedStream } from "./translate-whole.ts";
import { unfoldReply } from "./unfold.ts";

const SEED = { seed: 20_261_115 };
const THROUGH = { from: fakeProtocol, to: fakeProtocol, head: HEAD, book: noToolBook };
const USAGE = { input: 8, cacheRead: 4, cacheWrite5m: 0, cacheWrite1h: 0, output: 7, reasoning: 0 };
const REPLY: Reply = {
  id: "up",
  model: "up-model",
  createdSeconds: null,
  parts: [
    { kind: "reasoning", text: "Hm.\n", seal: null },
    { kind: "text", text: "“Hello” \\ 😀", citations: [], cache: null },
    {
      kind: "tool-call",
      id: "c1",
      name: "f",
      input: '{"a":1}',
      tool: "function",
      namespace: null,
      cache: null,
    },
  ],
  stop: { reason: "tool-calls", raw: "tool_calls", sequence: null },
  usage: USAGE,
};
const SAID = 'Hm.\n“Hello” \\ 😀{"a":1}';
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const streamOf = (events: readonly unknown[]) =>
  Buffer.from(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(""));
const escapedBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;

function eventsIn(bytes: Uint8Array | null): ReplyEvent[] {
  return new SseReader(1_000_000).feed(bytes ?? Buffer.alloc(0)).map(({ data }) => JSON.parse(data));
}
const tapWith = (changed: Partial<Protocol> = {}, to: Partial<Protocol> = {}): Tap =>
  translatingTap({
    ...THROUGH,
    from: { ...fakeProtocol, ...changed },
    to: { ...fakeProtocol, ...to },
    eventBytesMax: 1_000,
  });

describe("a prompt", () => {
  const target = { model: "up-model", kind: "openai-compatible", outputTokensMax: null } as const;

  test("is written for the upstream, with a book to read its answer by", () => {
    const tools: Prompt["tools"] = [
      { kind: "custom", name: "patch", description: null, format: null, cache: null },
    ];
    const written = translatePrompt({ prompt: { ...PROMPT, tools }, to: fakeProtocol, target });
    if ("problem" in written) throw new Error(written.problem.problem);
    const body = JSON.parse(Buffer.from(written.bytes).toString());
    expect(body.model).toBe("up-model");
    expect(body.tools[0].kind).toBe("function");
    expect(written.book.isBlank).toBe(false);
  });

  test("that cannot be said in the upstream's dialect is a problem", () => {
    const written = translatePrompt({ prompt: { ...PROMPT, turns: [] }, to: fakeProtocol, target });
    expect(written).toEqual({ problem: { param: "turns", problem: "“turns” must not be empty" } });
  });
});

describe("a whole answer", () => {
  test("is written for the client, with its usage and what was said in it", () => {
    const whole = translateWhole(bytesOf(REPLY), THROUGH);
    expect(JSON.parse(Buffer.from(whole?.bytes ?? []).toString())).toEqual({
      ...REPLY,
      model: "asked-model",
    });
    expect(whole).toMatchObject({ usage: USAGE, bad: false });
    const said = whole?.said();
    expect(said?.bytes).toBe(escapedBytes(SAID));
    expect(sampleText(said?.sample ?? new Uint8Array())).toBe(SAID);
  });

  test("gets its tools' names back", () => {
    const tools: Prompt["tools"] = [
      { kind: "custom", name: "f", description: null, format: null, cache: null },
    ];
    const { book } = toolBook(
      { ...PROMPT, tools },
      { custom: false, namespaces: false, nameCharactersMax: 64 },
    );
    const whole = translateWhole(bytesOf(REPLY), { ...THROUGH, book });
    expect(Buffer.from(whole?.bytes ?? []).toString()).toContain('"tool":"custom"');
  });

  test("[P48] that is none is not an answer, and nothing of it is counted", () => {
    for (const text of ["", "<html>", "null", "7", "[]", "{}", '{"error":{"message":"no"}}', '{"parts":'])
      expect(translateWhole(Buffer.from(text), THROUGH)).toBeNull();
    const broken = () => {
      throw new Error("deep");
    };
    const from = { ...fakeProtocol, readReply: broken };
    expect(translateWhole(bytesOf(REPLY), { ...THROUGH, from })).toBeNull();
    const to = { ...fakeProtocol, streamWriter: broken };
    expect(unfoldedStream(bytesOf(REPLY), { ...THROUGH, to })).toBeNull();
  });

  test("tells a report that cannot be believed from none", () => {
    const from = { ...fakeProtocol, readReply: () => ({ ...REPLY, usage: null }) };
    expect(translateWhole(bytesOf({ usage: { input: -1 } }), { ...THROUGH, from })?.bad).toBe(true);
    expect(translateWhole(bytesOf({ usage: null }), { ...THROUGH, from })?.bad).toBe(false);
    expect(translateWhole(bytesOf({}), { ...THROUGH, from })?.bad).toBe(false);
  });

  test("is a stream for a client that asked for one", () => {
    const whole = unfoldedStream(bytesOf(REPLY), THROUGH);
    expect(foldReply(eventsIn(whole?.bytes ?? null))).toEqual(REPLY);
    expect(whole).toMatchObject({ usage: USAGE, bad: false });
  });
});

describe("a stream", () => {
  test("is the same answer, however its bytes are cut", () => {
    fc.assert(
      fc.property(replies, fc.array(fc.nat(4_000), { maxLength: 6 }), (reply, cuts) => {
        const bytes = streamOf(unfoldReply(reply));
        const bounds = [0, ...cuts.map(cut => cut % bytes.length).sort((a, b) => a - b), bytes.length];
        const tap = translatingTap({ ...THROUGH, eventBytesMax: 100_000 });
        const out = bounds.slice(1).map((end, at) => tap.feed(bytes.subarray(bounds[at], end)));
        expect(foldReply(out.flatMap(eventsIn))).toEqual(reply);
        expect(tap).toMatchObject({ ended: true, failed: false, isOverlong: false });
        expect(tap.reported()).toEqual({ usage: reply.usage, isFinal: reply.usage !== null, bad: false });
        expect(tap.rest()).toBeNull();
      }),
      SEED,
    );
  });

  test("is one piece of bytes for each piece that came", () => {
    const tap = tapWith();
    const out = tap.feed(streamOf(unfoldReply(REPLY)));
    expect(eventsIn(out)).toEqual(unfoldReply(REPLY));
    expect(tap.content.bytes).toBe(escapedBytes(SAID));
    expect(sampleText(tap.content.sample)).toBe(SAID);
  });

  test("gives nothing where nothing is finished", () => {
    const tap = tapWith();
    expect(tap.feed(Buffer.from('data: {"kind":"mute"}\n\n: comment\n\ndata: {'))).toBeNull();
    expect(tap.feed(Buffer.alloc(0))).toBeNull();
  });

  test("keeps the first of what was said, and counts it all", () => {
    const tap = tapWith();
    const events = unfoldReply({
      ...REPLY,
      parts: [{ kind: "text", text: "né\n".repeat(5_000), citations: [], cache: null }],
    });
    tap.feed(streamOf(events));
    expect(tap.content.bytes).toBe(25_000);
    expect(tap.content.sample.length).toBe(8_192);
    expect(sampleText(tap.content.sample)).toStartWith("né\nné\n");
  });

  test("[P43] is over at its end, whatever still follows", () => {
    const tap = tapWith();
    const [start] = unfoldReply(REPLY);
    const out = tap.feed(streamOf([...unfoldReply(REPLY), start, { kind: "failure", message: "late" }]));
    expect(eventsIn(out).at(-1)?.kind).toBe("end");
    expect(tap).toMatchObject({ ended: true, failed: false });
    expect(tap.feed(streamOf([start]))).toBeNull();
  });

  test("[P43] may lack its last blank line", () => {
    const tap = tapWith();
    const bytes = streamOf(unfoldReply(REPLY));
    tap.feed(bytes.subarray(0, -2));
    expect(tap.ended).toBe(false);
    expect(eventsIn(tap.rest()).at(-1)?.kind).toBe("end");
    expect(tap).toMatchObject({ ended: true, failed: false });
  });

  test("[P41] that stops before its end has failed, and no end is made up", () => {
    const tap = tapWith();
    tap.feed(streamOf(unfoldReply(REPLY).slice(0, 3)));
    expect(tap.rest()).toBeNull();
    expect(tap).toMatchObject({ ended: false, failed: true });
    const mute = tapWith({ streamReader: () => ({ read: () => [], finish: () => [] }) });
    expect(mute.rest()).toBeNull();
    expect(mute.failed).toBe(true);
  });

  test("[P41] that reports an error has failed: what came before it passes, the error does not", () => {
    const tap = tapWith();
    const [start] = unfoldReply(REPLY);
    const failure = { kind: "failure", message: "secret of the upstream" };
    const out = tap.feed(streamOf([start, failure, start]));
    expect(eventsIn(out)).toEqual(start === undefined ? [] : [start]);
    expect(tap).toMatchObject({ ended: false, failed: true });
    expect(tap.feed(streamOf([start]))).toBeNull();
    expect(tap.rest()).toBeNull();
    expect(Buffer.from(tap.failureEnd({ error: { message: "ours" } })).toString()).toBe(
      'data: {"error":{"message":"ours"}}\n\n',
    );
  });

  test("that a codec cannot bear has failed, and nothing is thrown", () => {
    const broken = () => {
      throw new Error("broken");
    };
    const bytes = streamOf(unfoldReply(REPLY));
    const reading = tapWith({ streamReader: () => ({ read: broken, finish: broken }) });
    expect(reading.feed(bytes)).toBeNull();
    expect(reading.failed).toBe(true);
    const finishing = tapWith({ streamReader: () => ({ read: () => [], finish: broken }) });
    expect(finishing.rest()).toBeNull();
    expect(finishing.failed).toBe(true);
    const writing = tapWith({}, { streamWriter: () => ({ write: broken, failure: broken }) });
    expect(writing.feed(bytes)).toBeNull();
    expect(writing.failed).toBe(true);
    expect(writing.failureEnd({}).length).toBe(0);
    expect(writing.lengthEnd({ input: 1, output: 1 }).length).toBe(0);
  });

  test("[P45] with an event that never ends is overlong", () => {
    const tap = tapWith();
    tap.feed(Buffer.from(`data: ${"x".repeat(2_000)}`));
    expect(tap.isOverlong).toBe(true);
  });
});

describe("a stream's usage", () => {
  test("is that of the beginning until the end has told it", () => {
    const tap = tapWith();
    tap.feed(streamOf(unfoldReply(REPLY).slice(0, 2)));
    expect(tap.reported()).toEqual({ usage: USAGE, isFinal: false, bad: false });
  });

  test("[P32] is not that of the beginning where the end tells none", () => {
    const tap = tapWith();
    tap.feed(streamOf([...unfoldReply(REPLY).slice(0, -1), { kind: "end", stop: REPLY.stop, usage: null }]));
    expect(tap.reported()).toMatchObject({ usage: null, isFinal: false });
  });

  test("that could not be believed is told from none, and words of the model are no usage", () => {
    const reply = { ...REPLY, usage: null };
    const fooling = { ...reply, parts: [{ kind: "refusal", text: '"usage":{"a":1}' }] } as Reply;
    const none = tapWith();
    none.feed(streamOf(unfoldReply(fooling)));
    expect(none.reported()).toEqual({ usage: null, isFinal: false, bad: false });
    const bad = tapWith();
    bad.feed(Buffer.from('data: {"kind":"mute","usage" : {"a":-1}}\n\n'));
    bad.feed(streamOf(unfoldReply(reply)));
    expect(bad.reported()).toEqual({ usage: null, isFinal: false, bad: true });
  });
});

describe("a stream that has to end at its length", () => {
  test("closes what is open and says so, with our own count", () => {
    const tap = tapWith();
    const begun = eventsIn(tap.feed(streamOf(unfoldReply(REPLY).slice(0, 6))));
    const end = eventsIn(tap.lengthEnd({ input: 5, output: 6 }));
    expect(end).toEqual([
      { kind: "part-end", index: 1 },
      {
        kind: "end",
        stop: { reason: "length", raw: null, sequence: null },
        usage: { ...USAGE, input: 5, output: 6, cacheRead: 0 },
      },
    ]);
    expect(foldReply([...begun, ...end])?.parts).toEqual(REPLY.parts.slice(0, 2));
    expect(tap.reported().isFinal).toBe(false);
    expect(tap.feed(streamOf(unfoldReply(REPLY).slice(6)))).toBeNull();
    expect(tap.lengthEnd({ input: 5, output: 6 }).length).toBe(0);
  });

  test("gives what has come of a custom tool's input", () => {
    const tools: Prompt["tools"] = [
      { kind: "custom", name: "f", description: null, format: null, cache: null },
    ];
    const { book } = toolBook(
      { ...PROMPT, tools },
      { custom: false, namespaces: false, nameCharactersMax: 64 },
    );
    const tap = translatingTap({ ...THROUGH, book, eventBytesMax: 1_000 });
    const begun = eventsIn(tap.feed(streamOf(unfoldReply(REPLY).slice(0, 9))));
    const reply = foldReply([...begun, ...eventsIn(tap.lengthEnd({ input: 1, output: 1 }))]);
    expect(reply?.parts.at(-1)).toMatchObject({ kind: "tool-call", tool: "custom", input: '{"a":1}' });
  });

  test("before anything came begins first", () => {
    const kinds = eventsIn(tapWith().lengthEnd({ input: 1, output: 0 })).map(({ kind }) => kind);
    expect(kinds).toEqual(["start", "end"]);
  });
});
