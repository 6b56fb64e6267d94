import { describe, expect, test } from "bun:test";
import type { Reply, ReplyEvent, ReplyPart, Seal, Stop } from "../../domain/chat.ts";
import { carriedSeal } from "../carry-seal.ts";
import { HEAD } from "../prompt.case.ts";
import { unfoldReply } from "../unfold.ts";
import { eventsOf, type WireEvent } from "./answer.case.ts";
import { responsesStreamWriter } from "./write-stream.ts";

const END: Stop = { reason: "end", raw: null, sequence: null };
const USAGE = { input: 8, cacheRead: 3, cacheWrite5m: 1, cacheWrite1h: 0, output: 7, reasoning: 2 };
const text = (said: string): ReplyPart => ({ kind: "text", text: said, citations: [], cache: null });
const call: ReplyPart = {
  kind: "tool-call",
  id: "functions.find:0",
  name: "find",
  input: '{"a":1}',
  tool: "function",
  namespace: null,
  cache: null,
};
const reply = (parts: ReplyPart[], stop: Partial<Stop> = {}): Reply => ({
  id: "upstream-id",
  model: "upstream-model",
  createdSeconds: null,
  parts,
  stop: { ...END, ...stop },
  usage: USAGE,
});

function streamOf(events: readonly ReplyEvent[]): string {
  const writer = responsesStreamWriter(HEAD);
  return events.map(event => writer.write(event)).join("");
}
const written = (answer: Reply) => eventsOf(streamOf(unfoldReply(answer)));
const typesOf = (events: readonly WireEvent[]) => events.map(({ type }) => type.replace("response.", ""));
const only = (events: readonly WireEvent[], type: string) =>
  events.filter(event => event.type === `response.${type}`);

describe("a stream", () => {
  test("[P33] has the whole life of a message, numbered from nought, each event with its places", () => {
    const events = written(reply([text("Hello")]));
    expect(typesOf(events)).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(events.map(event => event["sequence_number"])).toEqual(events.map((_, at) => at));
    const at = { item_id: "msg_0190abcdef_0", output_index: 0, content_index: 0 };
    for (const event of events.slice(3, 7)) expect(event).toMatchObject(at);
    expect(events[4]).toMatchObject({ delta: "Hello", logprobs: [] });
    expect(events[2]).toMatchObject({ item: { id: at.item_id, status: "in_progress", content: [] } });
    expect(events[7]).toMatchObject({ item: { id: at.item_id, status: "completed" } });
  });

  test("[P36] [P63] ends with the whole response, under our own ids and the name that the client used", () => {
    const [last] = written(reply([text("Hello"), call], { reason: "tool-calls" })).slice(-1);
    expect(last).toMatchObject({
      type: "response.completed",
      response: {
        id: "resp_0190abcdef",
        object: "response",
        model: "asked-model",
        created_at: 1_800_000_000,
        status: "completed",
        output: [
          { type: "message", content: [{ type: "output_text", text: "Hello" }] },
          { type: "function_call", id: "fc_0190abcdef_1", call_id: "functions.find:0", name: "find" },
        ],
        usage: { input_tokens: 12, output_tokens: 7, total_tokens: 19 },
      },
    });
  });

  test("[P10] leaks neither the ids nor the model's name of the upstream", () => {
    const stream = streamOf(unfoldReply(reply([text("Hello"), call])));
    expect(stream).not.toContain("upstream-id");
    expect(stream).not.toContain("upstream-model");
  });

  test("[P35] of a call alone has no message", () => {
    const events = written(reply([call], { reason: "tool-calls" }));
    expect(typesOf(events).slice(2, -1)).toEqual([
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
    ]);
    expect(JSON.stringify(events)).not.toContain('"type":"message"');
  });

  test("[P37] has calls whose own id is not the call's, and which no two share", () => {
    const twice = reply([call, { ...call, name: "other" }, { ...call, id: "" }]);
    const ids = only(written(twice), "output_item.done").map(({ item }) => item);
    expect(ids).toMatchObject([
      { id: "fc_0190abcdef_0", call_id: "functions.find:0" },
      { id: "fc_0190abcdef_1", call_id: "call_0190abcdef_1" },
      { id: "fc_0190abcdef_2", call_id: "call_0190abcdef_2" },
    ]);
  });

  test("[P7] gives a function without arguments an empty object", () => {
    const events = written(reply([{ ...call, input: "" }]));
    expect(only(events, "function_call_arguments.delta")).toMatchObject([{ delta: "{}" }]);
    expect(only(events, "output_item.done")).toMatchObject([{ item: { arguments: "{}" } }]);
  });

  test("has the input of a custom tool as text, and the namespace of a call", () => {
    const custom: ReplyPart = { ...call, tool: "custom", name: "patch", input: "*** Begin" };
    const events = written(reply([custom, { ...call, id: "c2", namespace: "mcp__git" }]));
    expect(typesOf(events).slice(2, 6)).toEqual([
      "output_item.added",
      "custom_tool_call_input.delta",
      "custom_tool_call_input.done",
      "output_item.done",
    ]);
    expect(only(events, "output_item.done")).toMatchObject([
      { item: { type: "custom_tool_call", id: "ctc_0190abcdef_0", input: "*** Begin", status: "completed" } },
      { item: { type: "function_call", namespace: "mcp__git" } },
    ]);
  });

  test("[P2] may have parts that overlap, each at its own place", () => {
    const start = (index: number, id: string): ReplyEvent => ({
      kind: "part-start",
      index,
      part: { kind: "tool-call", id, name: "find", tool: "function", namespace: null },
    });
    const events = eventsOf(
      streamOf([
        { kind: "start", id: "", model: "", createdSeconds: null, usage: null },
        start(0, "a"),
        start(1, "b"),
        { kind: "part-delta", index: 1, text: "[1]" },
        { kind: "part-delta", index: 0, text: "[0]" },
        { kind: "part-end", index: 1 },
        { kind: "part-end", index: 0 },
        { kind: "end", stop: { ...END, reason: "tool-calls" }, usage: null },
      ]),
    );
    expect(only(events, "completed")).toMatchObject([
      { response: { output: [{ arguments: "[0]" }, { arguments: "[1]" }], usage: null } },
    ]);
  });

  test("leaves out parts that say nothing, and those of another dialect", () => {
    const parts: ReplyPart[] = [
      text(""),
      { kind: "reasoning", text: "", seal: null },
      { kind: "foreign", type: "server_tool_use" },
      text("Hello"),
    ];
    expect(only(written(reply(parts)), "output_item.added")).toHaveLength(1);
  });

  test("[P36] that said nothing at all has an empty message", () => {
    const [last] = written(reply([])).slice(-1);
    expect(last).toMatchObject({ response: { output: [{ content: [{ type: "output_text", text: "" }] }] } });
  });
});

