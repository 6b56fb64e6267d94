import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readMessagesRequest } from "../anthropic-messages/read-request.ts";
import { readResponsesRequest } from "../openai-responses/read-request.ts";
import { chatProblem } from "./check-request.ts";
import { readChatRequest } from "./read-request.ts";

const HELLO = { role: "user", content: "hi" };
const GOOD = { model: "m", messages: [HELLO] };
const call = { id: "call_1", type: "function", function: { name: "find", arguments: "{}" } };
const custom = { id: "call_2", type: "custom", custom: { name: "run", input: "ls" } };
const calls = (...tool_calls: unknown[]) => ({ role: "assistant", content: null, tool_calls });
const answer = (tool_call_id: unknown) => ({ role: "tool", tool_call_id, content: "found" });
const talk = (...messages: unknown[]) => ({ ...GOOD, messages });
const tool = (name: string) => ({ type: "function", function: { name } });

describe("a problem names its field:", () => {
  const cases: readonly [string, object][] = [
    ["messages[1].role", talk(HELLO, { role: "robot", content: "hi" })],
    ["messages[0].role", talk({ content: "hi" })],
    ["messages[0].role", talk({ role: ["user"], content: "hi" })],
    ["messages[0].content", talk({ role: "user", content: 5 })],
    ["messages[0].content", talk({ role: "user", content: { text: "hi" } })],
    ["messages[0].content[0]", talk({ role: "user", content: ["hi"] })],
    [
      "messages[0].content[1].type",
      talk({ role: "user", content: [{ type: "text", text: "a" }, { text: "b" }] }),
    ],
    ["messages[0].content[0].type", talk({ role: "user", content: [{ type: "image" }] })],
    ["messages[0].content[0].type", talk({ role: "user", content: [{ type: null }] })],
    ["messages[1].tool_call_id", talk(HELLO, answer("call_1"))],
    ["messages[0].tool_call_id", talk(answer("call_1"), calls(call))],
    ["messages[1].tool_call_id", talk(calls(call), answer("call_9"))],
    ["messages[1].tool_call_id", talk(calls(call), answer(undefined))],
    ["messages[1].tool_call_id", talk(calls(call), answer(5))],
    ["messages[0].tool_calls", talk({ role: "assistant", tool_calls: {} })],
    ["messages[0].tool_calls[0]", talk(calls("find"))],
    ["messages[0].tool_calls[1].id", talk(calls(call, { ...call, id: undefined }))],
    ["messages[0].tool_calls[0].id", talk(calls({ ...call, id: "" }))],
    ["messages[0].tool_calls[0].function.name", talk(calls({ id: "a", function: {} }))],
    ["messages[0].tool_calls[0].function.name", talk(calls({ id: "a" }))],
    ["messages[0].tool_calls[0].custom.name", talk(calls({ id: "a", custom: {} }))],
    ["messages[0].function_call.name", talk({ role: "assistant", function_call: {} })],
    ["temperature", { ...GOOD, temperature: 2.1 }],
    ["temperature", { ...GOOD, temperature: -0.1 }],
    ["temperature", { ...GOOD, temperature: "1" }],
    ["top_p", { ...GOOD, top_p: 1.01 }],
    ["top_k", { ...GOOD, top_k: -2 }],
    ["frequency_penalty", { ...GOOD, frequency_penalty: 3 }],
    ["presence_penalty", { ...GOOD, presence_penalty: -3 }],
    ["tools", { ...GOOD, tools: {} }],
    ["tools[1]", { ...GOOD, tools: [tool("a"), 5] }],
    ["tool_choice", { ...GOOD, tools: [tool("a")], tool_choice: tool("b") }],
    ["tool_choice", { ...GOOD, tool_choice: tool("b") }],
    [
      "tool_choice",
      {
        ...GOOD,
        tools: [tool("a")],
        tool_choice: { type: "allowed_tools", allowed_tools: { tools: [tool("b")] } },
      },
    ],
  ];
  test.each(cases)("%s in %j", (param, body) => {
    const problem = chatProblem(body as Record<string, unknown>);
    expect(problem?.param).toBe(param);
    expect(problem?.problem).toContain(`“${param}”`);
    expect(problem?.problem.length).toBeLessThan(130);
    expect(problem?.problem).not.toEndWith(".");
    const result = readChatRequest(Buffer.from(JSON.stringify(body)));
    expect("refusal" in result && result.refusal.params["param"]).toBe(param);
  });

  test("a number too large to be one", () => {
    expect(chatProblem(JSON.parse('{"model":"m","messages":[{"role":"user"}],"top_p":1e999}'))?.param).toBe(
      "top_p",
    );
  });

  test("with what was sent cut short", () => {
    const body = talk({ role: "user", content: [{ type: "x".repeat(5_000) }] });
    expect(chatProblem(body)?.problem.length).toBeLessThan(130);
  });
});

