import { describe, expect, test } from "bun:test";
import { messagesRequestTexts } from "./request-texts.ts";

const textsOf = (...content: unknown[]) =>
  messagesRequestTexts({ model: "m", messages: [{ role: "user", content }] })?.texts;

describe("the texts of a messages request", () => {
  test("are its instructions and what its messages say, in order", () => {
    const read = messagesRequestTexts({
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: [{ type: "text", text: "Hi" }] },
        { role: "system", content: "Be kind." },
      ],
    });
    expect(read).toEqual({ texts: ["Be brief.", "Hello", "Hi", "Be kind."], messages: 3 });
    expect(messagesRequestTexts({ system: "Be brief.", messages: [] })?.texts).toEqual(["Be brief."]);
  });

  test("are earlier thoughts, calls and what tools gave back, and nothing of images and files", () => {
    const image = { type: "image", source: { type: "base64", data: "AAAA" } };
    expect(
      textsOf(
        { type: "thinking", thinking: "Hm.", signature: "BBBB" },
        { type: "redacted_thinking", data: "CCCC" },
        { type: "tool_use", id: "t", name: "find", input: { a: 1 } },
        { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "found" }, image] },
        { type: "tool_result", tool_use_id: "t", content: "again" },
        image,
      ),
    ).toEqual(["Hm.", "find", '{"a":1}', "found", "again"]);
  });

  test("are documents that are text", () => {
    expect(
      textsOf(
        { type: "document", title: "A page", source: { type: "text", data: "words" } },
        { type: "document", source: { type: "content", content: [{ type: "text", text: "more" }] } },
        { type: "document", source: { type: "base64", data: "AAAA" } },
      ),
    ).toEqual(["A page", "words", "more"]);
  });

  test("are the definitions of tools and of the answer's form, as JSON", () => {
    const tools = [{ name: "find", input_schema: { type: "object" } }];
    const format = { type: "json_schema", schema: {} };
    const read = messagesRequestTexts({
      messages: [],
      tools,
      output_config: { format },
      metadata: { user_id: "u" },
    });
    expect(read).toEqual({ texts: [JSON.stringify(tools), JSON.stringify(format)], messages: 0 });
  });
});

test("what has no list of messages is no messages request", () => {
  for (const body of [null, undefined, 1, "messages", [], {}, { messages: {} }, { messages: null }])
    expect(messagesRequestTexts(body)).toBeNull();
});