describe("reasoning", () => {
  const own: Seal = { origin: "responses", kind: "ciphertext", value: "gAAA", id: "rs_upstream" };
  const foreign: Seal = { origin: "messages", kind: "signature", value: "EqQB", id: null };
  const thought = (said: string, seal: Seal): ReplyPart => ({
    kind: "reasoning",
    text: said,
    seal,
  });

  test("[P18] [P22] [P23] is a summary, and has its seal where the item ends", () => {
    const events = written(reply([thought("Hm.", own), text("Hi")]));
    expect(typesOf(events).slice(2, 8)).toEqual([
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
    ]);
    for (const event of events.slice(3, 7))
      expect(event).toMatchObject({ item_id: "rs_0190abcdef_0", output_index: 0, summary_index: 0 });
    expect(events[7]).toMatchObject({
      item: {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm." }],
        encrypted_content: "gAAA",
      },
    });
    expect(JSON.stringify(only(events, "output_text.delta"))).not.toContain("Hm.");
    expect(JSON.stringify(events)).not.toContain("rs_upstream");
  });

  test("[P22] of another dialect carries its seal in ours", () => {
    const [done] = only(written(reply([thought("Hm.", foreign)])), "output_item.done");
    const item = done?.["item"];
    if (typeof item !== "object" || item === null || !("encrypted_content" in item))
      throw new Error("no item");
    expect(carriedSeal(String(item.encrypted_content))).toEqual(foreign);
  });

  test("that came with a seal that looks like ours is wrapped once more, and so comes back as it was", () => {
    const odd = { ...own, value: "wgs1.WyJtZXNzYWdlcyIsInNpZ25hdHVyZSIsIngiLG51bGxd" };
    const [done] = only(written(reply([thought("", odd)])), "output_item.done");
    expect(done).toMatchObject({ item: { encrypted_content: expect.stringMatching(/^wgs1\./) } });
    expect(JSON.stringify(done)).not.toContain(odd.value);
  });

  test("[P19] that is sealed only has no summary", () => {
    const events = written(reply([thought("", foreign)]));
    expect(typesOf(events).slice(2, -1)).toEqual(["output_item.added", "output_item.done"]);
  });
});

