import { describe, expect, test } from "bun:test";
import { chunksOf, complete, fold, HELLO, refused } from "./demo.case.ts";
import { demoTokens } from "./demo-text.ts";

/** What the chat dialect has of thoughts, refusals, media and caches. */

const tools = [
  { type: "function", function: { name: "clock" } },
  { type: "function", function: { name: "compass" } },
];

describe("thoughts", () => {
  test.each([
    ["as asked", { reasoning_effort: "low" }, "demo"],
    ["by the setting", { demo: { thinking: true } }, "demo"],
    ["by the model's name", {}, "demo-think"],
  ])("%s: they come first, and count", async (_, extra, model) => {
    const { choices, usage } = await complete({ messages: HELLO, ...extra }, model);
    const { reasoning_content: thought = "", content } = choices[0].message;
    expect(thought).toContain("I should");
    expect(content).toContain("wicket gate");
    const tokens = demoTokens(thought).length;
    expect(usage?.completion_tokens_details).toEqual({ reasoning_tokens: tokens });
    expect(usage?.completion_tokens).toBe(tokens + demoTokens(content ?? "").length);
  });

  test("none, minimal and nothing at all: there are none", async () => {
    for (const reasoning_effort of ["none", "minimal", null, undefined]) {
      const { choices } = await complete({ messages: HELLO, reasoning_effort });
      expect(choices[0].message).not.toHaveProperty("reasoning_content");
    }
    expect((await refused({ messages: HELLO, reasoning_effort: "huge" })).param).toBe("reasoning_effort");
  });

  test.each([
    ["text", { reasoning_effort: "high" }],
    ["calls", { reasoning_effort: "high", tools, messages: [{ role: "user", content: "clock compass" }] }],
    ["cut inside", { reasoning_effort: "high", max_tokens: 3 }],
    ["cut inside, before calls", { reasoning_effort: "high", max_tokens: 3, tools, tool_choice: "required" }],
    ["hidden", { demo: { thinking: "redacted" } }],
    ["a refusal", { reasoning_effort: "high", demo: { refuse: true } }],
    ["a refusal never reached", { reasoning_effort: "high", demo: { refuse: true }, max_tokens: 3 }],
  ])("a stream folds to the whole answer: %s", async (_, extra) => {
    const ask = { messages: HELLO, ...extra };
    const whole = await complete(ask);
    const folded = fold(await chunksOf({ ...ask, stream_options: { include_usage: true } }));
    expect(folded.message).toEqual(whole.choices[0].message);
    expect(folded.finish).toBe(whole.choices[0].finish_reason);
    expect(folded.usage).toEqual(whole.usage ?? null);
  });

  test("that are hidden still count", async () => {
    const { choices, usage } = await complete({ messages: HELLO, demo: { thinking: "redacted" } });
    expect(choices[0].message).not.toHaveProperty("reasoning_content");
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
  });
});

test("a refusal stands in its own field", async () => {
  for (const [extra, model] of [
    [{ demo: { refuse: true } }, "demo"] as const,
    [{}, "demo-refuse"] as const,
  ]) {
    const { choices } = await complete({ messages: HELLO, tools, tool_choice: "required", ...extra }, model);
    expect(choices[0].message).toEqual({
      role: "assistant",
      content: null,
      refusal: expect.stringContaining("cannot help"),
    });
    expect(choices[0].finish_reason).toBe("stop");
  }
});

test("parallel_tool_calls false allows one call", async () => {
  const ask = { messages: [{ role: "user", content: "clock compass" }], tools, parallel_tool_calls: false };
  expect((await complete(ask)).choices[0].message.tool_calls).toHaveLength(1);
});

test("images, files and sounds: it says how many, and counts them", async () => {
  const content = [
    { type: "text", text: "Look" },
    { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
    { type: "file", file: { file_data: "AA" } },
    { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
  ];
  const { choices, usage } = await complete({ messages: [{ role: "user", content }] });
  expect(choices[0].message.content).toContain('"Look" and 1 image and 1 document and 1 sound.');
  expect(usage?.prompt_tokens).toBe(4 + 1 + 85 + 250 + 50);
});

test("cached tokens are told where the demo is set so", async () => {
  const { usage } = await complete({ messages: HELLO }, "demo-cached");
  expect(usage).toMatchObject({ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 9 } });
});

test("the results of several tools are all quoted", async () => {
  const calls = ["1", "2"].map(id => ({
    id,
    type: "function",
    function: { name: "clock", arguments: "{}" },
  }));
  const messages = [
    { role: "user", content: "clock" },
    { role: "assistant", content: null, tool_calls: calls },
    { role: "tool", tool_call_id: "1", content: "nine" },
    { role: "tool", tool_call_id: "2", content: "ten" },
    { role: "developer", content: "The clock is right" },
  ];
  const { choices } = await complete({ messages, tools });
  expect(choices[0].message.content).toContain('The tool returned: "nine". The tool returned: "ten".');
});

test("a tool's name has 64 characters at most", async () => {
  const named = (name: string) => ({ messages: HELLO, tools: [{ type: "function", function: { name } }] });
  expect((await complete(named("x".repeat(64)))).choices[0].finish_reason).toBe("stop");
  expect((await refused(named("x".repeat(65)))).param).toBe("tools[0].function.name");
});
