import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { chatRequestTexts } from "./request-texts.ts";

const textsOf = (...messages: unknown[]) => chatRequestTexts({ model: "m", messages })?.texts;

describe("the texts of a chat request", () => {
  test("are what its messages say, in order", () => {
    const read = chatRequestTexts({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", name: "ann", content: "Hello" },
        { role: "assistant", content: "" },
      ],
    });
    expect(read).toEqual({ texts: ["Be brief.", "ann", "Hello"], messages: 3 });
  });

  test("are the text parts of a message, and nothing of its images and files", () => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "input_audio", input_audio: { data: "BBBB", format: "wav" } },
      { type: "file", file: { file_data: "CCCC" } },
      { type: "refusal", refusal: "No." },
    ];
    expect(textsOf({ role: "user", content })).toEqual(["What is this?", "No."]);
  });

  test("are what tools are called with, and what they answered", () => {
    const tool_calls = [
      { id: "c1", type: "function", function: { name: "find", arguments: '{"a":1}' } },
      { id: "c2", type: "custom", custom: { name: "run", input: "ls" } },
    ];
    expect(
      textsOf(
        { role: "assistant", content: null, tool_calls },
        { role: "tool", tool_call_id: "c1", content: "found" },
        { role: "assistant", function_call: { name: "old", arguments: "{}" } },
      ),
    ).toEqual(["find", '{"a":1}', "run", "ls", "found", "old", "{}"]);
  });

  test("are earlier reasoning and refusals that are sent back", () => {
    const message = { role: "assistant", reasoning_content: "Hm.", content: null, refusal: "No." };
    expect(textsOf(message)).toEqual(["Hm.", "No."]);
  });

  test("are the definitions of tools and of the answer's form, as JSON", () => {
    const tools = [{ type: "function", function: { name: "find", parameters: { type: "object" } } }];
    const response_format = { type: "json_schema", json_schema: { name: "form" } };
    const read = chatRequestTexts({ messages: [], tools, functions: null, response_format, user: "ann" });
    expect(read).toEqual({ texts: [JSON.stringify(tools), JSON.stringify(response_format)], messages: 0 });
  });
});

test("what has no list of messages is no chat request", () => {
  for (const body of [null, undefined, 1, "messages", [], {}, { messages: {} }, { messages: null }])
    expect(chatRequestTexts(body)).toBeNull();
});

test("nothing that parses makes it throw", () => {
  const names = fc.constantFrom("content", "tool_calls", "function", "name", "text", "arguments", "tools");
  const { message } = fc.letrec(tie => ({
    value: fc.oneof({ depthSize: "small" }, fc.constant(null), fc.string(), fc.integer(), tie("message")),
    message: fc.oneof(fc.dictionary(names, tie("value")), fc.array(tie("value"), { maxLength: 3 })),
  }));
  fc.assert(
    fc.property(fc.array(message), message, (messages, tools) => {
      expect(chatRequestTexts({ messages, tools })?.messages).toBe(messages.length);
    }),
  );
});
