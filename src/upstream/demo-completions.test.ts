import { describe, expect, test } from "bun:test";
import { hearAt } from "./demo.case.ts";
import { demoTokens } from "./demo-text.ts";

type Chunk = { choices: { text: string; finish_reason: string | null }[]; usage?: object | null };

const complete = async (ask: object, model = "demo") => {
  const heard = await hearAt("completions", { ask: { prompt: "Hello there", ...ask }, model });
  return { status: heard.status, body: JSON.parse(heard.text) };
};

test("a whole answer has the shape of OpenAI's", async () => {
  const { body } = await complete({});
  expect(body).toEqual({
    id: expect.stringMatching(/^cmpl-[0-9a-f]{24}$/),
    object: "text_completion",
    created: 1_760_000_000,
    model: "demo",
    choices: [
      { text: expect.stringContaining("Hello there"), index: 0, logprobs: null, finish_reason: "stop" },
    ],
    usage: {
      prompt_tokens: 2,
      completion_tokens: demoTokens(body.choices[0].text).length,
      total_tokens: 2 + demoTokens(body.choices[0].text).length,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  });
});

test.each([{}, { max_tokens: 4 }, { stop: "demo" }])(
  "a stream folds to the whole answer: %j",
  async extra => {
    const { body } = await complete(extra);
    const ask = { prompt: ["Hello there"], ...extra, stream: true, stream_options: { include_usage: true } };
    const { reads } = await hearAt("completions", { ask });
    expect(reads.pop()).toBe("data: [DONE]\n\n");
    const chunks: Chunk[] = reads.map(read => JSON.parse(read.slice("data: ".length)));
    const choices = chunks.flatMap(chunk => chunk.choices);
    expect(choices.map(choice => choice.text).join("")).toBe(body.choices[0].text);
    expect(choices.at(-1)?.finish_reason).toBe(body.choices[0].finish_reason);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: body.usage });
  },
);

test("it neither thinks nor calls, and a refusal is a filter's", async () => {
  const tools = [{ type: "function", function: { name: "clock" } }];
  const { body } = await complete({ prompt: "clock", tools, reasoning_effort: "high" }, "demo-think");
  expect(body.choices[0].text).toStartWith("Hello!");
  expect((await complete({}, "demo-refuse")).body.choices[0].finish_reason).toBe("content_filter");
});

describe("bad requests", () => {
  test.each<[string, object]>([
    ["prompt", { prompt: undefined }],
    ["prompt", { prompt: ["a", "b"] }],
    ["prompt", { prompt: [1, 2] }],
    ["n", { n: 2 }],
    ["max_tokens", { max_tokens: 0 }],
  ])("%s", async (param, ask) => {
    const { status, body } = await complete(ask);
    expect(status).toBe(400);
    expect(body.error.param).toBe(param);
  });
});
