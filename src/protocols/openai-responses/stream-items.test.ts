import { describe, expect, test } from "bun:test";
import { foldReply } from "../fold.ts";
import { CREATED, ended, told, type WireEvent } from "./answer.case.ts";

const item = (index: number, extra: Record<string, unknown>): WireEvent[] => [
  { type: "response.output_item.added", output_index: index, item: { ...extra, status: "in_progress" } },
  { type: "response.output_item.done", output_index: index, item: { ...extra, status: "completed" } },
];
const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "find", arguments: '{"a":1}' };
const argument = (index: number, text: string): WireEvent => ({
  type: "response.function_call_arguments.delta",
  item_id: `fc_${index}`,
  output_index: index,
  delta: text,
});
const folded = (events: readonly WireEvent[]) => foldReply(told(events));

describe("a call", () => {
  test("[P1] is one of its own, and each has its own index", () => {
    const second = { ...call, id: "fc_2", call_id: "call_2" };
    const reply = folded([CREATED, ...item(0, call), ...item(1, second), ended([call, second])]);
    expect(reply?.parts).toMatchObject([{ id: "call_1" }, { id: "call_2" }]);
    expect(reply?.stop.reason).toBe("tool-calls");
  });

  test("[P2] [P4] gets its own arguments where several are written at once", () => {
    const added = [0, 1].map(index => ({
      type: "response.output_item.added",
      output_index: index,
      item: { ...call, id: `fc_${index}`, call_id: `call_${index}`, arguments: "" },
    }));
    const mixed = [argument(0, '{"a"'), argument(1, '{"b"'), argument(0, ":0}"), argument(1, ":1}")];
    const parts = folded([CREATED, ...added, ...mixed, ended([])])?.parts;
    expect(parts).toMatchObject([{ input: '{"a":0}' }, { input: '{"b":1}' }]);
  });

  test("[P4] is told from the next even where all stand at one place", () => {
    const events = ["one", "two"].flatMap(name => [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...call, id: name, call_id: `call_${name}`, arguments: "" },
      },
      {
        type: "response.function_call_arguments.delta",
        output_index: 0,
        item_id: name,
        delta: `{"${name}":1}`,
      },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { ...call, id: name, call_id: `call_${name}`, arguments: `{"${name}":1}` },
      },
    ]);
    expect(folded([CREATED, ...events, ended([])])?.parts).toMatchObject([
      { id: "call_one", input: '{"one":1}' },
      { id: "call_two", input: '{"two":1}' },
    ]);
  });

  test("[P6] may have its arguments only at its end, or only at the end of all", () => {
    const none = { ...call, arguments: "" };
    const done = {
      type: "response.function_call_arguments.done",
      output_index: 0,
      item_id: "fc_1",
      arguments: "{}",
    };
    const [added] = item(0, none);
    if (added === undefined) throw new Error("no item");
    for (const events of [
      [CREATED, added, { ...done, arguments: call.arguments }, ended([])],
      [CREATED, ...item(0, call), ended([])],
      [CREATED, added, ended([call])],
      [CREATED, ended([call])],
    ])
      expect(folded(events)?.parts).toMatchObject([{ id: "call_1", name: "find", input: '{"a":1}' }]);
  });

  test("[P7] without arguments has an empty object of them", () => {
    const none = { ...call, arguments: "" };
    const events = told([CREATED, ...item(0, none), ended([none])]);
    expect(events.slice(1, 4)).toMatchObject([
      { kind: "part-start" },
      { kind: "part-delta", text: "{}" },
      { kind: "part-end" },
    ]);
  });

  test("is one although its ids change, or its last mention has another type", () => {
    const [added] = item(0, { ...call, id: "one", arguments: "" });
    const [, done] = item(0, { ...call, id: "two" });
    if (added === undefined || done === undefined) throw new Error("no item");
    const custom = { type: "custom_tool_call", call_id: "call_1", name: "find" };
    for (const output of [[], [{ ...call, id: "three" }], [custom]])
      expect(folded([CREATED, added, done, ended(output)])?.parts).toMatchObject([{ input: '{"a":1}' }]);
  });

  test("that has no name yet waits for it", () => {
    const [added] = item(0, { ...call, name: undefined, arguments: "" });
    const [, done] = item(0, call);
    if (added === undefined || done === undefined) throw new Error("no item");
    const events = told([CREATED, added, { ...argument(0, '{"a"'), item_id: "fc_1" }, done, ended([])]);
    expect(events.filter(event => event.kind === "part-delta")).toEqual([
      { kind: "part-delta", index: 0, text: '{"a":1}' },
    ]);
  });

  test("of a custom tool has its input as it comes", () => {
    const custom = {
      id: "ctc_1",
      type: "custom_tool_call",
      call_id: "call_1",
      name: "patch",
      input: "*** Begin",
    };
    const piece = {
      type: "response.custom_tool_call_input.delta",
      output_index: 0,
      item_id: "ctc_1",
      delta: "*** ",
    };
    const [added, done] = item(0, custom);
    if (added === undefined || done === undefined) throw new Error("no item");
    expect(told([CREATED, added, piece, done, ended([custom])]).slice(1, 4)).toEqual([
      {
        kind: "part-start",
        index: 0,
        part: { kind: "tool-call", id: "call_1", name: "patch", tool: "custom", namespace: null },
      },
      { kind: "part-delta", index: 0, text: "*** " },
      { kind: "part-delta", index: 0, text: "Begin" },
    ]);
  });
});
