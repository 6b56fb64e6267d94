import { describe, expect, test } from "bun:test";
import { complete, exchange, HELLO, hear, parseChunks, refused } from "./demo.case.ts";
import { demoTokens } from "./demo-text.ts";

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

describe.each([
  ["by the model name", (name: string, _: object) => ({ model: name, demo: undefined })],
  ["by the body", (_: string, demo: object) => ({ model: "demo", demo })],
] as const)("%s", (_, set) => {
  test("tokens: the answer has that many", async () => {
    for (const tokens of [0, 1, 5_000]) {
      const { model, demo } = set(`demo-tokens-${tokens}`, { tokens });
      const { choices, usage } = await complete({ messages: HELLO, demo }, model);
      expect(demoTokens(choices[0].message.content ?? "").length).toBe(tokens);
      expect(usage?.completion_tokens).toBe(tokens);
      expect(choices[0].finish_reason).toBe("stop");
    }
  });

  test("delay: each token waits", async () => {
    const { model, demo } = set("demo-delay-10-tokens-5", { delay_ms: 10, tokens: 5 });
    expect(await elapsed(() => hear({ messages: HELLO, demo, stream: true }, model))).toBeGreaterThanOrEqual(
      45,
    );
    expect(await elapsed(() => hear({ messages: HELLO, demo }, model))).toBeGreaterThanOrEqual(45);
  });

  test("first: the head waits", async () => {
    const { model, demo } = set("demo-first-40", { first_ms: 40 });
    expect(await elapsed(() => exchange({ messages: HELLO, demo }, model).answer)).toBeGreaterThanOrEqual(35);
  });

  test("fail: that status, with an error body", async () => {
    const { model, demo } = set("demo-fail-503", { fail_status: 503 });
    const heard = await hear({ messages: HELLO, demo, stream: true }, model);
    expect(heard.status).toBe(503);
    expect(heard.contentType).toBe("application/json");
    expect(JSON.parse(heard.text).error).toMatchObject({
      type: "server_error",
      param: null,
      code: "demo_failure",
    });
  });

  test.each([0, 5])("cut: the stream breaks after %d tokens", async count => {
    const { model, demo } = set(`demo-cut-${count}`, { cut_after: count });
    const heard = await hear({ messages: HELLO, demo, stream: true }, model);
    expect(heard.failure?.kind).toBe("cut");
    expect(heard.status).toBe(200);
    expect(parseChunks(heard.reads).length).toBe(1 + count);
    const whole = await hear({ messages: HELLO, demo }, model);
    expect(whole.failure?.kind).toBe("cut");
    expect(() => JSON.parse(whole.text)).toThrow();
  });

  test("cut: the last token is not the end either, and one more is never reached", async () => {
    const at = set("demo-tokens-3-cut-3", { tokens: 3, cut_after: 3 });
    expect((await hear({ messages: HELLO, demo: at.demo }, at.model)).failure?.kind).toBe("cut");
    const past = set("demo-tokens-3-cut-4", { tokens: 3, cut_after: 4 });
    expect((await hear({ messages: HELLO, demo: past.demo }, past.model)).failure).toBeNull();
  });

  test("no usage: none in either form", async () => {
    const { model, demo } = set("demo-nousage", { usage: "none" });
    expect((await complete({ messages: HELLO, demo }, model)).usage).toBeUndefined();
    const streamed = await hear(
      { messages: HELLO, demo, stream: true, stream_options: { include_usage: true } },
      model,
    );
    expect(streamed.text).not.toContain('"usage"');
    expect(streamed.reads.at(-1)).toBe("data: [DONE]\n\n");
  });
});

test("usage can lie", async () => {
  const usage = async (kind: string) => (await complete({ messages: HELLO, demo: { usage: kind } }))?.usage;
  const honest = await complete({ messages: HELLO });
  const spoken = demoTokens(honest.choices[0].message.content ?? "").length;
  expect((await usage("negative"))?.completion_tokens).toBe(-spoken);
  expect((await usage("huge"))?.completion_tokens).toBe(1e15);
  expect((await usage("text"))?.completion_tokens as unknown).toBe(String(spoken));
});

test("the body wins over the model name, and null is no setting", async () => {
  const both = await complete({ messages: HELLO, demo: { tokens: 2 } }, "demo-tokens-9");
  expect(both.usage?.completion_tokens).toBe(2);
  const none = await complete({ messages: HELLO, demo: null }, "demo-tokens-9");
  expect(none.usage?.completion_tokens).toBe(9);
});

test("words that are no setting are part of the name", async () => {
  const { model, usage } = await complete({ messages: HELLO }, "demo-large-tokens-4-v2");
  expect(model).toBe("demo-large-tokens-4-v2");
  expect(usage?.completion_tokens).toBe(4);
});

test("a failure asked for by name needs no readable body", async () => {
  expect((await hear("{", "demo-fail-429")).status).toBe(429);
});

describe("bad settings are answered 400 and name the field", () => {
  test.each([
    ["demo", 5],
    ["demo", []],
    ["demo.speed", { speed: 1 }],
    ["demo.delay_ms", { delay_ms: -1 }],
    ["demo.delay_ms", { delay_ms: 60_001 }],
    ["demo.delay_ms", { delay_ms: "20" }],
    ["demo.first_ms", { first_ms: 1.5 }],
    ["demo.tokens", { tokens: 1_000_001 }],
    ["demo.fail_status", { fail_status: 200 }],
    ["demo.cut_after", { cut_after: null }],
    ["demo.usage", { usage: "honest" }],
    ["demo.__proto__", JSON.parse('{"__proto__":1}')],
  ])("%s %j", async (param, demo) => {
    const error = await refused({ messages: HELLO, demo });
    expect(error.param).toBe(param);
    expect(error.message).toContain(param);
  });

  test.each([
    "demo-delay",
    "demo-delay-x",
    "demo-tokens-1000001",
    "demo-fail-200",
    "demo-cut--5",
    "demo-first-1e3",
  ])("%s", async model => {
    expect((await refused({ messages: HELLO }, model)).param).toBe("model");
  });
});
