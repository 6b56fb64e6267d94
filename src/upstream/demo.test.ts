import { describe, expect, test } from "bun:test";
import { CLOCK, chunksOf, complete, fold, HELLO, hear, parseChunks, refused } from "./demo.case.ts";
import { demoExchange } from "./demo.ts";
import { demoTokens } from "./demo-text.ts";

describe("a whole answer", () => {
  test("has the shape of OpenAI's", async () => {
    const heard = await hear({ messages: HELLO });
    expect(heard.status).toBe(200);
    expect(heard.contentType).toBe("application/json");
    expect(heard.failure).toBeNull();
    const content = expect.stringContaining("What is a wicket gate?");
    expect(JSON.parse(heard.text)).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
      object: "chat.completion",
      created: 1_760_000_000,
      model: "demo",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content, refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: expect.any(Number),
        total_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      system_fingerprint: "fp_wicketgate_demo",
    });
  });

  test("says what it is, and how to replace it", async () => {
    const { choices } = await complete({ messages: HELLO });
    expect(choices[0].message.content).toContain("built-in demo model of Wicketgate");
    expect(choices[0].message.content).toContain("connect an upstream");
  });

  test("reads content parts, and quotes no more than the beginning of a long message", async () => {
    const parts = [
      { type: "image_url", image_url: { url: "https://example.com/" } },
      { type: "text", text: "😀".repeat(99) },
    ];
    const { choices } = await complete({ messages: [{ role: "user", content: parts }] });
    expect(choices[0].message.content).toContain(`"${"😀".repeat(60)}…"`);
  });

  test("survives any text", async () => {
    for (const text of [
      "",
      "   ",
      '"\\\n\u0000\u2028',
      "\ud800 lone",
      "漢字かな交じり文".repeat(20),
      "a".repeat(5_000),
    ]) {
      const ask = { messages: [{ role: "user", content: text }] };
      const whole = await complete(ask);
      expect(fold(await chunksOf(ask)).message).toEqual(whole.choices[0].message);
    }
  });
});

describe("a streamed answer", () => {
  test("is one chunk a read: role, tokens, finish, usage, done", async () => {
    const heard = await hear({ messages: HELLO, stream: true, stream_options: { include_usage: true } });
    expect(heard.contentType).toBe("text/event-stream");
    expect(heard.reads.every(read => /^data: .*\n\n$/.test(read))).toBe(true);
    expect(heard.reads.at(-1)).toBe("data: [DONE]\n\n");
    const chunks = parseChunks(heard.reads);
    const [first, ...rest] = chunks;
    expect(first?.choices[0]?.delta).toEqual({ role: "assistant", content: "", refusal: null });
    const [usage, finish] = [rest.pop(), rest.pop()];
    expect(usage?.choices).toEqual([]);
    expect(usage?.usage?.completion_tokens).toBe(rest.length);
    expect(finish?.choices).toMatchObject([{ delta: {}, finish_reason: "stop" }]);
    expect(chunks.slice(0, -1).every(chunk => chunk.usage === null)).toBe(true);
    expect(new Set(chunks.map(chunk => chunk.id)).size).toBe(1);
  });

  test("has no usage at all unless asked", async () => {
    const chunks = await chunksOf({ messages: HELLO });
    expect(chunks.some(chunk => "usage" in chunk)).toBe(false);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  });

  test.each([
    ["plain", {}],
    ["cut by max_tokens", { max_tokens: 7 }],
    ["cut by stop", { stop: "demo" }],
    ["as JSON", { response_format: { type: "json_object" } }],
  ])("folds to the whole answer: %s", async (_, extra) => {
    const ask = { messages: HELLO, ...extra };
    const whole = await complete(ask);
    const folded = fold(await chunksOf({ ...ask, stream_options: { include_usage: true } }));
    expect(folded.message).toEqual(whole.choices[0].message);
    expect(folded.finish).toBe(whole.choices[0].finish_reason);
    expect(folded.usage).toEqual(whole.usage ?? null);
  });
});

test("the same request at the same time gives the same bytes; another time, another id", async () => {
  for (const stream of [false, true]) {
    const ask = { messages: HELLO, stream };
    expect((await hear(ask)).reads).toEqual((await hear(ask)).reads);
  }
  const later = await demoExchange(
    { body: new TextEncoder().encode(JSON.stringify({ messages: HELLO })), model: "demo" },
    { nowMs: () => CLOCK.nowMs() + 1 },
  ).answer;
  const { promise, resolve } = Promise.withResolvers<string>();
  later.read({ onBytes: bytes => resolve(new TextDecoder().decode(bytes)), onEnd() {}, onFailure() {} });
  expect(JSON.parse(await promise).id).not.toBe((await complete({ messages: HELLO })).id);
});

