import { describe, expect, test } from "bun:test";
import type { ReplyEvent } from "../../domain/chat.ts";
import { chunk, eventsOf, replyOf, toolChunk, USAGE } from "./chat-codec.case.ts";
import { chatStreamReader } from "./read-stream.ts";

const done = "[DONE]";
const stop = chunk({}, { finish_reason: "stop" });
const kinds = (events: readonly ReplyEvent[]) => events.map(({ kind }) => kind);
const last = (events: readonly ReplyEvent[]) => events.at(-1);
const piece = (index: number, text: string) => ({ index, function: { arguments: text } });
const opening = (index: number, id: string, name: string, text = "") => ({
  index,
  id,
  type: "function",
  function: { name, arguments: text },
});

describe("a stream of text", () => {
  test("begins, has one part, and ends once", () => {
    const events = eventsOf([
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Hel" }),
      chunk({ content: "lo" }),
      stop,
      { ...chunk({}), choices: [], usage: USAGE },
      done,
    ]);
    expect(events).toEqual([
      { kind: "start", id: "chatcmpl-up", model: "up-model", createdSeconds: 1_700_000_000, usage: null },
      { kind: "part-start", index: 0, part: { kind: "text" } },
      { kind: "part-delta", index: 0, text: "Hel" },
      { kind: "part-delta", index: 0, text: "lo" },
      { kind: "part-end", index: 0 },
      {
        kind: "end",
        stop: { reason: "end", raw: "stop", sequence: null },
        usage: { input: 10, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 5, reasoning: 0 },
      },
    ]);
  });

  test("of which only the first choice is ours", () => {
    const other = { ...chunk({}), choices: [{ index: 1, delta: { content: "no" }, finish_reason: "stop" }] };
    expect(replyOf([chunk({ content: "yes" }), other, stop, done]).parts).toMatchObject([{ text: "yes" }]);
  });

  test("[P45] in pieces of any size", () => {
    const long = "x".repeat(2_000_000);
    expect(replyOf([chunk({ content: long }), stop, done]).parts).toMatchObject([{ text: long }]);
  });

  test("[P60] with its sources", () => {
    const url_citation = { url: "https://x.test", title: "X", start_index: 0, end_index: 2 };
    const annotations = [{ type: "url_citation", url_citation }, { type: "file_citation" }, null];
    const citations = [{ url: "https://x.test", title: "X", quote: null }];
    expect(replyOf([chunk({ content: "Hi" }), chunk({ annotations }), stop, done]).parts).toMatchObject([
      { text: "Hi", citations },
    ]);
    expect(replyOf([chunk({ annotations }), chunk({ content: "Hi" }), stop, done]).parts).toMatchObject([
      { text: "Hi", citations },
    ]);
  });

  test("[P61] that refuses says so at its end", () => {
    const reply = replyOf([chunk({ refusal: "I " }), chunk({ refusal: "won’t" }), stop, done]);
    expect(reply.parts).toEqual([{ kind: "refusal", text: "I won’t" }]);
    expect(reply.stop).toEqual({ reason: "refusal", raw: "stop", sequence: null });
  });
});

