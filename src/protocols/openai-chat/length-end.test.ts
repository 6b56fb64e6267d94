import { describe, expect, test } from "bun:test";
import { chatLengthEnd, hasFinish, OpenChoices } from "./length-end.ts";

const head = Buffer.from('data: {"id":"chatcmpl-1","created":1700000000,"choices":[]}\n\n');

function events(end: string): unknown[] {
  const lines = end.split("\n\n").slice(0, -1);
  expect(lines.at(-1)).toBe("data: [DONE]");
  return lines.slice(0, -1).map(line => JSON.parse(line.slice(6)));
}

describe("the end of a stream at its length", () => {
  test("is one chunk for each choice that is open, with the stream's own id and time", () => {
    const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" };
    expect(events(chatLengthEnd({ head, model: "m", choices: [0, 2], usage: null }))).toEqual(
      [0, 2].map(index => {
        return { ...chunk, choices: [{ index, delta: {}, logprobs: null, finish_reason: "length" }] };
      }),
    );
  });

  test("has the usage for a client that asked for it, and an id where the stream had none", () => {
    const end = chatLengthEnd({ head: null, model: "m", choices: [], usage: { input: 3, output: 4 } });
    expect(events(end)).toMatchObject([
      {
        id: "chatcmpl-ended",
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      },
    ]);
  });
});

describe("which choices are open", () => {
  const event = (...choices: unknown[]) => Buffer.from(`data: ${JSON.stringify({ choices })}\n\n`);

  test("is read from the events that end one", () => {
    const open = new OpenChoices(3);
    expect(open.hasEnded).toBe(false);
    open.read(event({ index: 0, delta: { content: '"finish_reason":"stop"' }, finish_reason: null }));
    open.read(event({ index: 1, finish_reason: null }));
    expect([open.indexes, open.hasEnded]).toEqual([[0, 1, 2], false]);
    open.read(event({ index: 1, finish_reason: "stop" }));
    expect([open.indexes, open.hasEnded]).toEqual([[0, 2], true]);
    open.read(Buffer.from(event({ finish_reason: "length" }).toString().replaceAll("\n", "\r\n")));
    expect(open.indexes).toEqual([2]);
  });

  test("is all of them where an upstream writes an empty reason on each chunk", () => {
    const open = new OpenChoices(1);
    const empty = event({ index: 0, delta: { content: "a" }, finish_reason: "" });
    open.read(empty);
    expect([open.indexes, open.hasEnded, hasFinish(empty)]).toEqual([[0], false, false]);
  });

  test("does not break on what is no chunk", () => {
    const open = new OpenChoices(1);
    for (const text of [
      ": a comment\n\n",
      'data: {"finish_reason":"stop"\n\n',
      'data: {"finish_reason": "stop"}\n\n',
      'data: {"choices":[null,5,{"finish_reason":5}]}\n\n',
    ])
      open.read(Buffer.from(text));
    expect([open.indexes, open.hasEnded]).toEqual([[0], false]);
  });
});

test("only an event that names a reason may end a choice", () => {
  const has = (text: string) => hasFinish(Buffer.from(text));
  expect(has('{"finish_reason":null},{"finish_reason" : null}')).toBe(false);
  expect(has('{"content":"\\"finish_reason\\":\\"stop\\""}')).toBe(false);
  expect(has('{"finish_reason":null},{"finish_reason" : "stop"}')).toBe(true);
});
