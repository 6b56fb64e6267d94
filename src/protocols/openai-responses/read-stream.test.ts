import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Reply } from "../../domain/chat.ts";
import { foldReply } from "../fold.ts";
import { NO_RECORDINGS, recordings } from "../tap.case.ts";
import { CREATED, ended, RESPONSE, sseOf, told, type WireEvent } from "./answer.case.ts";
import { readResponsesReply } from "./read-reply.ts";
import { responsesStreamReader } from "./read-stream.ts";

const item = (index: number, extra: Record<string, unknown>): WireEvent[] => [
  { type: "response.output_item.added", output_index: index, item: { ...extra, status: "in_progress" } },
  { type: "response.output_item.done", output_index: index, item: { ...extra, status: "completed" } },
];
const message = (text: string, id = "msg_1") => ({
  id,
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});
const delta = (type: string, text: string, extra: Record<string, unknown> = {}): WireEvent => ({
  type: `response.${type}.delta`,
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  delta: text,
  ...extra,
});
const kinds = (events: readonly WireEvent[]) => told(events).map(event => event.kind);
const folded = (events: readonly WireEvent[]) => foldReply(told(events));

/** One file may hold several streams, one behind the other. */
function recordedStreams(): { name: string; events: WireEvent[] }[] {
  return recordings("responses", ".chunks.txt").flatMap(({ name, text }) => {
    const all: WireEvent[] = text
      .split("\n")
      .filter(line => line !== "")
      .map(line => JSON.parse(line));
    const starts = all.flatMap(({ type }, at) => (type === "response.created" ? [at] : []));
    return starts.map((from, nth) => ({ name: `${name} ${nth}`, events: all.slice(from, starts[nth + 1]) }));
  });
}

/** OpenAI encrypts the same thing anew each time it tells it. */
function opened(reply: Reply | null): unknown {
  return reply?.parts.map(part => {
    if (part.kind !== "reasoning" || part.seal === null) return part;
    expect(part.seal.value).toStartWith("gAAAA");
    return { ...part, seal: { ...part.seal, value: "" } };
  });
}

describe("a recorded stream", () => {
  const streams = recordedStreams();
  if (streams.length === 0) test.skip(NO_RECORDINGS, () => {});

  for (const { name, events } of streams) {
    const last = events.at(-1);
    if (last?.type === "response.failed") {
      test(`[P41] ${name} fails, once, at its error`, () => {
        expect(kinds(events)).toEqual(["start", "failure"]);
      });
      continue;
    }
    test(`[P31] ${name} is the same as the response at its end`, () => {
      const whole = last?.["response"];
      if (typeof whole !== "object" || whole === null) throw new Error("no response at the end");
      const reply = folded(events);
      expect(reply).not.toBeNull();
      expect(opened(reply)).toEqual(opened(readResponsesReply({ ...whole })));
      expect(reply?.usage).not.toBeNull();
      expect({ ...reply, parts: [] }).toEqual({ ...readResponsesReply({ ...whole }), parts: [] });
    });
  }
});

describe("a stream", () => {
  const text = [
    CREATED,
    { type: "response.output_item.added", output_index: 0, item: { ...message(""), content: [] } },
    { type: "response.content_part.added", output_index: 0, content_index: 0, part: { type: "output_text" } },
    delta("output_text", "Hel"),
    delta("output_text", "lo"),
    { type: "response.output_text.done", item_id: "msg_1", output_index: 0, content_index: 0, text: "Hello" },
    { type: "response.output_item.done", output_index: 0, item: message("Hello") },
  ];

  test("is told piece by piece, and nothing twice", () => {
    const end = { kind: "end", stop: { reason: "end", raw: "completed", sequence: null } };
    expect(told([...text, ended([message("Hello")])])).toMatchObject([
      {
        kind: "start",
        id: "resp_upstream",
        model: "gpt-upstream",
        createdSeconds: 1_764_180_467,
        usage: null,
      },
      { kind: "part-start", index: 0, part: { kind: "text" } },
      { kind: "part-delta", index: 0, text: "Hel" },
      { kind: "part-delta", index: 0, text: "lo" },
      { kind: "part-end", index: 0 },
      { ...end, usage: { input: 8, cacheRead: 4, output: 7, reasoning: 2 } },
    ]);
  });

  test("[P43] is over at its last event, whatever follows", () => {
    const reader = responsesStreamReader();
    for (const event of [...text, ended([])]) reader.read(sseOf(event));
    expect(reader.read(sseOf(delta("output_text", "more")))).toEqual([]);
    expect(reader.finish()).toEqual([]);
  });

  test("may begin without saying so, and may name its events above them only", () => {
    const reader = responsesStreamReader();
    const { type, ...rest } = delta("output_text", "Hi");
    const events = reader.read({ event: type, data: JSON.stringify(rest) });
    expect(events.map(event => event.kind)).toEqual(["start", "part-start", "part-delta"]);
  });

  test("skips what is no event of its kind", () => {
    const reader = responsesStreamReader();
    for (const data of [
      "[DONE]",
      "",
      "{",
      "null",
      "[]",
      '{"type":"keepalive"}',
      '{"type":"response.new.kind"}',
    ])
      expect(reader.read({ event: null, data })).toEqual([]);
  });

  test("ends a part that its upstream left open", () => {
    const events = [...text.slice(0, 5), ended([])];
    expect(kinds(events)).toEqual(["start", "part-start", "part-delta", "part-delta", "part-end", "end"]);
  });
});