describe("tool calls", () => {
  test("[P1] back to back are two parts", () => {
    const reply = replyOf([
      toolChunk(opening(0, "a", "one")),
      toolChunk(piece(0, '{"x":1}')),
      toolChunk(opening(1, "b", "two")),
      toolChunk(piece(1, "{}")),
      chunk({}, { finish_reason: "tool_calls" }),
      done,
    ]);
    expect(reply.parts).toMatchObject([
      { kind: "tool-call", id: "a", name: "one", input: '{"x":1}', tool: "function" },
      { kind: "tool-call", id: "b", name: "two", input: "{}" },
    ]);
    expect(reply.stop.reason).toBe("tool-calls");
  });

  test("[P2] whose pieces come in turns each get their own", () => {
    const reply = replyOf([
      toolChunk(opening(0, "a", "one"), opening(1, "b", "two")),
      toolChunk(piece(1, '{"b"'), piece(0, '{"a"')),
      toolChunk(piece(0, ":1}")),
      toolChunk(piece(1, ":2}")),
      done,
    ]);
    expect(reply.parts).toMatchObject([{ input: '{"a":1}' }, { input: '{"b":2}' }]);
  });

  test("[P5] first of all, with content null, come after the start", () => {
    const first = { content: null, tool_calls: [opening(0, "a", "one")] };
    expect(kinds(eventsOf([chunk(first), done])).slice(0, 2)).toEqual(["start", "part-start"]);
  });

  test("[P6] with all their arguments at once have them as a piece", () => {
    const events = eventsOf([toolChunk(opening(0, "a", "one", '{"x":1}')), done]);
    expect(events).toContainEqual({ kind: "part-delta", index: 0, text: '{"x":1}' });
    const asObject = { index: 0, id: "a", function: { name: "one", arguments: { x: 1 } } };
    expect(replyOf([toolChunk(asObject), done]).parts).toMatchObject([{ input: '{"x":1}' }]);
  });

  test.each(["", " "])("[P7] with %j for arguments are called with none", text => {
    const [only] = replyOf([toolChunk(opening(0, "a", "one", text)), done]).parts;
    expect(only?.kind === "tool-call" && JSON.parse(only.input)).toEqual({});
  });

  test("[P8] end the text before them, and text after them is a part of its own", () => {
    const reply = replyOf([
      chunk({ content: "before" }),
      toolChunk(opening(0, "a", "one", "{}")),
      chunk({ content: "after" }),
      toolChunk(piece(0, "")),
      done,
    ]);
    expect(reply.parts).toMatchObject([
      { kind: "text", text: "before" },
      { kind: "tool-call", input: "{}" },
      { kind: "text", text: "after" },
    ]);
  });

  test("[P13] make the end one for tool calls, whatever the upstream says", () => {
    for (const raw of ["stop", "", null, "eos", "whatever"])
      expect(
        replyOf([toolChunk(opening(0, "a", "f")), chunk({}, { finish_reason: raw }), done]).stop.reason,
      ).toBe("tool-calls");
    const cut = replyOf([toolChunk(opening(0, "a", "f")), chunk({}, { finish_reason: "length" }), done]);
    expect(cut.stop.reason).toBe("length");
  });

  test("without an id get one, other in every answer", () => {
    const nameless = toolChunk({ index: 0, function: { name: "f", arguments: "{}" } });
    const idIn = (id: string) => {
      const [only] = replyOf([{ ...nameless, id }, done]).parts;
      return only?.kind === "tool-call" ? only.id : null;
    };
    expect(idIn("")).toBe("call_0");
    expect(idIn("one")).toMatch(/^call_0_[0-9a-f]{8}$/);
    expect(idIn("one")).toBe(idIn("one"));
    expect(idIn("one")).not.toBe(idIn("two"));
  });

  test("[P9] of one id under two indexes are told apart", () => {
    const reply = replyOf([toolChunk(opening(0, "same", "f", "{}"), opening(1, "same", "g", "{}")), done]);
    const ids = reply.parts.map(part => (part.kind === "tool-call" ? part.id : ""));
    expect(ids[0]).toBe("same");
    expect(new Set(ids).size).toBe(2);
  });

  test("may repeat their id, and a new id under the same index is a new call", () => {
    const reply = replyOf([
      toolChunk(opening(0, "a", "f", '{"x"')),
      toolChunk({ ...piece(0, ":1}"), id: "a" }),
      toolChunk(opening(0, "b", "g", "{}")),
      toolChunk({ ...piece(0, " "), id: "a" }),
      done,
    ]);
    expect(reply.parts).toMatchObject([
      { id: "a", name: "f", input: '{"x":1} ' },
      { id: "b", name: "g", input: "{}" },
    ]);
  });

  test("may come without an index", () => {
    const [one, two] = [opening(0, "a", "f", "{}"), opening(0, "b", "g", "{")].map(
      ({ index: _, ...call }) => call,
    );
    const more = { function: { arguments: "}" } };
    const bare = { function: { name: "h", arguments: "{}" } };
    const reply = replyOf([chunk({ tool_calls: [one, two] }), toolChunk(more), toolChunk(bare, bare), done]);
    const named = reply.parts.map(part => part.kind === "tool-call" && [part.name, part.input]);
    expect(named).toEqual([
      ["f", "{}"],
      ["g", "{}"],
      ["h", "{}"],
      ["h", "{}"],
    ]);
  });

  test("whose name comes late wait for it; without one they are nothing", () => {
    const early = { index: 0, id: "a", function: { arguments: '{"x"' } };
    const reply = replyOf([
      toolChunk(early),
      toolChunk({ index: 0, function: { name: "f", arguments: ":1}" } }),
      toolChunk({ index: 1, id: "b", function: { arguments: "{}" } }),
      done,
    ]);
    expect(reply.parts).toMatchObject([{ id: "a", name: "f", input: '{"x":1}' }]);
  });

  test("of custom tools have text, and those of the time before tools are calls too", () => {
    const custom = { index: 0, id: "a", type: "custom", custom: { name: "patch", input: "***" } };
    expect(replyOf([toolChunk(custom), done]).parts).toMatchObject([{ tool: "custom", input: "***" }]);
    const legacy = replyOf([
      chunk({ function_call: { name: "f", arguments: "{" } }),
      chunk({ function_call: { arguments: "}" } }, { finish_reason: "function_call" }),
      done,
    ]);
    expect(legacy.parts).toMatchObject([{ kind: "tool-call", name: "f", input: "{}" }]);
  });
});

