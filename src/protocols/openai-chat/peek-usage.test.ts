import { describe, expect, test } from "bun:test";
import { peekChatUsage } from "./peek-usage.ts";

const usage = { prompt_tokens: 12, completion_tokens: 8, prompt_tokens_details: { cached_tokens: 2 } };
const answer = (extra: Record<string, unknown> = {}, content = "Hello") => ({
  id: "chatcmpl-1",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage,
  ...extra,
});
const peek = (value: unknown) => peekChatUsage(Buffer.from(JSON.stringify(value)));

describe("a plain answer", () => {
  test("gives its usage, apart from what was cached", () => {
    expect(peek(answer())).toMatchObject({ input: 10, cacheRead: 2, output: 8 });
  });

  test("may speak of usage, errors and braces in its text", () => {
    const content = 'she said "usage":{"prompt_tokens":999} and {"error":"}}{{"} \\';
    expect(peek(answer({}, content))).toMatchObject({ input: 10, output: 8 });
  });
});

describe("everything unusual is left to the parser:", () => {
  const unusual: [string, unknown][] = [
    ["an error beside it", answer({ error: { message: "no" } })],
    ["usage named twice", answer({ more: { usage: { prompt_tokens: 1 } } })],
    ["usage that is null", answer({ usage: null })],
    ["usage that cannot be believed", answer({ usage: { prompt_tokens: -1, completion_tokens: 1 } })],
    ["no choices", { usage }],
    ["no usage", { choices: [] }],
    ["a list", [answer()]],
  ];
  test.each(unusual)("%s", (_name, value) => {
    expect(peek(value)).toBeNull();
  });

  test.each([
    "",
    "{",
    "<html>",
    '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1',
    '{"choices":"usage"}',
  ])("%p", text => {
    expect(peekChatUsage(Buffer.from(text))).toBeNull();
  });
});