describe("reasoning", () => {
  const thought = { id: "rs_1", type: "reasoning", summary: [] };
  const summary = (index: number, text: string): WireEvent => ({
    type: "response.reasoning_summary_text.delta",
    item_id: "rs_1",
    output_index: 0,
    summary_index: index,
    delta: text,
  });

  test("[P18] [P22] [P23] is sealed before it ends, and its summaries are paragraphs", () => {
    const whole = {
      ...thought,
      summary: [
        { type: "summary_text", text: "One." },
        { type: "summary_text", text: "Two." },
      ],
      encrypted_content: "gAAA-last",
    };
    const [added] = item(0, { ...thought, encrypted_content: "gAAA-first" });
    const [, done] = item(0, whole);
    if (added === undefined || done === undefined) throw new Error("no item");
    const events = [CREATED, added, summary(0, "One."), summary(1, "Tw"), summary(1, "o."), done];
    const seal = { origin: "responses", kind: "ciphertext", value: "gAAA-last", id: "rs_1" } as const;
    expect(told([...events, ended([whole])]).slice(1, -1)).toEqual([
      { kind: "part-start", index: 0, part: { kind: "reasoning" } },
      { kind: "part-delta", index: 0, text: "One." },
      { kind: "part-delta", index: 0, text: "\n\nTw" },
      { kind: "part-delta", index: 0, text: "o." },
      { kind: "part-seal", index: 0, seal },
      { kind: "part-end", index: 0 },
    ]);
  });

  test("[P23] is told in full where the upstream does so", () => {
    const text = (piece: string): WireEvent => ({
      type: "response.reasoning_text.delta",
      item_id: "rs_1",
      output_index: 0,
      content_index: 0,
      delta: piece,
    });
    const parts = folded([CREATED, text("Think"), text("ing"), ended([])])?.parts;
    expect(parts).toEqual([{ kind: "reasoning", text: "Thinking", seal: null }]);
  });

  test("[P19] of which there is only the ciphertext is kept, and one that is empty is none", () => {
    const sealed = { ...thought, encrypted_content: "gAAA" };
    expect(kinds([CREATED, ...item(0, sealed), ended([sealed])])).toEqual([
      "start",
      "part-start",
      "part-seal",
      "part-end",
      "end",
    ]);
    expect(kinds([CREATED, ...item(0, thought), ended([thought])])).toEqual(["start", "end"]);
  });

  test("that looks like a seal of ours is the upstream's own: it may be a gateway like this one", () => {
    const sealed = { ...thought, encrypted_content: "wgs1.WyJtZXNzYWdlcyIsInNpZ25hdHVyZSIsIngiLG51bGxd" };
    const parts = folded([CREATED, ...item(0, sealed), ended([])])?.parts;
    expect(parts).toMatchObject([{ seal: { origin: "responses", value: sealed.encrypted_content } }]);
  });
});