describe("what passes:", () => {
  const bodies: readonly [string, object][] = [
    [
      "every role",
      talk(...["system", "developer", "user", "assistant"].map(role => ({ role, content: "a" }))),
    ],
    ["an answer of an old function", talk({ role: "function", name: "f", content: "a" })],
    ["calls and their answers", talk(calls(call, custom), answer("call_1"), answer("call_2"))],
    ["an answer given twice", talk(calls(call), answer("call_1"), HELLO, answer("call_1"))],
    [
      "no calls",
      talk({ role: "assistant", content: "a", tool_calls: [] }, { role: "assistant", tool_calls: null }),
    ],
    ["calls without a type", talk(calls({ id: "a", function: { name: "f" } }), answer("a"))],
    ["no content", talk({ role: "assistant", content: null }, { role: "assistant" })],
    [
      "every type of part",
      talk({
        role: "user",
        content: [
          "text",
          "image_url",
          "input_audio",
          "file",
          "refusal",
          "video_url",
          "thinking",
          "tool_result",
        ].map(type => ({ type })),
      }),
    ],
    ["numbers that are null", { ...GOOD, temperature: null, top_p: null, n: null, tools: null }],
    ["numbers at their ends", { ...GOOD, temperature: 2, top_p: 0, n: 128, presence_penalty: -2, top_k: -1 }],
    [
      "[P62] what is not looked at",
      { ...GOOD, seed: -5, stop: ["a"], logprobs: true, user: 5, metadata: [], x: {} },
    ],
    ["a tool that is there", { ...GOOD, tools: [tool("a"), tool("b")], tool_choice: tool("b") }],
    ["a choice in a word", { ...GOOD, tool_choice: "any" }],
  ];
  test.each(bodies)("%s", (_, body) => {
    expect(chatProblem(body as Record<string, unknown>)).toBeNull();
    expect(readChatRequest(Buffer.from(JSON.stringify(body)))).toHaveProperty("request");
  });
});

test("no JSON makes the readers of any dialect throw", () => {
  const names = fc.constantFrom(
    ...[
      "model",
      "messages",
      "input",
      "role",
      "content",
      "type",
      "tools",
      "tool_choice",
      "tool_calls",
      "id",
      "name",
    ],
    ...[
      "call_id",
      "tool_use_id",
      "tool_call_id",
      "output",
      "source",
      "thinking",
      "max_tokens",
      "function",
      "system",
    ],
  );
  const words = fc.constantFrom(
    "user",
    "assistant",
    "tool",
    "text",
    "tool_use",
    "tool_result",
    "function_call",
    "image",
  );
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: "medium" },
      ...[fc.constant(null), words, fc.integer(), fc.boolean()],
      fc.dictionary(names, tie("value"), { maxKeys: 5 }),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(value, value, value, (messages, input, rest) => {
      const extra = typeof rest === "object" && rest !== null ? rest : {};
      const bodies = [
        messages,
        { model: "m", max_tokens: 5, messages, ...extra },
        { model: "m", input, ...extra },
      ];
      for (const body of bodies) {
        const bytes = Buffer.from(JSON.stringify(body));
        for (const read of [readChatRequest, readMessagesRequest, readResponsesRequest]) {
          const result = read(bytes);
          if ("refusal" in result) expect(result.refusal.reason).toBe("request_invalid");
        }
      }
    }),
    { numRuns: 1_000 },
  );
});
