import { describe, expect, test } from "bun:test";
import type { TapOptions } from "../protocol.ts";
import {
  escapedBytes,
  eventsIn,
  framed,
  NO_RECORDINGS,
  played,
  recordedStream,
  recordings,
  singly,
  split,
  viewFor,
} from "../tap.case.ts";
import { messagesTap } from "./tap.ts";

const OPTIONS: TapOptions = { request: viewFor("messages"), renameTo: null, eventBytesMax: 1_000_000 };
const REFUSAL = { type: "error", error: { type: "api_error", message: "It failed." } };

const event = (body: object) => framed("messages", body);
const start = (usage: unknown, model = "up-1") =>
  event({ type: "message_start", message: { id: "msg_1", model, content: [], usage } });
const text = (said: string, index = 0) =>
  event({ type: "content_block_delta", index, delta: { type: "text_delta", text: said } });
const opens = (index: number, block: object = { type: "text", text: "" }) =>
  event({ type: "content_block_start", index, content_block: block });
const closes = (index: number) => event({ type: "content_block_stop", index });
const delta = (usage: unknown, stop: string | null = "end_turn") =>
  event({ type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage });
const STOP = event({ type: "message_stop" });
const STARTED = { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 };

function play(whole: string, options: Partial<TapOptions> = {}) {
  const tap = messagesTap({ ...OPTIONS, ...options });
  const seen = played(tap, [Buffer.from(whole)]);
  return { ...seen, tap, ...tap.reported() };
}

describe("usage", () => {
  test("[P27] [P31] told at the start and again at the end is merged and never summed", () => {
    const seen = play(start(STARTED) + text("a") + delta({ output_tokens: 30 }) + STOP);
    expect(seen).toMatchObject({ usage: { input: 10, cacheRead: 4, output: 30 }, isFinal: true, bad: false });
    const again = play(start(STARTED) + delta({ ...STARTED, output_tokens: 30 }) + STOP);
    expect(again.usage).toEqual(seen.usage);
  });

  test("of which the end knows more than the start is as the end says", () => {
    const end = { input_tokens: 61, cache_read_input_tokens: null, output_tokens: 2 };
    const seen = play(start({ input_tokens: 0, output_tokens: 0 }) + delta(end) + STOP);
    expect(seen.usage).toMatchObject({ input: 61, cacheRead: 0, output: 2 });
    const seeded = play(
      start({ input_tokens: 900, output_tokens: 1 }) + delta({ input_tokens: 61, output_tokens: 2 }) + STOP,
    );
    expect(seeded.usage).toMatchObject({ input: 61, output: 2 });
  });

  test("of which the end knows nothing of the input is as the start says", () => {
    const seen = play(start(STARTED) + delta({ input_tokens: 0, output_tokens: 30 }) + STOP);
    expect(seen.usage).toMatchObject({ input: 10, cacheRead: 4, output: 30 });
  });

  test("of a stream that broke off is not of the whole", () => {
    expect(play(start(STARTED) + text("a"))).toMatchObject({ usage: { output: 1 }, isFinal: false });
    expect(play(start(STARTED) + delta({ output_tokens: 5 }, null))).toMatchObject({ isFinal: false });
  });

  test("[P32] that only the start has tells nothing of the output, so what was said is counted", () => {
    for (const end of [delta(undefined), delta(null), ""]) {
      const seen = play(start(STARTED) + text("abc") + end + STOP);
      expect(seen).toMatchObject({ usage: null, isFinal: false, bad: false });
      expect(seen.tap.content.bytes).toBe(3);
    }
  });

  test.each([-1, 1.5, 2 ** 53, "12"])("of %p tokens is told as bad", output_tokens => {
    expect(play(start(STARTED) + delta({ output_tokens }) + STOP)).toMatchObject({ usage: null, bad: true });
  });
});

describe("the end", () => {
  test("[P43] is message_stop, whether or not the upstream closes", () => {
    const tap = messagesTap(OPTIONS);
    tap.feed(Buffer.from(start(STARTED) + delta({ output_tokens: 3 })));
    expect(tap.ended).toBe(false);
    tap.feed(Buffer.from(STOP.slice(0, -1)));
    expect(tap.ended).toBe(false);
    tap.feed(Buffer.from("\n"));
    expect(tap.ended).toBe(true);
  });

  test("[P43] is message_stop also where only its blank line is missing", () => {
    const whole = start(STARTED) + STOP.trimEnd();
    const seen = play(whole);
    expect(seen.text + seen.rest).toBe(whole);
    expect(seen.tap).toMatchObject({ ended: true, failed: false });
  });

  test("is not a text that speaks of it", () => {
    expect(play(text('event: message_stop\n\n{"type":"message_stop"}')).tap).toMatchObject({
      ended: false,
      failed: true,
    });
  });
});