describe("token counts", () => {
  test("the tokens of what was said are the tokens reported", async () => {
    for (const extra of [{}, { max_tokens: 9 }, { stop: ["so", "repeat"] }, { demo: { tokens: 300 } }]) {
      const { choices, usage } = await complete({ messages: HELLO, ...extra });
      expect(demoTokens(choices[0].message.content ?? "").length).toBe(usage?.completion_tokens ?? -1);
      expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    }
  });

  test("the prompt is all message text, and four for each message", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hello there" }] },
      { role: "assistant", content: null, tool_calls: [{ function: { name: "go", arguments: "{}" } }] },
    ];
    const { usage } = await complete({ messages });
    expect(usage?.prompt_tokens).toBe(3 + 2 + (1 + 2) + 3 * 4);
  });
});

describe("limits", () => {
  test.each(["max_tokens", "max_completion_tokens"])("%s cuts with finish_reason length", async field => {
    const { choices, usage } = await complete({ messages: HELLO, [field]: 3 });
    expect(choices[0].message.content).toBe("Hello! You");
    expect(choices[0].finish_reason).toBe("length");
    expect(usage?.completion_tokens).toBe(3);
  });

  test("a limit of exactly the answer's length cuts nothing", async () => {
    const { usage } = await complete({ messages: HELLO });
    const { choices } = await complete({ messages: HELLO, max_tokens: usage?.completion_tokens });
    expect(choices[0].finish_reason).toBe("stop");
  });

  test.each([
    ["You said", "Hello! "],
    [["never", "lo! Y"], "Hel"],
    [["!"], "Hello"],
    ["Hello", ""],
  ])("stop %j leaves %j", async (stop, content) => {
    const { choices } = await complete({ messages: HELLO, stop });
    expect(choices[0].message.content).toBe(content);
    expect(choices[0].finish_reason).toBe("stop");
  });
});

describe("JSON answers", () => {
  test("json_object", async () => {
    const { choices } = await complete({ messages: HELLO, response_format: { type: "json_object" } });
    expect(JSON.parse(choices[0].message.content ?? "")).toEqual({
      answer: expect.stringContaining("wicket"),
    });
  });

  test("json_schema", async () => {
    const schema = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] };
    const response_format = { type: "json_schema", json_schema: { name: "person", schema } };
    const { choices } = await complete({ messages: HELLO, response_format });
    expect(choices[0].message.content).toBe('{"age":1}');
  });
});

describe("bad requests are answered 400 and name the field", () => {
  test.each(["", "{", "[]", "null", "\u0000"])("body %j", async body => {
    expect(await refused(body)).toEqual({
      message: expect.any(String),
      type: "invalid_request_error",
      param: null,
      code: null,
    });
  });

  test("hostile shapes are answered too", async () => {
    const trap = { toString: 1, valueOf: 1 };
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const call = { function: { name: trap, arguments: trap } };
    const tool = {
      type: "function",
      function: { name: "f", parameters: { required: ["it"], properties: { it: "DEEP" } } },
    };
    const traps = {
      type: "object",
      required: ["it"],
      properties: { it: { type: trap, format: trap, minLength: trap } },
    };
    const bodies = [
      JSON.stringify({ messages: [{ role: "assistant", content: [trap], tool_calls: [call] }] }),
      JSON.stringify({ messages: HELLO, tools: [tool], tool_choice: "required" }).replace(
        '"DEEP"',
        `{"const":${deep}}`,
      ),
      JSON.stringify({
        messages: HELLO,
        response_format: { type: "json_schema", json_schema: { schema: traps } },
      }),
    ];
    for (const body of bodies) expect(JSON.parse((await hear(body)).text).object).toBe("chat.completion");
  });

  test.each([
    ["messages", { messages: undefined }],
    ["messages", { messages: [] }],
    ["messages[0].role", { messages: [null] }],
    ["messages[1].role", { messages: [...HELLO, { role: "robot" }] }],
    ["messages[0].content", { messages: [{ role: "user", content: 5 }] }],
    ["n", { n: 2 }],
    ["max_tokens", { max_tokens: 0 }],
    ["max_completion_tokens", { max_completion_tokens: "9" }],
    ["stop", { stop: [1] }],
    ["stop", { stop: ["a", "b", "c", "d", "e"] }],
    ["stream", { stream: "yes" }],
    ["stream_options", { stream_options: 1 }],
    ["response_format", { response_format: { type: "yaml" } }],
    ["tools", { tools: {} }],
    ["tools[0].function.name", { tools: [{ type: "function" }] }],
    ["tool_choice", { tool_choice: "required" }],
    ["tool_choice", { tool_choice: { type: "function", function: { name: "missing" } } }],
  ])("%s", async (param, extra) => {
    expect((await refused({ messages: HELLO, ...extra })).param).toBe(param);
  });
});
