import { describe, expect, test } from "bun:test";
import type { ReplyEvent, Seal } from "../../domain/chat.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import { carriedSeal } from "../carry-seal.ts";
import { HEAD } from "../prompt.case.ts";
import { type WrittenEvent, writtenEvents } from "./codec.case.ts";
import { messagesStreamWriter } from "./write-stream.ts";

const START: ReplyEvent = { kind: "start", id: "chatcmpl-1", model: "gpt", createdSeconds: 1, usage: null };
const END: ReplyEvent = {
  kind: "end",
  stop: { reason: "end", raw: "stop", sequence: null },
  usage: { ...NO_USAGE, input: 20, cacheRead: 5, output: 7 },
};
const opens = (index: number, kind: "text" | "reasoning" | "refusal"): ReplyEvent => {
  return { kind: "part-start", index, part: { kind } };
};
const calls = (index: number, id: string): ReplyEvent => {
  const part = { kind: "tool-call", id, name: "look", tool: "function", namespace: null } as const;
  return { kind: "part-start", index, part };
};
const says = (index: number, said: string): ReplyEvent => ({ kind: "part-delta", index, text: said });
const seals = (index: number, seal: Seal): ReplyEvent => ({ kind: "part-seal", index, seal });
const closes = (index: number): ReplyEvent => ({ kind: "part-end", index });
const OWN: Seal = { origin: "messages", kind: "signature", value: "SIG", id: null };
const HIDDEN: Seal = { origin: "messages", kind: "ciphertext", value: "RED", id: null };
const FOREIGN: Seal = { origin: "responses", kind: "ciphertext", value: "gAAA", id: "rs_1" };

function write(...events: ReplyEvent[]): WrittenEvent[] {
  const writer = messagesStreamWriter(HEAD);
  return writtenEvents([START, ...events, END].map(event => writer.write(event)).join(""));
}

/** The events between the first and the last two, in short. */
function blocks(...events: ReplyEvent[]): string[] {
  const written = write(...events);
  expect(written[0]?.event).toBe("message_start");
  expect(written.slice(-2).map(({ event }) => event)).toEqual(["message_delta", "message_stop"]);
  return written.slice(1, -2).map(({ event, data }) => {
    const { content_block: block, delta } = data as Record<string, Record<string, unknown> | undefined>;
    const what = block?.["type"] ?? Object.values(delta ?? {}).at(-1) ?? "";
    return `${event.replace("content_block_", "")} ${data["index"]} ${String(what)}`.trim();
  });
}

describe("the beginning", () => {
  test("[P63] [P10] bears the name that was asked for and an id of our own", () => {
    const [start] = write();
    expect(start?.data["message"]).toMatchObject({
      id: "msg_0190abcdef",
      type: "message",
      role: "assistant",
      model: "asked-model",
      content: [],
      stop_reason: null,
      stop_sequence: null,
    });
    expect(JSON.stringify(write())).not.toContain("chatcmpl");
    expect(JSON.stringify(write())).not.toContain("gpt");
  });

  test("[P26] guesses the input, and never says zero", () => {
    const usage = (head = HEAD, event = START) =>
      writtenEvents(messagesStreamWriter(head).write(event))[0]?.data["message"] as { usage: object };
    expect(usage().usage).toMatchObject({ input_tokens: 11, output_tokens: 1, cache_read_input_tokens: 0 });
    expect(usage({ ...HEAD, inputTokensGuess: 0 }).usage).toMatchObject({ input_tokens: 1 });
    const known = { ...START, usage: { ...NO_USAGE, input: 0, cacheRead: 90 } };
    expect(usage(HEAD, known).usage).toMatchObject({ input_tokens: 1, cache_read_input_tokens: 90 });
  });

  test("[P5] comes first, even where the upstream had none", () => {
    const writer = messagesStreamWriter(HEAD);
    const first = writtenEvents(writer.write(calls(0, "call_1")));
    expect(first.map(({ event }) => event)).toEqual(["message_start", "content_block_start"]);
    expect(writer.write(START)).toBe("");
  });
});

