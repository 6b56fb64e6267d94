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
import { responsesTap } from "./tap.ts";

const OPTIONS: TapOptions = { request: viewFor("responses"), renameTo: null, eventBytesMax: 10_000_000 };
const REFUSAL = { error: { message: "It failed.", type: "server_error", code: null } };
const USAGE = { input_tokens: 12, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7 };

let sequence = 0;
const event = (body: object) => framed("responses", { ...body, sequence_number: sequence++ });
const responseOf = (extra: object = {}) => {
  return {
    id: "resp_1",
    object: "response",
    created_at: 5,
    model: "up-1",
    error: null,
    output: [],
    ...extra,
  };
};
const created = () => event({ type: "response.created", response: responseOf({ tools: [{ name: "t" }] }) });
const completed = (usage: unknown = USAGE, type = "response.completed") =>
  event({ type, response: responseOf({ usage }) });
const added = (index: number, item: object) =>
  event({ type: "response.output_item.added", output_index: index, item });
const done = (index: number, item: object) =>
  event({ type: "response.output_item.done", output_index: index, item });
const says = (delta: string, index = 0, kind = "output_text") =>
  event({ type: `response.${kind}.delta`, output_index: index, delta });

const MESSAGE = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
const TEXT = { type: "output_text", annotations: [], text: "" };
function tapOf(whole: string, options: Partial<TapOptions> = {}) {
  const tap = responsesTap({ ...OPTIONS, ...options });
  for (const byte of singly(Buffer.from(whole))) tap.feed(byte);
  return tap;
}

function play(whole: string, options: Partial<TapOptions> = {}) {
  const tap = responsesTap({ ...OPTIONS, ...options });
  return { ...played(tap, [Buffer.from(whole)]), tap, ...tap.reported() };
}

type Body = Record<string, unknown> & { response?: Record<string, unknown> };

function bodies(bytes: Uint8Array): Body[] {
  return eventsIn(Buffer.from(bytes).toString()).map(({ name, data }) => {
    const body = JSON.parse(data) as Body;
    expect(name).toBe(String(body["type"]));
    return body;
  });
}

describe("usage", () => {
  test.each(["response.completed", "response.incomplete", "response.cancelled"])(
    "[P43] stands in %s, which is the end whether or not the upstream closes",
    type => {
      const tap = tapOf(created() + says("a") + completed(USAGE, type));
      expect(tap).toMatchObject({ ended: true, failed: false });
      expect(tap.reported()).toMatchObject({
        usage: { input: 8, cacheRead: 4, output: 7 },
        isFinal: true,
        bad: false,
      });
    },
  );

  test("[P32] that is missing is none, and that cannot be believed is bad", () => {
    expect(play(completed(null))).toMatchObject({ usage: null, isFinal: false, bad: false });
    for (const output_tokens of [-1, 1.5, "12", 2 ** 53])
      expect(play(completed({ ...USAGE, output_tokens }))).toMatchObject({ usage: null, bad: true });
  });
});

