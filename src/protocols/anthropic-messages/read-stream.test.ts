import { describe, expect, test } from "bun:test";
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import fc from "fast-check";
import type { Reply } from "../../domain/chat.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import { foldReply } from "../fold.ts";
import type { Json } from "../protocol.ts";
import { SseReader } from "../sse-reader.ts";
import { NO_RECORDINGS, recordedStream, recordings } from "../tap.case.ts";
import { readEvents, text } from "./codec.case.ts";
import { readMessagesReply } from "./read-reply.ts";
import { messagesStreamReader } from "./read-stream.ts";

const START = {
  type: "message_start",
  message: { id: "msg_1", model: "claude", usage: { input_tokens: 12, output_tokens: 1 } },
};
const END = {
  type: "message_delta",
  delta: { stop_reason: "end_turn", stop_sequence: null },
  usage: { output_tokens: 30 },
};
const STOP = { type: "message_stop" };
const opens = (index: unknown, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const says = (index: unknown, delta: object) => ({ type: "content_block_delta", index, delta });
const closes = (index: unknown) => ({ type: "content_block_stop", index });
const block = (index: unknown, content_block: object, ...deltas: object[]) => [
  opens(index, content_block),
  ...deltas.map(delta => says(index, delta)),
  closes(index),
];
const TEXT = { type: "text", text: "" };
const saying = (said: string) => ({ type: "text_delta", text: said });
const CALL = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });

function folded(...events: Json[]): Reply {
  const reply = foldReply(readEvents([START, ...events, END, STOP]));
  if (reply === null) throw new Error("it is no answer");
  return reply;
}

/** The input of a tool is text in a stream and an object in a whole answer: only what it says can be compared. */
function withParsedInputs(reply: Reply | null) {
  return reply?.parts.map(part =>
    part.kind === "tool-call" ? { ...part, input: JSON.parse(part.input) as unknown } : part,
  );
}

describe("recorded streams", () => {
  const streams = recordings("messages", ".chunks.txt");
  if (streams.length === 0) test.skip(NO_RECORDINGS, () => {});

  const read = (stream: string) => {
    const sse = new SseReader(1_000_000);
    const reader = messagesStreamReader();
    const events = [...sse.feed(Buffer.from(stream)), ...sse.rest()].flatMap(event => reader.read(event));
    return [...events, ...reader.finish()];
  };

  test.each(streams.map(({ name, text: lines }) => [name, lines]))(
    "[P31] %s folds to what its whole answer is read as",
    async (_, lines) => {
      const bytes = new Response(lines).body;
      if (bytes === null) throw new Error("there is no stream");
      const whole = await MessageStream.fromReadableStream(bytes).finalMessage();
      const fromWhole = readMessagesReply(JSON.parse(JSON.stringify(whole)) as Json);
      const fromStream = foldReply(read(recordedStream("messages", lines)));
      expect(fromStream).not.toBeNull();
      expect(withParsedInputs(fromStream)).toEqual(withParsedInputs(fromWhole));
      expect(fromStream?.stop).toEqual(fromWhole?.stop);
      expect(fromStream?.usage).toEqual(fromWhole?.usage);
      expect(fromStream?.id).toBe(fromWhole?.id);
    },
  );

  test.each(streams.map(({ name, text: lines }) => [name, lines]))(
    "[P41] %s, cut before its end, is a failure and no answer",
    (_, lines) => {
      const cut = lines.split("\n").filter(line => !/message_(delta|stop)/.test(line));
      const events = read(recordedStream("messages", cut.join("\n")));
      expect(events.at(-1)?.kind).toBe("failure");
      expect(events.filter(({ kind }) => kind === "end")).toEqual([]);
    },
  );

  const found = (name: string) => streams.find(stream => stream.name.includes(name))?.text ?? "";
  test.skipIf(streams.length === 0)("have thoughts with their seals", () => {
    const reply = foldReply(read(recordedStream("messages", found("clear-thinking"))));
    const [thought, said] = reply?.parts ?? [];
    expect(thought).toMatchObject({
      kind: "reasoning",
      seal: { origin: "messages", kind: "signature", id: null },
    });
    expect(thought?.kind === "reasoning" && thought.text).toStartWith("The previous result was 925.");
    expect(said).toEqual(text("925 ÷ 5 = 185"));
  });

  test.skipIf(streams.length === 0)("[P60] have citations, and searches that only their maker knows", () => {
    const reply = foldReply(read(recordedStream("messages", found("web-search"))));
    const kinds = reply?.parts.map(part => (part.kind === "foreign" ? part.type : part.kind)) ?? [];
    expect(kinds.slice(0, 3)).toEqual(["server_tool_use", "web_search_tool_result", "text"]);
    const cited = reply?.parts.flatMap(part => (part.kind === "text" ? part.citations : [])) ?? [];
    expect(cited.length).toBeGreaterThan(5);
    for (const { url } of cited) expect(url).toStartWith("https://");
    expect(reply?.stop.reason).toBe("end");
  });

  test.skipIf(streams.length === 0)("[P31] count their input by the last word, not by the sum", () => {
    const reply = foldReply(read(recordedStream("messages", found("delta-input-tokens"))));
    expect(reply?.usage).toEqual({ ...NO_USAGE, input: 61, output: 2 });
  });

  test.skipIf(streams.length === 0)("[P61] have the reason of a refusal", () => {
    const reply = foldReply(read(recordedStream("messages", found("refusal"))));
    expect(reply?.stop.reason).toBe("refusal");
    expect(reply?.parts).toMatchObject([{ kind: "refusal", text: expect.stringContaining("Usage Policy") }]);
  });
});