describe("an error", () => {
  const errors = [
    event({ type: "error", error: { type: "overloaded_error", message: "sk-secret" } }),
    'data: {"type":"error","error":{"message":"sk-secret"}}\n\n',
    'event: error\ndata: {"message":"sk-secret"}\n\n',
    "event:error\r\ndata: sk-secret\r\n\r\n",
    'data: {"error":{"message":"sk-secret"}}\n\n',
    '{"error":{"message":"sk-secret"}}\n\n',
  ];
  test.each(errors)("%j fails the stream, and nothing of it passes", error => {
    const before = start(STARTED) + text("a");
    const whole = Buffer.from(before + error + text("b") + STOP);
    for (let cut = 0; cut <= whole.length; cut += 3) {
      const tap = messagesTap(OPTIONS);
      const seen = played(tap, split(whole, [cut]));
      expect(seen.text + (seen.rest ?? "")).not.toContain("secret");
      expect(tap).toMatchObject({ failed: true, ended: false });
      expect(tap.content.bytes).toBe(1);
    }
  });

  test("[P41] of the gateway's is the dialect's own, after a whole event", () => {
    const tap = messagesTap(OPTIONS);
    const passed = [tap.feed(Buffer.from(`${text("a")}event: content_bl`)), tap.rest()];
    expect(tap.failed).toBe(true);
    const all = Buffer.concat([...passed.flatMap(bytes => bytes ?? []), tap.failureEnd(REFUSAL)]).toString();
    expect(all).toBe(`${text("a")}event: error\ndata: ${JSON.stringify(REFUSAL)}\n\n`);
  });

  test("is not a text about errors", () => {
    const whole = text('event: error\n\n{"type":"error","error":{}}') + STOP;
    expect(play(whole)).toMatchObject({ text: whole, tap: { failed: false } });
  });
});

describe("[P63] the model", () => {
  test("has the client's name in message_start, and only there", () => {
    const about = text('"message":{"model":"up-1"}') + event({ type: "other", message: { model: "up-1" } });
    const odd = `event: message_start\ndata: {"x":{"model":"up-1"}, "message" : { "a":[{"model":"up-1"}], "model" : "up-1" },\ndata: "model":"up-1","type":"message_start"}\n\n`;
    const sent = Buffer.from(start(STARTED) + about + odd + STOP);
    const expected =
      start(STARTED, "mine") + about + odd.replace('"model" : "up-1"', '"model" : "mine"') + STOP;
    for (let cut = 0; cut <= sent.length; cut += 7) {
      const seen = played(messagesTap({ ...OPTIONS, renameTo: "mine" }), split(sent, [cut]));
      expect(seen.text).toBe(expected);
    }
  });

  test("is left where it is no name", () => {
    for (const message of [{ model: null }, {}, "up-1", null]) {
      const whole = event({ type: "message_start", message }) + STOP;
      expect(play(whole, { renameTo: "mine" }).text).toBe(whole);
    }
  });
});

describe("the end at the length", () => {
  const endOf = (whole: string) => {
    const tap = messagesTap(OPTIONS);
    for (const byte of singly(Buffer.from(whole))) tap.feed(byte);
    const events = eventsIn(Buffer.from(tap.lengthEnd({ input: 50, output: 7 })).toString());
    return events.map(({ name, data }) => {
      const body = JSON.parse(data) as Record<string, unknown>;
      expect(name).toBe(String(body["type"]));
      return body;
    });
  };
  const max = { stop_reason: "max_tokens", stop_sequence: null };

  test("closes the block that is open, and tells the output", () => {
    const begun =
      start(STARTED) + opens(0) + closes(0) + opens(1, { type: "tool_use", id: "t", name: "n", input: {} });
    expect(endOf(begun)).toEqual([
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: max, usage: { output_tokens: 7 } },
      { type: "message_stop" },
    ]);
    expect(endOf(begun + closes(1)).map(({ type }) => type)).toEqual(["message_delta", "message_stop"]);
  });

  test("tells our count of the input where the upstream told none", () => {
    expect(endOf(start(undefined) + opens(0))[1]).toMatchObject({
      usage: { input_tokens: 50, output_tokens: 7 },
    });
    const [first] = endOf("");
    expect(first).toMatchObject({ type: "message_start", message: { model: "mine", content: [] } });
  });
});

describe("what is said", () => {
  test("is text, thinking and the input of tools, and no result of the upstream's own tools", () => {
    const thinks = event({
      type: "content_block_delta",
      index: 0,
      delta: { type: "thinking_delta", thinking: "hm" },
    });
    const signs = event({
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: "AAAA" },
    });
    const calls = event({
      type: "content_block_delta",
      index: 1,
      delta: { type: "input_json_delta", partial_json: '{"a":' },
    });
    const result = opens(2, { type: "mcp_tool_result", content: [{ type: "text", text: "found" }] });
    const whole =
      opens(0, { type: "thinking", thinking: "", signature: "" }) +
      thinks +
      signs +
      calls +
      result +
      text("é");
    expect(play(whole).tap.content.bytes).toBe(2 + escapedBytes('{"a":') + 2);
  });

  test("is also what a block begins with", () => {
    const begun = opens(0, { type: "text", text: "abc" }) + opens(1, { type: "tool_use", input: { a: 1 } });
    expect(play(begun).tap.content.bytes).toBe(3 + escapedBytes('{"a":1}'));
  });
});

describe("recorded streams", () => {
  const all = recordings("messages", ".chunks.txt");
  if (all.length === 0) test.skip(NO_RECORDINGS, () => {});
  test.each(all)("$name reports the usage of its last word", ({ text: lines }) => {
    const seen = play(recordedStream("messages", lines));
    const told = lines.split("\n").filter(line => line.includes('"message_delta"'));
    const { usage } = JSON.parse(told.at(-1) ?? "{}") as {
      usage: { input_tokens: number; output_tokens: number };
    };
    expect(seen).toMatchObject({
      usage: { input: usage.input_tokens, output: usage.output_tokens },
      isFinal: true,
    });
  });
});