describe("it ends", () => {
  const last = (reason: Stop["reason"], parts: ReplyPart[] = [text("Hi")]) =>
    written(reply(parts, { reason })).at(-1);

  test.each(["end", "stop-sequence"] as const)("completed at %s", reason => {
    expect(last(reason)).toMatchObject({
      type: "response.completed",
      response: { status: "completed", incomplete_details: null },
    });
  });

  test.each([
    ["length", "max_output_tokens"],
    ["context-full", "max_output_tokens"],
    ["filter", "content_filter"],
    ["pause", "pause"],
    ["unknown", "unknown"],
  ] as const)("[P15] [P16] incomplete at %s", (reason, told) => {
    expect(last(reason)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: told } },
    });
  });

  test("[P61] with a refusal that has its own words, or ours where it has none", () => {
    const refused = (parts: ReplyPart[]) =>
      only(written(reply(parts, { reason: "refusal" })), "refusal.done");
    expect(refused([{ kind: "refusal", text: "No." }])).toMatchObject([{ refusal: "No." }]);
    expect(refused([text("Well,")])).toMatchObject([{ refusal: "The model refused to answer." }]);
    expect(last("refusal", [])).toMatchObject({
      type: "response.completed",
      response: { output: [{ content: [{ type: "refusal" }] }] },
    });
  });

  test("[P34] and what was left open ends before", () => {
    const events = eventsOf(
      streamOf([
        { kind: "start", id: "", model: "", createdSeconds: null, usage: null },
        { kind: "part-start", index: 0, part: { kind: "text" } },
        { kind: "part-delta", index: 0, text: "Hi" },
        { kind: "end", stop: { ...END, reason: "length" }, usage: USAGE },
      ]),
    );
    expect(typesOf(events).slice(-3)).toEqual(["content_part.done", "output_item.done", "incomplete"]);
  });
});

describe("a failure", () => {
  const body = (type: string) => ({
    error: { message: "The upstream failed.", type, code: null, param: null },
  });
  const failed = (type: string) => {
    const writer = responsesStreamWriter(HEAD);
    const begun = unfoldReply(reply([text("Hello"), call])).slice(0, -2);
    const stream = begun.map(event => writer.write(event)).join("") + writer.failure(body(type));
    expect(writer.failure(body(type)) + writer.write({ kind: "end", stop: END, usage: null })).toBe("");
    return eventsOf(stream);
  };

  test("[P39] [P41] is the last event, with what was finished before it, and no end is made up", () => {
    const events = failed("server_error");
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: {
        status: "failed",
        error: { code: "server_error", message: "The upstream failed." },
        output: [{ type: "message" }],
      },
    });
    expect(only(events, "completed")).toEqual([]);
    expect(events.map(event => event["sequence_number"])).toEqual(events.map((_, at) => at));
  });

  test("[P39] has a code by which Codex asks again only where that helps", () => {
    const code = (type: string) => failed(type).at(-1);
    expect(code("rate_limit_error")).toMatchObject({ response: { error: { code: "rate_limit_exceeded" } } });
    for (const type of ["insufficient_quota", "invalid_request_error"])
      expect(code(type)).toMatchObject({ response: { error: { code: "invalid_prompt" } } });
  });

  test("before anything came begins first", () => {
    const events = eventsOf(responsesStreamWriter(HEAD).failure(body("server_error")));
    expect(typesOf(events)).toEqual(["created", "in_progress", "failed"]);
  });

  test("that an upstream tells of is not passed on in its words", () => {
    expect(responsesStreamWriter(HEAD).write({ kind: "failure", message: "secret" })).toBe("");
  });
});

test("a long answer costs no more for each piece than its piece", () => {
  const writer = responsesStreamWriter(HEAD);
  writer.write({ kind: "start", id: "", model: "", createdSeconds: null, usage: null });
  writer.write({ kind: "part-start", index: 0, part: { kind: "text" } });
  const startedAtMs = performance.now();
  for (let count = 0; count < 100_000; count++) writer.write({ kind: "part-delta", index: 0, text: "word " });
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
});