describe("blocks", () => {
  test("are parts, in their order", () => {
    const reply = folded(
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "Hm." },
      ),
      ...block(1, TEXT, saying("a"), saying(""), saying("b")),
      { type: "ping" },
      ...block(2, CALL, json(""), json('{"a"'), json(":1}")),
    );
    expect(reply).toMatchObject({
      id: "msg_1",
      model: "claude",
      parts: [
        { kind: "reasoning", text: "Hm.", seal: null },
        text("ab"),
        { kind: "tool-call", id: "toolu_1", name: "look", input: '{"a":1}', tool: "function" },
      ],
    });
  });

  test("[P7] a tool without arguments has an empty object", () => {
    const reply = folded(...block(0, CALL), ...block(1, { ...CALL, id: "toolu_2" }, json("")));
    expect(reply.parts).toMatchObject([{ input: "{}" }, { input: "{}" }]);
  });

  test("[P6] arguments that came with the beginning count where none follow", () => {
    const whole = { ...CALL, input: { a: 1 } };
    expect(folded(...block(0, whole)).parts).toMatchObject([{ input: '{"a":1}' }]);
    expect(folded(...block(0, whole, json('{"b":2}'))).parts).toMatchObject([{ input: '{"b":2}' }]);
  });

  test("[P19] a thought may be nothing but its seal", () => {
    const signed = { type: "signature_delta", signature: "SIG" };
    const reply = folded(
      ...block(0, { type: "thinking", thinking: "", signature: "" }, signed),
      ...block(1, { type: "redacted_thinking", data: "RED" }),
    );
    expect(reply.parts).toEqual([
      {
        kind: "reasoning",
        text: "",
        seal: { origin: "messages", kind: "signature", value: "SIG", id: null },
      },
      {
        kind: "reasoning",
        text: "",
        seal: { origin: "messages", kind: "ciphertext", value: "RED", id: null },
      },
    ]);
  });

  test("[P18] the seal comes before the end of its part", () => {
    const signed = { type: "signature_delta", signature: "SIG" };
    const events = readEvents(
      [
        START,
        ...block(0, { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: "a" }, signed),
      ],
      { closes: false },
    );
    expect(events.map(({ kind }) => kind)).toEqual([
      "start",
      "part-start",
      "part-delta",
      "part-seal",
      "part-end",
    ]);
  });

  test.each(["compaction", "mcp_tool_use", "never_heard_of"])("[P60] of the type %s are foreign", type => {
    const reply = folded(
      ...block(0, { type }, { type: "compaction_delta", content: "x" }, saying("x"), json("x")),
      ...block(1, TEXT, saying("a")),
    );
    expect(reply.parts).toEqual([{ kind: "foreign", type }, text("a")]);
  });

  test("may have said something when they open, and are all closed at the end", () => {
    const events = readEvents([START, opens(0, { type: "text", text: "a" }), opens(1, CALL), END, STOP]);
    expect(foldReply(events)?.parts).toMatchObject([text("a"), { input: "{}" }]);
    expect(events.filter(({ kind }) => kind === "part-end")).toHaveLength(2);
  });
});

