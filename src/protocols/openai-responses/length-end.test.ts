import { describe, expect, test } from "bun:test";
import type { Tap } from "../protocol.ts";
import { eventsIn, framed, seeded, shattered, viewFor } from "../tap.case.ts";
import { responsesTap } from "./tap.ts";

type Body = Record<string, unknown>;
type Item = Body & { id: string; type: string };

/** A stream as an upstream writes it: each event numbered. */
class Stream {
  text = "";
  #sequence = 0;

  add(...events: Body[]): this {
    for (const event of events)
      this.text += framed("responses", { ...event, sequence_number: this.#sequence++ });
    return this;
  }
}

const CREATED = {
  type: "response.created",
  response: { id: "resp_1", object: "response", model: "up-1", output: [] },
};
const MESSAGE: Item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
const REASONING: Item = { id: "rs_1", type: "reasoning", summary: [] };
const CALL: Item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "find", arguments: "" };
const CUSTOM: Item = { id: "ct_1", type: "custom_tool_call", call_id: "call_2", name: "run", input: "" };
const TEXT = { type: "output_text", annotations: [], logprobs: [], text: "" };

const added = (output_index: number, item: Item) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (output_index: number, item: Item) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const partAdded = (output_index: number, part: Body, content_index = 0) => {
  return { type: "response.content_part.added", output_index, content_index, part };
};
const says = (output_index: number, delta: string, kind = "output_text") => {
  return { type: `response.${kind}.delta`, output_index, delta };
};

function fed(stream: Stream, options: { renameTo?: string } = {}): Tap {
  const request = viewFor("responses");
  const tap = responsesTap({ request, renameTo: null, eventBytesMax: 10_000_000, ...options });
  for (const part of shattered(Buffer.from(stream.text), seeded(stream.text.length))) tap.feed(part);
  return tap;
}

function ended(stream: Stream, options: { renameTo?: string } = {}): Body[] {
  const end = Buffer.from(fed(stream, options).lengthEnd({ input: 30, output: 9 })).toString();
  return eventsIn(end).map(({ name, data }) => {
    const body = JSON.parse(data) as Body;
    expect(name).toBe(String(body["type"]));
    return body;
  });
}

const typesOf = (events: Body[]) => events.map(({ type }) => String(type).replace("response.", ""));

describe("the end of a responses stream at its length", () => {
  test("closes the text that is open, and numbers its events on", () => {
    const stream = new Stream().add(
      CREATED,
      added(0, MESSAGE),
      partAdded(0, TEXT),
      says(0, 'Hé "'),
      says(0, "😀\n"),
    );
    const events = ended(stream);
    const said = 'Hé "😀\n';
    expect(typesOf(events)).toEqual([
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "incomplete",
    ]);
    expect(events.map(event => event["sequence_number"])).toEqual([5, 6, 7, 8]);
    const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
    expect(events[0]).toMatchObject({ ...place, text: said, logprobs: [] });
    expect(events[1]).toMatchObject({ ...place, part: { ...TEXT, text: said } });
    const item = { ...MESSAGE, status: "incomplete", content: [{ ...TEXT, text: said }] };
    expect(events[2]).toMatchObject({ output_index: 0, item });
    expect(events[3]?.["response"]).toMatchObject({
      id: "resp_1",
      model: "up-1",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [item],
      usage: { input_tokens: 30, output_tokens: 9, total_tokens: 39 },
    });
  });

  test("keeps what has ended, in its order, under the client's name of the model", () => {
    const thought = { ...REASONING, summary: [{ type: "summary_text", text: "Hm." }] };
    const stream = new Stream().add(CREATED, added(0, REASONING), done(0, thought), added(1, MESSAGE));
    const events = ended(stream, { renameTo: "mine" });
    expect(typesOf(events)).toEqual(["output_item.done", "incomplete"]);
    expect(events[1]?.["response"]).toMatchObject({
      model: "mine",
      output: [thought, { id: "msg_1", content: [] }],
    });
  });

  test.each<[string, Item, string, Body, Body]>([
    ["a call", CALL, "function_call_arguments", { name: "find", arguments: '{"a"' }, { arguments: '{"a"' }],
    ["a call of a custom tool", CUSTOM, "custom_tool_call_input", { input: '{"a"' }, { input: '{"a"' }],
  ])("closes %s", (_, item, kind, told, kept) => {
    const events = ended(new Stream().add(CREATED, added(0, item), says(0, '{"a', kind), says(0, '"', kind)));
    expect(typesOf(events)).toEqual([`${kind}.done`, "output_item.done", "incomplete"]);
    expect(events[0]).toMatchObject({ item_id: item.id, output_index: 0, ...told });
    expect(events[1]).toMatchObject({ item: { ...item, ...kept, status: "incomplete" } });
  });

  test("closes what is being thought, in its second part", () => {
    const part = { type: "summary_text", text: "" };
    const at = (summary_index: number) => ({ output_index: 0, summary_index, item_id: "rs_1" });
    const stream = new Stream().add(
      CREATED,
      added(0, REASONING),
      { type: "response.reasoning_summary_part.added", ...at(0), part },
      { type: "response.reasoning_summary_text.delta", ...at(0), delta: "One." },
      { type: "response.reasoning_summary_part.done", ...at(0), part: { ...part, text: "One." } },
      { type: "response.reasoning_summary_part.added", ...at(1), part },
      { type: "response.reasoning_summary_text.delta", ...at(1), delta: "Two" },
    );
    const events = ended(stream);
    const ends = [
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "incomplete",
    ];
    expect(typesOf(events)).toEqual(ends);
    expect(events[0]).toMatchObject({ ...at(1), text: "Two" });
    const summary = ["One.", "Two"].map(text => ({ type: "summary_text", text }));
    expect(events[2]).toMatchObject({ item: { id: "rs_1", summary, status: "incomplete" } });
  });

  test("[P38] closes a refusal as one", () => {
    const part = { type: "refusal", refusal: "" };
    const events = ended(
      new Stream().add(CREATED, added(0, MESSAGE), partAdded(0, part), says(0, "No", "refusal")),
    );
    expect(events[0]).toMatchObject({ type: "response.refusal.done", refusal: "No" });
    expect(events[2]).toMatchObject({ item: { content: [{ type: "refusal", refusal: "No" }] } });
  });

  test("gives each of several open items its own text", () => {
    const second = { ...CALL, id: "fc_2", call_id: "call_9" };
    const kind = "function_call_arguments";
    const stream = new Stream().add(
      CREATED,
      added(1, second),
      added(0, CALL),
      ...[says(0, '{"a', kind), says(1, "{}", kind), says(0, '":1', kind)],
    );
    const events = ended(stream);
    expect(events.filter(({ type }) => type === "response.function_call_arguments.done")).toMatchObject([
      { output_index: 0, item_id: "fc_1", arguments: '{"a":1' },
      { output_index: 1, item_id: "fc_2", arguments: "{}" },
    ]);
    const output = [{ id: "fc_1" }, { id: "fc_2" }];
    expect(events.at(-1)).toMatchObject({ response: { output } });
    const one = ended(stream.add(done(1, { ...second, arguments: "{}" }), says(0, "}", kind)));
    expect(one[0]).toMatchObject({ output_index: 0, arguments: '{"a":1}' });
  });

  test("keeps a text whose part was never begun", () => {
    const events = ended(new Stream().add(CREATED, added(0, MESSAGE), says(0, "Hi")));
    expect(typesOf(events)).toEqual(["output_item.done", "incomplete"]);
    expect(events[0]).toMatchObject({ item: { content: [{ type: "output_text", text: "Hi" }] } });
    const thinks = ended(new Stream().add(CREATED, added(0, REASONING), says(0, "Hm", "reasoning_text")));
    expect(thinks[0]).toMatchObject({
      item: { summary: [], content: [{ type: "reasoning_text", text: "Hm" }] },
    });
  });

  test("leaves out what only the upstream can end", () => {
    const events = ended(new Stream().add(CREATED, added(0, { id: "ws_1", type: "web_search_call" })));
    expect(typesOf(events)).toEqual(["incomplete"]);
    expect(events[0]).toMatchObject({ response: { output: [] } });
  });

  test("leaves the events of a text out that is longer than is kept, and ends all the same", () => {
    const long = new Stream().add(CREATED, added(0, MESSAGE), partAdded(0, TEXT));
    for (let round = 0; round < 12; round++) long.add(says(0, "x".repeat(100_000)));
    expect(typesOf(ended(long))).toEqual(["incomplete"]);
    const many = new Stream().add(CREATED);
    for (let index = 0; index < 12; index++)
      many.add(done(index, { ...CALL, arguments: "x".repeat(100_000) }));
    const [end] = ended(many);
    expect(end).toMatchObject({ type: "response.incomplete", response: { output: [] } });
  });

  test("has an answer of its own where the upstream had not begun", () => {
    const events = ended(new Stream());
    expect(events).toMatchObject([
      { type: "response.incomplete", sequence_number: 0, response: { model: "mine" } },
    ]);
  });
});