describe("the end of a stream", () => {
  const said = chunk({ content: "Hi" });
  const output = (events: readonly ReplyEvent[]) => {
    const end = last(events);
    return end?.kind === "end" ? end.usage?.output : null;
  };

  test("[P29] has the usage of the last chunk, with choices or without", () => {
    expect(output(eventsOf([said, { ...stop, usage: USAGE }, done]))).toBe(5);
    expect(output(eventsOf([said, stop, { choices: [], usage: USAGE }, done]))).toBe(5);
    expect(output(eventsOf([said, stop, { usage: USAGE }]))).toBe(5);
  });

  test("[P30] [P31] has none of the usage in the middle, nor a sum", () => {
    const partial = { ...said, usage: { prompt_tokens: 10, completion_tokens: 1 } };
    expect(output(eventsOf([partial, partial, { ...stop, usage: USAGE }, done]))).toBe(5);
    expect(
      eventsOf([partial, stop, { choices: [], usage: { prompt_tokens: -1 } }, done]).at(-1),
    ).toMatchObject({
      usage: null,
    });
  });

  test("[P34] needs no reason where the last word was said", () => {
    expect(last(eventsOf([said, done]))).toEqual({
      kind: "end",
      stop: { reason: "end", raw: null, sequence: null },
      usage: null,
    });
    expect(kinds(eventsOf([said, done]))).toEqual(["start", "part-start", "part-delta", "part-end", "end"]);
  });

  test("needs no last word where a reason was given", () => {
    expect(kinds(eventsOf([said, stop])).slice(-2)).toEqual(["part-end", "end"]);
  });

  test("[P41] with neither is a failure, and so is nothing at all", () => {
    expect(last(eventsOf([said]))?.kind).toBe("failure");
    expect(kinds(eventsOf([]))).toEqual(["failure"]);
    expect(kinds(eventsOf([done]))).toEqual(["failure"]);
    expect(kinds(eventsOf([{ choices: [], usage: USAGE }, done]))).toEqual(["failure"]);
  });

  test("[P43] is the end: nothing is read after it", () => {
    const reader = chatStreamReader();
    for (const one of [said, stop]) reader.read({ event: null, data: JSON.stringify(one) });
    expect(last(reader.read({ event: null, data: " [DONE] " }))?.kind).toBe("end");
    expect(reader.read({ event: null, data: JSON.stringify(said) })).toEqual([]);
    expect(reader.finish()).toEqual([]);
  });

  test("[P15] tells the stop sequence that vLLM met", () => {
    const met = chunk({}, { finish_reason: "stop", stop_reason: "###" });
    expect(replyOf([said, met, done]).stop).toEqual({
      reason: "stop-sequence",
      raw: "stop",
      sequence: "###",
    });
  });

  test.each([
    [{ error: { message: "overloaded", code: 500 } }, "overloaded"],
    [{ error: "plain" }, "plain"],
    [{ error: { code: 1 } }, '{"code":1}'],
    [{ object: "error", message: "vllm" }, "vllm"],
    [
      { ...said, choices: [{ index: 0, delta: {}, error: { message: "router" }, finish_reason: "error" }] },
      "router",
    ],
  ])("[P48] may be an error: %j", (error, message) => {
    const events = eventsOf([said, error, stop, done]);
    expect(last(events)).toEqual({ kind: "failure", message });
    expect(kinds(events)).not.toContain("end");
  });

  test("[P48] may be an error by the name of its event", () => {
    const reader = chatStreamReader();
    expect(kinds(reader.read({ event: "error", data: "out of memory" }))).toEqual(["failure"]);
    expect(kinds(chatStreamReader().read({ event: "error", data: '{"message":"x"}' }))).toEqual(["failure"]);
  });
});

