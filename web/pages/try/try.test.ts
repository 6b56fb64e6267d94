import { describe, expect, test } from "bun:test";
import { createStreamReader, readWhole, refusalOf } from "./answer.ts";
import { bodyOf, curlOf, EMPTY, jsonProblem } from "./draft.ts";

const draft = { ...EMPTY, message: "Hello!", system: "Be brief.", maxTokens: "50", temperature: "0.5" };
const sent = (dialect: "chat" | "responses" | "messages", changed: Partial<typeof draft> = {}) =>
  JSON.parse(bodyOf({ draft: { ...draft, ...changed }, dialect, model: "m" }));

describe("the form as a request", () => {
  test("speaks each dialect", () => {
    expect(sent("chat")).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello!" },
      ],
      max_completion_tokens: 50,
      temperature: 0.5,
      stream: true,
    });
    expect(sent("responses")).toEqual({
      model: "m",
      instructions: "Be brief.",
      input: "Hello!",
      max_output_tokens: 50,
      temperature: 0.5,
      stream: true,
    });
    expect(sent("messages")).toEqual({
      model: "m",
      max_tokens: 50,
      system: "Be brief.",
      messages: [{ role: "user", content: "Hello!" }],
      temperature: 0.5,
      stream: true,
    });
  });

  test("leaves out what is empty, but for what messages-style requests must say", () => {
    const empty = { system: " ", maxTokens: "", temperature: "", stream: false };
    expect(Object.keys(sent("chat", empty))).toEqual(["model", "messages", "stream"]);
    expect(Object.keys(sent("responses", empty))).toEqual(["model", "input", "stream"]);
    expect(sent("messages", empty)["max_tokens"]).toBeGreaterThan(0);
  });

  test("can be typed instead, and is checked before it is sent", () => {
    expect(jsonProblem("{")).toBe("notJson");
    expect(jsonProblem("[1]")).toBe("notObject");
    expect(jsonProblem(`{"a":"${"x".repeat(60_000)}"}`)).toBe("tooLong");
    expect(jsonProblem('{"model":"m"}')).toBeNull();
  });

  test("for a terminal keeps an apostrophe whole and has no key in it", () => {
    const text = curlOf({ root: "http://127.0.0.1", dialect: "messages", body: `{"a":"it's"}` });
    expect(text).toContain(String.raw`it'\''s`);
    expect(text).toContain("http://127.0.0.1/v1/messages");
    expect(text).toContain("Bearer $WICKETGATE_KEY");
  });
});

const STREAMS = {
  chat: [
    { choices: [{ delta: { role: "assistant", reasoning_content: "hm" } }] },
    { choices: [{ delta: { content: "One " } }] },
    { choices: [{ delta: { content: "two" } }] },
    { choices: [], usage: {} },
  ],
  responses: [
    { type: "response.created" },
    { type: "response.reasoning_summary_text.delta", delta: "hm" },
    { type: "response.output_text.delta", delta: "One " },
    { type: "response.output_text.delta", delta: "two" },
    { type: "response.output_text.done", text: "One two" },
  ],
  messages: [
    { type: "message_start" },
    { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } },
    { type: "content_block_delta", delta: { type: "text_delta", text: "One " } },
    { type: "content_block_delta", delta: { type: "text_delta", text: "two" } },
    { type: "message_stop" },
  ],
} as const;

describe("an answer", () => {
  for (const dialect of ["chat", "responses", "messages"] as const) {
    test(`of ${dialect} is read wherever the network cuts it`, () => {
      const whole = `${STREAMS[dialect].map(event => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
      for (const size of [1, 7, 64, whole.length]) {
        const read = createStreamReader(dialect);
        let said = read("");
        for (let at = 0; at < whole.length; at += size) said = read(whole.slice(at, at + size));
        expect(said).toEqual({ text: "One two", thinking: "hm" });
      }
    });
  }

  test("that came whole is read in each dialect", () => {
    const read = (body: object, dialect: "chat" | "responses" | "messages") =>
      readWhole(JSON.stringify(body), dialect)?.text;
    expect(read({ choices: [{ message: { content: "Hi" } }] }, "chat")).toBe("Hi");
    expect(read({ output: [{ content: [{ type: "output_text", text: "Hi" }] }] }, "responses")).toBe("Hi");
    expect(read({ content: [{ type: "text", text: "Hi" }] }, "messages")).toBe("Hi");
    expect(readWhole("<html>", "chat")).toBeNull();
  });

  test("that is a refusal has its sentence", () => {
    expect(refusalOf('{"error":{"message":"No balance."}}')).toBe("No balance.");
    expect(refusalOf("nothing")).toBeNull();
  });
});