describe("the end", () => {
  test("[P13] is a stop for tools where one was called", () => {
    expect(folded(...block(0, CALL)).stop).toEqual({ reason: "tool-calls", raw: "end_turn", sequence: null });
  });

  test("[P15] names the sequence that was met", () => {
    const met = { ...END, delta: { stop_reason: "stop_sequence", stop_sequence: "END" } };
    expect(readEvents([START, met, STOP]).at(-1)).toMatchObject({
      stop: { reason: "stop-sequence", sequence: "END" },
    });
  });

  test("[P31] has the usage of the beginning where the end does not say otherwise", () => {
    const usage = {
      input_tokens: 12,
      cache_read_input_tokens: 5,
      cache_creation: { ephemeral_1h_input_tokens: 3 },
      output_tokens: 1,
    };
    const start = { ...START, message: { usage } };
    const last = { ...END, usage: { input_tokens: null, cache_read_input_tokens: 6, output_tokens: 30 } };
    expect(readEvents([start, last, STOP]).at(-1)).toMatchObject({
      usage: { input: 12, cacheRead: 6, cacheWrite1h: 3, output: 30 },
    });
  });

  test.each([undefined, null, { output_tokens: -1 }, { output_tokens: "30" }])(
    "[P32] has no usage where it reports %p",
    usage => {
      expect(readEvents([START, { ...END, usage }, STOP]).at(-1)).toMatchObject({ kind: "end", usage: null });
    },
  );

  test("[P43] is the last word, and all that follows is not heard", () => {
    const more = [...block(1, TEXT, saying("x")), STOP, { type: "error", error: { message: "x" } }];
    const events = readEvents([START, END, STOP, ...more]);
    expect(events.map(({ kind }) => kind)).toEqual(["start", "end"]);
  });

  test("[P43] may lack its last event, but not its reason", () => {
    expect(readEvents([START, ...block(0, TEXT, saying("a")), END]).at(-1)?.kind).toBe("end");
    expect(readEvents([START, ...block(0, TEXT, saying("a"))]).at(-1)?.kind).toBe("failure");
    expect(readEvents([]).at(-1)?.kind).toBe("failure");
  });

  test("[P41] [P48] is a failure where the upstream says so, with its words for the log", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const events = readEvents([START, opens(0, TEXT), error, ...block(1, TEXT, saying("a")), END, STOP]);
    expect(events.at(-1)).toEqual({ kind: "failure", message: "overloaded_error: Overloaded" });
    expect(events.filter(({ kind }) => kind === "end" || kind === "failure")).toHaveLength(1);
    expect(readEvents([{ error: { message: "No." } }]).at(-1)).toEqual({ kind: "failure", message: "No." });
  });
});

test("no events make it throw, and what starts also ends", () => {
  const index = fc.constantFrom<unknown>(0, 1, "0", null, -1, {});
  const blocks = fc.record({
    type: fc.constantFrom<unknown>("text", "thinking", "tool_use", "redacted_thinking", "x", 7, null),
    text: fc.jsonValue(),
    id: fc.jsonValue(),
    input: fc.jsonValue(),
    citations: fc.jsonValue(),
  });
  const deltas = fc.record({
    type: fc.constantFrom(
      "text_delta",
      "thinking_delta",
      "input_json_delta",
      "signature_delta",
      "citations_delta",
    ),
    text: fc.jsonValue(),
    partial_json: fc.jsonValue(),
    signature: fc.jsonValue(),
    citation: fc.jsonValue(),
  });
  const events = fc.oneof<fc.Arbitrary<Json>[]>(
    fc.record({ type: fc.constant("message_start"), message: fc.jsonValue() }),
    fc.record({
      type: fc.constant("content_block_start"),
      index,
      content_block: fc.oneof(blocks, fc.jsonValue()),
    }),
    fc.record({ type: fc.constant("content_block_delta"), index, delta: fc.oneof(deltas, fc.jsonValue()) }),
    fc.record({ type: fc.constant("content_block_stop"), index }),
    fc.record({ type: fc.constant("message_delta"), delta: fc.jsonValue(), usage: fc.jsonValue() }),
    fc.record({ type: fc.constant("message_stop") }),
  );
  fc.assert(
    fc.property(fc.array(events, { maxLength: 20 }), given => {
      const read = readEvents(given);
      const last = read.at(-1)?.kind;
      expect(last === "end" || last === "failure").toBe(true);
      const starts = read.filter(({ kind }) => kind === "part-start").length;
      if (last === "end") expect(read.filter(({ kind }) => kind === "part-end")).toHaveLength(starts);
      expect(read.filter(({ kind }) => kind === "start").length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 300 },
  );
});

test("data that is no JSON is skipped", () => {
  const reader = messagesStreamReader();
  for (const data of ["", "[DONE]", "{", "[1]", "null", '"x"'])
    expect(reader.read({ event: "content_block_delta", data })).toEqual([]);
  expect(reader.read({ event: "error", data: "bad gateway" })).toEqual([
    { kind: "failure", message: "bad gateway" },
  ]);
});