describe("a hostile stream", () => {
  const odd: unknown[] = [null, 0, -1, 1e30, "", "x", true, [], [[]], [null], {}, { a: 1 }, [{}], [1, "x"]];
  const inDelta = [
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "annotations",
  ];
  const inCall = ["index", "id", "function", "custom", "type", "extra_content"];

  test("never breaks the reader", () => {
    for (const value of odd) {
      const chunks = [
        ...inDelta.map(name => chunk({ [name]: value })),
        ...inCall.map(name => toolChunk({ index: 0, id: "a", function: { name: "f" }, [name]: value })),
        chunk({ tool_calls: value, function_call: value }),
        chunk({}, { finish_reason: value, stop_reason: value, index: value, delta: value }),
        { ...chunk({}), id: value, model: value, created: value, usage: value, choices: value },
        JSON.stringify(value),
      ];
      for (const one of chunks) expect(() => eventsOf([one, done])).not.toThrow();
      expect(() => eventsOf([...chunks, "not json", "{", ""])).not.toThrow();
    }
  });

  test("may be nested as deep as it likes", () => {
    const deep = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
    const inside = (field: string) =>
      JSON.stringify(toolChunk(opening(0, "a", "f"))).replace('"id":"a"', field);
    const chunks = [
      JSON.stringify(chunk({ content: "x", reasoning_details: ["deep"] })).replace('"deep"', deep),
      inside(`"id":"a","extra_content":${deep}`),
      inside(`"id":"b","custom":{"name":"f","input":${deep}}`),
      `{"error":${deep}}`,
    ];
    for (const one of chunks) expect(() => eventsOf([one, done])).not.toThrow();
  });

  test("has every part that starts end, once", () => {
    const events = eventsOf([
      ...odd.map(value => chunk({ content: value, reasoning: value, refusal: value })),
      toolChunk(opening(0, "__proto__", "constructor")),
      chunk({ content: "x" }),
      done,
    ]);
    const indexes = (kind: ReplyEvent["kind"]) =>
      events.flatMap(event => (event.kind === kind && "index" in event ? [event.index] : []));
    expect(indexes("part-end").toSorted()).toEqual(indexes("part-start").toSorted());
    expect(events.filter(({ kind }) => kind === "end").length).toBe(1);
  });
});
