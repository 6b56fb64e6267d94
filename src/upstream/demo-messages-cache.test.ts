import { describe, expect, test } from "bun:test";
import { HELLO, message, messageEvents, refusedMessage } from "./demo-messages.case.ts";

const mark = (ttl?: string) => ({ cache_control: { type: "ephemeral", ...(ttl && { ttl }) } });
const text = (words: string, marked: object = {}) => ({ type: "text", text: words, ...marked });
const said = (...content: object[]) => [{ role: "user", content }];
const usageOf = async (ask: { [field: string]: unknown }, model = "demo") => {
  const { usage } = await message(ask, model);
  const { input_tokens: fresh, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
  return { fresh, written, read, ...usage.cache_creation };
};

describe("tokens up to the last mark", () => {
  test("are written the first time, and the rest is input", async () => {
    expect(await usageOf({ system: [text("one two", mark())], messages: said(text("three")) })).toEqual({
      fresh: 4 + 1,
      written: 4 + 2,
      read: 0,
      ephemeral_5m_input_tokens: 4 + 2,
      ephemeral_1h_input_tokens: 0,
    });
  });

  test.each([
    ["by the setting", { demo: { cached: true } }, "demo"],
    ["by the model's name", {}, "demo-cached"],
  ])("are read when they are known: %s", async (_, extra, model) => {
    const ask = { system: [text("one two", mark("1h"))], messages: said(text("three")), ...extra };
    expect(await usageOf(ask, model)).toMatchObject({ fresh: 5, written: 0, read: 6 });
  });

  test("count tools and messages, and tell an hour from five minutes", async () => {
    const tools = [{ name: "clock", input_schema: { type: "object" }, ...mark("1h") }];
    const ask = { tools, messages: said(text("one two"), text("three", mark("5m")), text("four five")) };
    const toolTokens = (await usageOf({ tools })).ephemeral_1h_input_tokens ?? 0;
    expect(toolTokens).toBeGreaterThan(4);
    expect(await usageOf(ask)).toEqual({
      fresh: 2,
      written: toolTokens + 4 + 3,
      read: 0,
      ephemeral_1h_input_tokens: toolTokens,
      ephemeral_5m_input_tokens: 4 + 3,
    });
  });

  test("may end at a tool's result, and at the end of all", async () => {
    const call = { type: "tool_use", id: "a", name: "clock", input: {} };
    const result = { type: "tool_result", tool_use_id: "a", content: "nine", ...mark() };
    const messages = [...HELLO, { role: "assistant", content: [call] }, { role: "user", content: [result] }];
    expect(await usageOf({ messages })).toMatchObject({ fresh: 0, written: 10 + 4 + 3 + 4 + 1 });
    expect(await usageOf({ ...mark() })).toMatchObject({ fresh: 0, written: 10 });
  });

  test("are nothing without a mark, whatever is known", async () => {
    expect(await usageOf({}, "demo-cached")).toMatchObject({ fresh: 10, written: 0, read: 0 });
    const none = { system: [text("one", { cache_control: null })] };
    expect(await usageOf(none)).toMatchObject({ fresh: 15, written: 0 });
  });

  test("are told at both ends of a stream, with their kinds at its beginning", async () => {
    const events = await messageEvents({ system: [text("one two", mark("1h"))] });
    const told = { input_tokens: 10, cache_creation_input_tokens: 6, cache_read_input_tokens: 0 };
    expect(events[0]?.message?.usage).toMatchObject({
      ...told,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 6 },
    });
    expect(events.at(-2)?.usage).toMatchObject(told);
  });
});

test.each<[string, { [field: string]: unknown }]>([
  ["system.0.cache_control.type", { system: [text("x", { cache_control: {} })] }],
  ["system.0.cache_control.ttl", { system: [text("x", mark("2h"))] }],
  ["messages.0.content.4.cache_control", { messages: said(...Array(5).fill(text("x", mark()))) }],
  ["messages.0.content.1.cache_control.ttl", { messages: said(text("x", mark()), text("y", mark("1h"))) }],
])("a wrong mark is refused: %s", async (path, ask) => {
  expect(await refusedMessage(ask)).toStartWith(`${path}: `);
});