describe("a failure", () => {
  const failures = [
    () => event({ type: "response.failed", response: responseOf({ error: { message: "sk-secret" } }) }),
    () => event({ type: "error", code: "x", message: "sk-secret" }),
    () => 'event: error\ndata: {"message":"sk-secret"}\n\n',
    () => 'data: {"error":{"message":"sk-secret"}}\n\n',
  ];
  test.each(failures)("of the upstream's keeps its text here %#", failure => {
    const before = created() + says("a");
    const whole = Buffer.from(before + failure() + says("b") + completed());
    for (let cut = 0; cut <= whole.length; cut += 5) {
      const tap = responsesTap(OPTIONS);
      expect(played(tap, split(whole, [cut])).text).toBe(before);
      expect(tap).toMatchObject({ failed: true, ended: false });
      expect(tap.content.bytes).toBe(1);
    }
  });

  test("[P39] [P41] [P42] becomes response.failed, numbered on, about the answer that had begun", () => {
    for (const half of ["", 'event: x\ndata: {"a', "event: error\ndata: {}\n\n"]) {
      sequence = 0;
      const tap = responsesTap({ ...OPTIONS, renameTo: "mine" });
      const passed = [tap.feed(Buffer.from(created() + says("a") + half)), tap.rest()];
      expect(tap.failed).toBe(true);
      const all = bodies(Buffer.concat([...passed.flatMap(bytes => bytes ?? []), tap.failureEnd(REFUSAL)]));
      const last = all.at(-1);
      expect(all.map(({ type }) => type)).toEqual([
        "response.created",
        "response.output_text.delta",
        "response.failed",
      ]);
      expect(last).toMatchObject({
        sequence_number: 2,
        response: { id: "resp_1", status: "failed", model: "mine" },
      });
      expect(last?.response?.["error"]).toEqual({ code: "server_error", message: "It failed." });
      expect(last?.response?.["tools"]).toEqual([{ name: "t" }]);
    }
  });

  test("before anything came has an answer of its own", () => {
    const [failed] = bodies(responsesTap(OPTIONS).failureEnd(REFUSAL));
    expect(failed).toMatchObject({ type: "response.failed", sequence_number: 0 });
    expect(failed?.response).toMatchObject({
      object: "response",
      model: "mine",
      output: [],
      status: "failed",
    });
    expect(String(failed?.response?.["id"])).toStartWith("resp_");
  });

  test("is not a text about errors, nor a call of the upstream's that failed", () => {
    const whole =
      says('event: error {"type":"error"}') + event({ type: "response.mcp_call.failed" }) + completed();
    expect(play(whole)).toMatchObject({ text: whole, tap: { failed: false, ended: true } });
  });
});

test("[P63] the model has the client's name wherever an answer stands, and nowhere else", () => {
  const stream = (model: string) => {
    sequence = 0;
    const response = responseOf({ model, metadata: { model: "up-1" }, tools: [{ model: "up-1" }] });
    return [
      event({ type: "response.created", response }),
      event({ type: "response.in_progress", model: "up-1", response }),
      added(0, { ...MESSAGE, model: "up-1" }),
      says('"response":{"model":"up-1"}'),
      event({
        type: "response.completed",
        response: { ...response, output: [{ response: { model: "up-1" } }] },
      }),
    ].join("");
  };
  const whole = Buffer.from(stream("up-1"));
  for (let cut = 0; cut <= whole.length; cut += 9) {
    expect(played(responsesTap({ ...OPTIONS, renameTo: "mine" }), split(whole, [cut])).text).toBe(
      stream("mine"),
    );
  }
});

test("what is said is counted once, though the events that end a part repeat it", () => {
  sequence = 0;
  const item = { ...MESSAGE, content: [{ ...TEXT, text: "abcé" }] };
  const texts =
    says("abc") + event({ type: "response.output_text.delta", delta: "é", obfuscation: "xxxxxx" });
  const ends = event({ type: "response.output_text.done", text: "abcé" }) + done(0, item);
  const reasons = says("hm", 1, "reasoning_summary_text") + says('{"a":1}', 2, "function_call_arguments");
  const schema = event({
    type: "response.created",
    response: responseOf({ metadata: { delta: "not said" } }),
  });
  const { tap } = play(schema + added(0, MESSAGE) + texts + ends + reasons + completed());
  expect(tap.content.bytes).toBe(3 + 2 + 2 + escapedBytes('{"a":1}'));
});

describe("recorded streams", () => {
  const all = recordings("responses", ".chunks.txt");
  if (all.length === 0) test.skip(NO_RECORDINGS, () => {});
  test.each(all)("$name ends as its last event says", ({ text: lines }) => {
    const stream = recordedStream("responses", lines);
    const { tap, usage, text } = play(stream);
    if (lines.includes('"type":"error"')) {
      expect(tap).toMatchObject({ failed: true, ended: false });
      expect(text).toBe(stream.slice(0, stream.indexOf("event: error")));
      expect(text).not.toContain("quota");
      return;
    }
    const last = JSON.parse(lines.trimEnd().split("\n").at(-1) ?? "") as {
      response: { usage: typeof USAGE };
    };
    expect(usage?.output).toBe(last.response.usage.output_tokens);
    expect(tap).toMatchObject({ ended: true, failed: false });
  });
});
