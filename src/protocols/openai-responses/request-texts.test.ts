import { describe, expect, test } from "bun:test";
import { responsesRequestTexts } from "./request-texts.ts";

const textsOf = (...input: unknown[]) => responsesRequestTexts({ model: "m", input })?.texts;

describe("the texts of a responses request", () => {
  test("are its instructions and its input", () => {
    expect(responsesRequestTexts({ instructions: "Be brief.", input: "Hello" })).toEqual({
      texts: ["Be brief.", "Hello"],
      messages: 1,
    });
  });

  test("are what its items say, in order, and nothing of images and files", () => {
    const content = [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      { type: "input_file", file_data: "BBBB" },
    ];
    const read = responsesRequestTexts({
      input: [
        { role: "developer", content: "Be kind." },
        { type: "message", role: "user", content },
        { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      ],
    });
    expect(read).toEqual({ texts: ["Be kind.", "What is this?", "No."], messages: 3 });
  });

  test("are earlier thoughts, calls and what tools gave back", () => {
    expect(
      textsOf(
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "AAAA" },
        { type: "function_call", call_id: "c", name: "find", arguments: '{"a":1}' },
        { type: "function_call_output", call_id: "c", output: "found" },
        { type: "custom_tool_call", call_id: "d", name: "run", input: "ls" },
        { type: "custom_tool_call_output", call_id: "d", output: [{ type: "input_text", text: "files" }] },
        { type: "local_shell_call", call_id: "e", action: { command: ["ls"] } },
      ),
    ).toEqual(["Hm.", "find", '{"a":1}', "found", "run", "ls", "files", '{"command":["ls"]}']);
  });

  test("are the definitions of tools and of the answer's form, as JSON", () => {
    const tools = [{ type: "function", name: "find", parameters: {} }];
    const format = { type: "json_schema", name: "form", schema: {} };
    const read = responsesRequestTexts({ input: [], tools, text: { format, verbosity: "low" }, user: "ann" });
    expect(read).toEqual({ texts: [JSON.stringify(tools), JSON.stringify(format)], messages: 0 });
  });
});

test("what has no input is no responses request", () => {
  for (const body of [null, undefined, 1, "input", [], {}, { input: {} }, { input: null }])
    expect(responsesRequestTexts(body)).toBeNull();
});
