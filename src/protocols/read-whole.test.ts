import { describe, expect, test } from "bun:test";
import type { Dialect } from "../domain/usage.ts";
import { readMessagesWhole } from "./anthropic-messages/read-whole.ts";
import { sampleText } from "./content-meter.ts";
import { readChatWhole } from "./openai-chat/read-whole.ts";
import { readResponsesWhole } from "./openai-responses/read-whole.ts";
import type { WholeAnswer } from "./protocol.ts";
import { NO_RECORDINGS, recordings } from "./tap.case.ts";

const READERS: Record<Dialect, (bytes: Buffer) => WholeAnswer | null> = {
  chat: readChatWhole,
  messages: readMessagesWhole,
  responses: readResponsesWhole,
};
const DIALECTS = ["chat", "messages", "responses"] as const;
const read = (dialect: Dialect, body: unknown) =>
  READERS[dialect](Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

function saidIn(answer: WholeAnswer | null) {
  const said = answer?.said();
  return { text: sampleText(said?.sample ?? new Uint8Array()), bytes: said?.bytes };
}

const choices = [{ index: 0, message: { role: "assistant", content: "Hi é" }, finish_reason: "stop" }];
const CHAT = { id: "c", choices, usage: { prompt_tokens: 12, completion_tokens: 7 } };
const MESSAGES = {
  type: "message",
  content: [
    { type: "thinking", thinking: "Hm. ", signature: "AAAA" },
    { type: "text", text: "Hi é" },
    { type: "tool_use", id: "t", name: "find", input: { a: 1 } },
    { type: "web_search_tool_result", content: [{ type: "text", text: "not said" }] },
  ],
  usage: { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 7 },
};
const RESPONSES = {
  status: "completed",
  error: null,
  output: [
    { type: "reasoning", summary: [{ type: "summary_text", text: "Hm. " }] },
    {
      type: "message",
      content: [
        { type: "output_text", text: "Hi é" },
        { type: "refusal", refusal: " No." },
      ],
    },
    { type: "function_call", name: "find", arguments: '{"a":1}' },
    { type: "custom_tool_call", name: "run", input: "ls" },
  ],
  usage: { input_tokens: 12, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7 },
};
const GOOD: Record<Dialect, Record<string, unknown>> = {
  chat: CHAT,
  messages: MESSAGES,
  responses: RESPONSES,
};

describe.each([...DIALECTS])("%s:", dialect => {
  test("[P31] a whole answer has the usage that its stream would have", () => {
    const input = dialect === "chat" ? { input: 12, cacheRead: 0 } : { input: 8, cacheRead: 4 };
    expect(read(dialect, GOOD[dialect])).toMatchObject({ usage: { ...input, output: 7 }, bad: false });
  });

  test.each([
    ["", "{", "<html>no</html>", "[]", '"text"', "5", "null", '{"a":1}}'],
    ['{"error":{"message":"no"}}', '{"error":"no"}', '{"error":{"message":"no"},"usage":{"input_tokens":1}}'],
  ])("[P48] what is no answer is none, whatever its status: %j", (...texts) => {
    for (const text of texts) expect(read(dialect, text)).toBeNull();
  });

  test("[P48] an error beside an answer is an error, and one that is null is none", () => {
    expect(read(dialect, { ...GOOD[dialect], error: { message: "no" } })).toBeNull();
    expect(read(dialect, { ...GOOD[dialect], error: null })).not.toBeNull();
  });

  test("[P32] usage that is missing is none, and that cannot be believed is bad", () => {
    for (const usage of [undefined, null, "none", 5])
      expect(read(dialect, { ...GOOD[dialect], usage })).toMatchObject({ usage: null, bad: false });
    for (const wrong of [-1, 1.5, 2 ** 53, "12"]) {
      const usage = { prompt_tokens: 1, completion_tokens: wrong, input_tokens: 1, output_tokens: wrong };
      expect(read(dialect, { ...GOOD[dialect], usage })).toMatchObject({ usage: null, bad: true });
    }
  });

  test("what was said is all of it, up to a mebibyte", () => {
    const { text, bytes } = saidIn(read(dialect, GOOD[dialect]));
    const escaped = Buffer.byteLength(JSON.stringify(text)) - 2;
    expect(bytes).toBe(escaped);
    if (dialect === "chat") expect(text).toBe("Hi é");
    if (dialect === "messages") expect(text).toBe('Hm. Hi é{"a":1}');
    if (dialect === "responses") expect(text).toBe('Hm. Hi é No.{"a":1}ls');
  });
});

test("[P48] an answer in the responses dialect that failed is none", () => {
  expect(read("responses", { ...RESPONSES, status: "failed" })).toBeNull();
  expect(read("responses", { ...RESPONSES, status: "incomplete" })).not.toBeNull();
});

test("an error of the messages dialect is none even without its field", () => {
  expect(read("messages", { type: "error" })).toBeNull();
});

test("more than a mebibyte is counted, and its beginning kept", () => {
  const text = "x".repeat(1_500_000);
  const said = read("messages", { content: [{ type: "text", text }] })?.said();
  expect([said?.bytes, said?.sample.length]).toEqual([1_500_000, 1_048_576]);
});

describe("recorded answers", () => {
  for (const dialect of DIALECTS) {
    const all = recordings(dialect, ".json").filter(({ name }) => !/embedding|image/.test(name));
    if (all.length === 0) test.skip(`${dialect}: ${NO_RECORDINGS}`, () => {});
    test.each(all)(`${dialect}: $name`, ({ text }) => {
      const answer = read(dialect, text);
      const { usage, error } = JSON.parse(text) as {
        usage?: { output_tokens?: number; completion_tokens?: number };
        error?: unknown;
      };
      if (error !== undefined && error !== null) expect(answer).toBeNull();
      else {
        expect(answer?.bad).toBe(false);
        expect(answer?.usage?.output).toBe(usage?.output_tokens ?? usage?.completion_tokens ?? 0);
        expect(saidIn(answer).bytes).toBeGreaterThanOrEqual(0);
      }
    });
  }
});
