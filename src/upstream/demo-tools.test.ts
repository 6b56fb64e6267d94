import { describe, expect, test } from "bun:test";
import { chunksOf, complete, fold } from "./demo.case.ts";
import { demoTokens } from "./demo-text.ts";

const WEATHER = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { enum: ["celsius", "kelvin"] },
        days: { type: "integer" },
      },
      required: ["city", "unit"],
    },
  },
};
const CLOCK_TOOL = { type: "function", function: { name: "clock" } };
const tools = [WEATHER, CLOCK_TOOL];

const said = (content: string) => [{ role: "user", content }];
const names = async (ask: { [field: string]: unknown }) =>
  (await complete({ tools, ...ask })).choices[0].message.tool_calls?.map(call => call.function.name) ?? [];

test("a call has the shape of OpenAI's", async () => {
  const { choices, usage } = await complete({ messages: said("Hello"), tools, tool_choice: "required" });
  expect(choices[0]).toEqual({
    index: 0,
    message: {
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [
        {
          id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
          type: "function",
          function: { name: "get_weather", arguments: '{"city":"demo","unit":"celsius"}' },
        },
      ],
    },
    logprobs: null,
    finish_reason: "tool_calls",
  });
  expect(usage?.completion_tokens).toBe(1 + demoTokens('{"city":"demo","unit":"celsius"}').length);
});

describe("which tools are called", () => {
  test("required: the first, or those the message names", async () => {
    expect(await names({ messages: said("Hello"), tool_choice: "required" })).toEqual(["get_weather"]);
    expect(await names({ messages: said("The clock?"), tool_choice: "required" })).toEqual(["clock"]);
  });

  test("a named function", async () => {
    const tool_choice = { type: "function", function: { name: "clock" } };
    expect(await names({ messages: said("get_weather"), tool_choice })).toEqual(["clock"]);
  });

  test("auto: those the last user message names, as words, in any case", async () => {
    expect(await names({ messages: said("Please GET_WEATHER.") })).toEqual(["get_weather"]);
    expect(await names({ messages: said("Use clock and get_weather"), tool_choice: "auto" })).toEqual([
      "get_weather",
      "clock",
    ]);
    expect(await names({ messages: said("clockwork, o'clock_, forget_weather") })).toEqual([]);
    expect(await names({ messages: [...said("clock"), ...said("never mind")] })).toEqual([]);
  });

  test("none: never", async () => {
    expect(await names({ messages: said("clock"), tool_choice: "none" })).toEqual([]);
  });

  test("a tool that is not a function is passed over", async () => {
    expect(
      await names({ messages: said("clock"), tools: [{ type: "custom", custom: { name: "clock" } }] }),
    ).toEqual([]);
  });
});

test("a tool's result is answered with text that quotes it", async () => {
  const call = { id: "call_1", type: "function", function: { name: "clock", arguments: "{}" } };
  const messages = [
    ...said("clock"),
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "Half past nine" },
  ];
  const { choices } = await complete({ messages, tools });
  expect(choices[0].finish_reason).toBe("stop");
  expect(choices[0].message.content).toContain('The tool returned: "Half past nine"');
});

test.each([
  ["one call", said("clock"), {}],
  ["several calls", said("clock get_weather"), {}],
  ["cut within the arguments", said("get_weather"), { max_tokens: 4 }],
  ["cut within the second call", said("clock get_weather"), { max_tokens: 15 }],
])("a stream of calls folds to the whole answer: %s", async (_, messages, extra) => {
  const ask = { messages, tools, ...extra };
  const whole = await complete(ask);
  const chunks = await chunksOf({ ...ask, stream_options: { include_usage: true } });
  const folded = fold(chunks);
  expect(folded.message).toEqual(whole.choices[0].message);
  expect(folded.finish).toBe(whole.choices[0].finish_reason);
  expect(folded.finish).toBe("max_tokens" in extra ? "length" : "tool_calls");
  expect(folded.usage).toEqual(whole.usage ?? null);
  expect(chunks.filter(chunk => chunk.choices[0]?.delta.tool_calls).length).toBe(
    folded.usage?.completion_tokens ?? 0,
  );
});

test("the ids of two calls differ", async () => {
  const { choices } = await complete({ messages: said("clock get_weather"), tools });
  const ids = choices[0].message.tool_calls?.map(call => call.id);
  expect(new Set(ids).size).toBe(2);
});