describe("blocks", () => {
  test("are written one after the other, each with its number", () => {
    const written = blocks(
      opens(0, "reasoning"),
      says(0, "Hm."),
      closes(0),
      opens(1, "text"),
      says(1, "a"),
      says(1, "b"),
      closes(1),
    );
    expect(written).toEqual([
      "start 0 thinking",
      "delta 0 Hm.",
      "stop 0",
      "start 1 text",
      "delta 1 a",
      "delta 1 b",
      "stop 1",
    ]);
  });

  test("[P1] [P2] that overlap wait for one another, and lose nothing", () => {
    const written = blocks(
      calls(0, "call_1"),
      calls(1, "call_2"),
      says(1, '{"b"'),
      says(0, '{"a"'),
      closes(1),
      opens(2, "text"),
      says(0, ":1}"),
      says(2, "x"),
      closes(0),
      says(2, "y"),
      closes(2),
    );
    expect(written).toEqual([
      "start 0 tool_use",
      'delta 0 {"a"',
      "delta 0 :1}",
      "stop 0",
      "start 1 tool_use",
      'delta 1 {"b"',
      "stop 1",
      "start 2 text",
      "delta 2 x",
      "delta 2 y",
      "stop 2",
    ]);
  });

  test("[P2] what can be said at once does not wait for the end", () => {
    const writer = messagesStreamWriter(HEAD);
    writer.write(START);
    writer.write(calls(0, "call_1"));
    expect(writer.write(calls(1, "call_2"))).toBe("");
    expect(writer.write(says(0, "{}"))).toContain('"partial_json":"{}"');
    expect(writer.write(says(1, "{"))).toBe("");
    expect(writtenEvents(writer.write(closes(0))).map(({ event }) => event)).toEqual([
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
    ]);
    expect(writer.write(says(1, "}"))).toContain('"partial_json":"}"');
  });

  test("[P8] of text after a call are new ones", () => {
    const written = blocks(
      opens(0, "text"),
      says(0, "a"),
      closes(0),
      calls(1, "c"),
      closes(1),
      opens(2, "text"),
      says(2, "b"),
      closes(2),
    );
    expect(written.filter(line => line.startsWith("start"))).toEqual([
      "start 0 text",
      "start 1 tool_use",
      "start 2 text",
    ]);
  });

  test("[P6] [P7] of calls begin with an empty input, and have deltas only for what was said", () => {
    const written = write(calls(0, "call_1"), closes(0), calls(1, "toolu_2"), says(1, '{"a":1}'), closes(1));
    const [empty, , full, delta] = written.slice(1).map(({ data }) => data);
    expect(empty?.["content_block"]).toMatchObject({ type: "tool_use", name: "look", input: {} });
    expect(full?.["content_block"]).toEqual({ type: "tool_use", id: "toolu_2", name: "look", input: {} });
    expect(delta?.["delta"]).toEqual({ type: "input_json_delta", partial_json: '{"a":1}' });
    expect(blocks(calls(0, "call_1"), closes(0))).toEqual(["start 0 tool_use", "stop 0"]);
  });

  test("[P9] [P10] of calls have ids of this dialect, different for different calls", () => {
    const ids = ["functions.Bash:0", "functions.Bash_0", "call_1"];
    const written = write(...ids.flatMap((id, index) => [calls(index, id), closes(index)]));
    const starts = written.filter(({ event }) => event === "content_block_start");
    const made = starts.map(({ data }) => (data["content_block"] as { id: string }).id);
    expect(new Set(made).size).toBe(3);
    for (const id of made) expect(id).toMatch(/^toolu_[A-Za-z0-9_-]+$/);
  });

  test("that say nothing are none, and take no number", () => {
    const foreign: ReplyEvent = {
      kind: "part-start",
      index: 2,
      part: { kind: "foreign", type: "web_search_call" },
    };
    const written = blocks(
      opens(0, "text"),
      closes(0),
      opens(1, "reasoning"),
      closes(1),
      foreign,
      says(2, "x"),
      closes(2),
      opens(3, "text"),
      says(3, "a"),
      closes(3),
    );
    expect(written).toEqual(["start 0 text", "delta 0 a", "stop 0"]);
  });

  test("that nobody closed are closed at the end", () => {
    const written = blocks(opens(0, "text"), says(0, "a"), calls(1, "c"), says(1, "{}"));
    expect(written).toEqual([
      "start 0 text",
      "delta 0 a",
      "stop 0",
      "start 1 tool_use",
      "delta 1 {}",
      "stop 1",
    ]);
  });

  test("[P60] cite what the answer cites", () => {
    const citation = { url: "https://a.example", title: null, quote: "q" };
    const written = write(
      opens(0, "text"),
      says(0, "a"),
      { kind: "part-citation", index: 0, citation },
      closes(0),
    );
    expect(written[3]?.data["delta"]).toEqual({
      type: "citations_delta",
      citation: {
        type: "web_search_result_location",
        cited_text: "q",
        url: "https://a.example",
        title: null,
        encrypted_index: "",
      },
    });
  });
});

