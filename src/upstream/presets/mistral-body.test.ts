import { describe, expect, test } from "bun:test";
import { mistralBody } from "./mistral-body.ts";

const written = (text: string) => Buffer.from(mistralBody(Buffer.from(text))).toString();

describe("a body for Mistral", () => {
  test("goes as it came where nothing in it would be refused", () => {
    const text =
      '{ "model":"m", "temperature": 0.70, "messages":[{"role":"assistant","tool_calls":[{"id":"abc123XYZ"}]},{"role":"tool","tool_call_id":"abc123XYZ","content":"1"}] }';
    expect(written(text)).toBe(text);
  });

  test("has no stream_options, and every other value as it was sent", () => {
    const text =
      '{"model":"m","stream":true, "stream_options":{"include_usage":true},"temperature":1.0,"messages":[]}';
    expect(written(text)).toBe('{"model":"m","stream":true,"temperature":1.0,"messages":[]}');
  });

  test("has the older name of the limit", () => {
    expect(written('{"max_completion_tokens":7,"messages":[]}')).toBe('{"max_tokens":7,"messages":[]}');
    expect(written('{"max_completion_tokens":7,"max_tokens":7}')).toBe('{"max_tokens":7}');
    expect(written('{"max_completion_tokens":null,"max_tokens":9}')).toBe('{"max_tokens":9}');
  });

  test("has the seed under its own name, and no user", () => {
    expect(written('{"seed":5,"user":"u","messages":[]}')).toBe('{"random_seed":5,"messages":[]}');
  });

  test("has developers speak as the system", () => {
    expect(written('{"messages":[{"role":"developer","content":"x"}]}')).toBe(
      '{"messages":[{"role":"system","content":"x"}]}',
    );
  });

  test("has ids of nine letters and digits, the same for a call and its result", () => {
    const calls = ["call_a", "call_b"].map(id => ({ id, type: "function", function: { name: "f" } }));
    const messages = [
      { role: "assistant", tool_calls: calls },
      { role: "tool", tool_call_id: "call_b", content: "2" },
      { role: "tool", tool_call_id: "call_a", content: "1" },
    ];
    const { messages: found } = JSON.parse(written(JSON.stringify({ messages })));
    const [a, b] = found[0].tool_calls.map(({ id }: { id: string }) => id);
    expect(a).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(b).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(a).not.toBe(b);
    expect([found[1].tool_call_id, found[2].tool_call_id]).toEqual([b, a]);
  });

  test("that is no JSON is left to be refused", () => {
    for (const text of ["", "[1]", "{", "null"]) expect(written(text)).toBe(text);
  });
});