describe("what was said", () => {
  test("[P60] is cited once, whether on the way or at the end", () => {
    const annotation = { type: "url_citation", url: "https://a.example", title: "A" };
    const whole = {
      ...message("Hi"),
      content: [{ type: "output_text", text: "Hi", annotations: [annotation] }],
    };
    const added = {
      type: "response.output_text.annotation.added",
      item_id: "msg_1",
      output_index: 0,
      annotation,
    };
    for (const events of [
      [CREATED, delta("output_text", "Hi"), { ...added, content_index: 0 }, ended([whole])],
      [CREATED, ...item(0, whole), ended([])],
    ])
      expect(folded(events)?.parts).toEqual([
        {
          kind: "text",
          text: "Hi",
          citations: [{ url: "https://a.example", title: "A", quote: null }],
          cache: null,
        },
      ]);
  });

  test("in several parts of one message is several parts", () => {
    const events = [
      CREATED,
      delta("output_text", "One."),
      delta("refusal", "No.", { content_index: 1 }),
      {
        type: "response.content_part.added",
        item_id: "msg_1",
        output_index: 0,
        content_index: 2,
        part: { type: "output_audio" },
      },
      ended([]),
    ];
    expect(folded(events)?.parts).toEqual([
      { kind: "text", text: "One.", citations: [], cache: null },
      { kind: "refusal", text: "No." },
      { kind: "foreign", type: "output_audio" },
    ]);
  });

  test("[P38] [P61] as a refusal ends with one", () => {
    const reply = folded([CREATED, delta("refusal", "N"), delta("refusal", "o."), ended([])]);
    expect(reply?.parts).toEqual([{ kind: "refusal", text: "No." }]);
    expect(reply?.stop.reason).toBe("refusal");
  });

  test("[P16] and cut off ends at its length", () => {
    const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const reply = folded([CREATED, delta("output_text", "Hi"), ended([message("Hi")], cut)]);
    expect(reply?.stop).toEqual({ reason: "length", raw: "max_output_tokens", sequence: null });
  });
});

describe("a failure", () => {
  const begun = [CREATED, delta("output_text", "Hi")];

  test.each([
    ["an error event", { type: "error", error: { code: "x", message: "broke" } }, "x: broke"],
    ["a flat error event", { type: "error", code: "x", message: "broke" }, "x: broke"],
    [
      "a failed response",
      { type: "response.failed", response: { ...RESPONSE, error: { code: "x", message: "broke" } } },
      "x: broke",
    ],
    ["[P38] a cancelled response", { type: "response.cancelled", response: RESPONSE }, "response.cancelled"],
    ["a completed response that says it failed", ended([], { status: "failed" }), "response.failed"],
  ])("%s ends the stream, and no part is made to look whole", (_name, event, message) => {
    expect(told([...begun, event]).slice(-2)).toEqual([
      { kind: "part-delta", index: 0, text: "Hi" },
      { kind: "failure", message },
    ]);
  });

  test("[P41] is a connection that closes before the end", () => {
    expect(told(begun).at(-1)).toMatchObject({ kind: "failure" });
    expect(told([])).toMatchObject([{ kind: "failure" }]);
  });
});

test("nothing that an upstream may write breaks the reader, and every part that ends has begun", () => {
  const types = fc.constantFrom(
    "response.created",
    "response.output_item.added",
    "response.output_item.done",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.output_text.annotation.added",
    "response.refusal.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.custom_tool_call_input.delta",
    "response.incomplete",
  );
  const itemKinds = fc.constantFrom(
    "message",
    "reasoning",
    "function_call",
    "custom_tool_call",
    "odd",
    7,
    null,
  );
  const place = fc.oneof(fc.nat({ max: 2 }), fc.jsonValue());
  const id = fc.oneof(fc.constantFrom("a", "b"), fc.jsonValue());
  const items = fc.record({
    type: itemKinds,
    id,
    call_id: id,
    name: id,
    content: fc.oneof(fc.array(fc.record({ type: fc.constantFrom("output_text", "refusal"), text: id })), id),
    summary: fc.jsonValue(),
    encrypted_content: id,
  });
  const events = fc.record({
    type: types,
    output_index: place,
    content_index: place,
    summary_index: place,
    item_id: id,
    delta: id,
    text: id,
    item: fc.oneof(items, fc.jsonValue()),
    part: fc.oneof(items, fc.jsonValue()),
    annotation: fc.jsonValue(),
    response: fc.oneof(fc.record({ output: fc.array(fc.oneof(items, fc.jsonValue())) }), fc.jsonValue()),
  });
  fc.assert(
    fc.property(fc.array(events, { maxLength: 30 }), all => {
      const open = new Set<number>();
      const heard = told(all);
      for (const [nth, event] of heard.entries()) {
        if (event.kind === "start") expect(nth).toBe(0);
        if (event.kind === "part-start") open.add(event.index);
        if (event.kind === "part-delta" || event.kind === "part-seal")
          expect(open.has(event.index)).toBe(true);
        if (event.kind === "part-end") expect(open.delete(event.index)).toBe(true);
        if (event.kind === "end") expect(open.size).toBe(0);
      }
      expect(["end", "failure"]).toContain(heard.at(-1)?.kind ?? "");
    }),
    { numRuns: 300 },
  );
});