describe("thoughts", () => {
  test("[P18] have their signature before they end, however early it came", () => {
    const late = blocks(opens(0, "reasoning"), says(0, "a"), seals(0, OWN), closes(0));
    expect(late).toEqual(["start 0 thinking", "delta 0 a", "delta 0 SIG", "stop 0"]);
    expect(blocks(opens(0, "reasoning"), seals(0, OWN), says(0, "a"), closes(0))).toEqual(late);
  });

  test("[P19] are kept with a seal alone", () => {
    expect(blocks(opens(0, "reasoning"), seals(0, OWN), closes(0))).toEqual([
      "start 0 thinking",
      "delta 0 SIG",
      "stop 0",
    ]);
  });

  test("[P20] without a seal keep their words", () => {
    const written = write(opens(0, "reasoning"), says(0, "a"), closes(0));
    expect(written[1]?.data["content_block"]).toEqual({ type: "thinking", thinking: "", signature: "" });
    expect(written.map(({ data }) => JSON.stringify(data)).join()).not.toContain("signature_delta");
  });

  test("[P22] [P24] of other makers carry their seal in the signature", () => {
    const written = write(opens(0, "reasoning"), seals(0, FOREIGN), closes(0));
    const delta = written[2]?.data["delta"];
    expect(delta).toMatchObject({ type: "signature_delta" });
    expect(carriedSeal((delta as { signature: string }).signature)).toEqual(FOREIGN);
  });

  test("[P24] bear the last seal that says something", () => {
    const written = blocks(
      opens(0, "reasoning"),
      seals(0, { ...OWN, value: "old" }),
      seals(0, OWN),
      seals(0, { ...OWN, value: "" }),
      closes(0),
    );
    expect(written).toEqual(["start 0 thinking", "delta 0 SIG", "stop 0"]);
  });

  test("that nobody may read are redacted", () => {
    const written = write(opens(0, "reasoning"), seals(0, HIDDEN), closes(0));
    expect(written.slice(1, 3).map(({ data }) => data)).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking", data: "RED" } },
      { type: "content_block_stop", index: 0 },
    ]);
  });
});

describe("the end", () => {
  const last = (...events: ReplyEvent[]) => {
    const writer = messagesStreamWriter(HEAD);
    return writtenEvents(events.map(event => writer.write(event)).join("")).at(-2)?.data;
  };

  test("[P26] [P27] has the true usage, all of it", () => {
    expect(last(START, END)).toEqual({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null, stop_details: null },
      usage: {
        input_tokens: 20,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 7,
      },
    });
  });

  test("[P32] has a guess where nobody counted", () => {
    const said = [opens(0, "text"), says(0, "x".repeat(40)), closes(0)];
    expect(last(START, ...said, { ...END, usage: null } as ReplyEvent)).toMatchObject({
      usage: { input_tokens: 11, output_tokens: 10 },
    });
  });

  test("[P13] is tool_use where a tool was called", () => {
    expect(last(START, calls(0, "c"), closes(0), END)).toMatchObject({ delta: { stop_reason: "tool_use" } });
  });

  test("[P61] is a refusal where the model refused, and its words are text", () => {
    const said = [opens(0, "refusal"), says(0, "No."), closes(0)];
    expect(last(START, ...said, END)).toMatchObject({ delta: { stop_reason: "refusal" } });
    expect(blocks(...said)).toEqual(["start 0 text", "delta 0 No.", "stop 0"]);
  });

  test("[P41] [P42] of a stream that failed is an error and nothing else", () => {
    const writer = messagesStreamWriter(HEAD);
    writer.write(START);
    expect(writer.write({ kind: "failure", message: "secret" })).toBe("");
    const body = { type: "error", error: { type: "api_error", message: "It failed." } };
    expect(writer.failure(body)).toBe(`event: error\ndata: ${JSON.stringify(body)}\n\n`);
  });
});

test("[P44] texts of any letters stay inside their line", () => {
  const said = 'a\n\nb\r\ndata: x\u2028\u2029"\\😀';
  const written = write(opens(0, "text"), says(0, said), closes(0));
  expect(written[2]?.data["delta"]).toEqual({ type: "text_delta", text: said });
});
