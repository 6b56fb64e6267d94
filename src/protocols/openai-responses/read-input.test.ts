import { describe, expect, test } from "bun:test";
import type { Seal, Turn } from "../../domain/chat.ts";
import { carrySeal } from "../carry-seal.ts";
import { readResponsesPrompt } from "./read-prompt.ts";

const read = (...input: unknown[]) => readResponsesPrompt({ model: "m", input });

function turns(...input: unknown[]): Turn[] {
  const result = read(...input);
  if ("problem" in result) throw new Error(result.problem.problem);
  return result.prompt.turns;
}

function problem(...input: unknown[]): { param: string; problem: string } {
  const result = read(...input);
  if ("prompt" in result) throw new Error("no problem");
  return result.problem;
}

const user = (...content: unknown[]) => ({ type: "message", role: "user", content });
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "find", arguments: '{"a":1}' };
const output = { type: "function_call_output", call_id: "call_1", output: "found" };
const thought = (extra: object) => ({ type: "reasoning", id: "rs_1", summary: [], ...extra });

describe("messages", () => {
  test("[P53] [P54] keep their roles and their places", () => {
    const roles = ["developer", "user", "assistant", "system", "user"];
    expect(turns(...roles.map(role => ({ role, content: role }))).map(({ role, at }) => [role, at])).toEqual(
      roles.map((role, place) => [role, `input[${place}]`]),
    );
  });

  test("may leave their type out, and say all kinds of text", () => {
    const [said] = turns({
      role: "assistant",
      content: [
        {
          type: "output_text",
          text: "One",
          annotations: [{ type: "url_citation", url: "https://a.example" }],
        },
        { type: "input_text", text: "Two" },
        { type: "text", text: "Three" },
        { type: "refusal", refusal: "No." },
      ],
    });
    const citations = [{ url: "https://a.example", title: null, quote: null }];
    expect(said?.parts).toEqual([
      { kind: "text", text: "One", citations, cache: null },
      { kind: "text", text: "Two", citations: [], cache: null },
      { kind: "text", text: "Three", citations: [], cache: null },
      { kind: "refusal", text: "No." },
    ]);
  });

  test("[P59] have images by data, by address and by id", () => {
    const image = (extra: object) => ({ type: "input_image", ...extra });
    const [seen] = turns(
      user(
        image({ image_url: "data:image/PNG;base64,iVBORw0K", detail: "high" }),
        image({ image_url: "https://a.example/b.png" }),
        image({ file_id: "file_1" }),
      ),
    );
    expect(seen?.parts).toEqual([
      {
        kind: "image",
        source: { kind: "data", mediaType: "image/png", data: "iVBORw0K" },
        detail: "high",
        cache: null,
      },
      { kind: "image", source: { kind: "url", url: "https://a.example/b.png" }, detail: null, cache: null },
      { kind: "image", source: { kind: "file", id: "file_1" }, detail: null, cache: null },
    ]);
  });

  test("[P59] have documents, of which a text is one as such", () => {
    const file = (extra: object) => ({ type: "input_file", ...extra });
    const text = Buffer.from("Grüße").toString("base64");
    const [given] = turns(
      user(
        file({ filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" }),
        file({ filename: "a.txt", file_data: `data:text/plain;charset=utf-8;base64,${text}` }),
        file({ file_url: "https://a.example/b.pdf" }),
        file({ file_id: "file_1" }),
      ),
    );
    expect(given?.parts).toMatchObject([
      { source: { kind: "data", mediaType: "application/pdf", data: "JVBERi0x" }, name: "a.pdf" },
      { source: { kind: "text", text: "Grüße" }, name: "a.txt" },
      { source: { kind: "url", url: "https://a.example/b.pdf" }, name: null },
      { source: { kind: "file", id: "file_1" } },
    ]);
  });

  test("have audio, and marks for the cache", () => {
    const [given] = turns(
      user(
        { type: "input_audio", input_audio: { data: "UklGRg", format: "wav" } },
        { type: "input_text", text: "a", prompt_cache_breakpoint: { mode: "explicit" } },
        { type: "input_text", text: "b", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } },
      ),
    );
    expect(given?.parts).toMatchObject([
      { kind: "audio", data: "UklGRg", format: "wav" },
      { cache: { ttl: null } },
      { cache: { ttl: "1h" } },
    ]);
  });
});

describe("an answer and its outputs", () => {
  test("[P21] are a turn each, with all in the order in which it was said", () => {
    const second = { ...call, call_id: "call_2" };
    const gathered = turns(
      user({ type: "input_text", text: "Find it." }),
      thought({ encrypted_content: "gAAA" }),
      { role: "assistant", content: "Well." },
      call,
      second,
      output,
      { ...output, call_id: "call_2" },
      { role: "user", content: "And?" },
    );
    expect(gathered.map(({ role, at, parts }) => [role, at, parts.map(part => part.kind)])).toEqual([
      ["user", "input[0]", ["text"]],
      ["assistant", "input[1]", ["reasoning", "text", "tool-call", "tool-call"]],
      ["user", "input[5]", ["tool-result", "tool-result"]],
      ["user", "input[7]", ["text"]],
    ]);
  });

  test("[P37] know each other by the call's id", () => {
    const [made, given] = turns(call, output);
    expect(made?.parts).toEqual([
      {
        kind: "tool-call",
        id: "call_1",
        name: "find",
        input: '{"a":1}',
        tool: "function",
        namespace: null,
        cache: null,
      },
    ]);
    expect(given?.parts).toMatchObject([{ kind: "tool-result", id: "call_1", parts: [{ text: "found" }] }]);
  });

  test("[P7] [P11] may have no arguments, and give images and files back", () => {
    const parts = [
      { type: "input_text", text: "Look:" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0K" },
      { type: "input_file", file_url: "https://a.example/b.pdf" },
    ];
    const [made, given] = turns({ ...call, arguments: "" }, { ...output, output: parts });
    expect(made?.parts).toMatchObject([{ input: "{}" }]);
    expect(given?.parts).toMatchObject([
      { parts: [{ kind: "text" }, { kind: "image" }, { kind: "document" }], isError: false },
    ]);
  });

  test("may be of custom tools, and of tools in a namespace", () => {
    const custom = {
      type: "custom_tool_call",
      call_id: "c",
      name: "patch",
      input: "*** Begin",
      namespace: "functions",
    };
    const [made, given] = turns(
      custom,
      { ...call, namespace: "mcp__git" },
      { type: "custom_tool_call_output", call_id: "c", output: "done" },
    );
    expect(made?.parts).toMatchObject([
      { tool: "custom", input: "*** Begin", namespace: null },
      { tool: "function", namespace: "mcp__git" },
    ]);
    expect(given?.parts).toMatchObject([{ kind: "tool-result", id: "c" }]);
  });
});

describe("reasoning", () => {
  test("[P22] has the seal of its maker, and its summaries or itself as paragraphs", () => {
    const summary = ["One.", "Two."].map(text => ({ type: "summary_text", text }));
    const content = [{ type: "reasoning_text", text: "All of it." }];
    const [said] = turns(thought({ summary, encrypted_content: "gAAA" }), thought({ content }));
    const seal = { origin: "responses", kind: "ciphertext", value: "gAAA", id: "rs_1" };
    expect(said?.parts).toMatchObject([
      { kind: "reasoning", text: "One.\n\nTwo.", seal },
      { kind: "reasoning", text: "All of it.", seal: null },
    ]);
  });

  test("[P20] [P22] gets the seal of another dialect back that was carried in it", () => {
    const seal: Seal = { origin: "messages", kind: "signature", value: "EqQB", id: null };
    const summary = [{ type: "summary_text", text: "Hm." }];
    const [said] = turns(thought({ summary, encrypted_content: carrySeal(seal) }));
    expect(said?.parts).toEqual([{ kind: "reasoning", text: "Hm.", seal }]);
  });

  test("of which there is nothing is none", () => {
    expect(turns({ role: "user", content: "Hi" }, thought({}))).toHaveLength(1);
  });
});

describe("[P60] what only its own dialect has", () => {
  test.each([
    "web_search_call",
    "file_search_call",
    "computer_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "compaction",
    "tool_search_call",
    "some_new_call",
  ])("is foreign: %s", type => {
    expect(turns({ role: "user", content: "Hi" }, { type, id: "x" })[1]).toMatchObject({
      role: "assistant",
      parts: [{ kind: "foreign", type }],
    });
  });

  test("has outputs that are foreign as well, whatever type they come under", () => {
    const shell = { type: "local_shell_call", call_id: "call_1", action: {} };
    const [made, given] = turns(shell, output, { type: "apply_patch_call_output", call_id: "call_9" });
    expect(made?.parts).toEqual([{ kind: "foreign", type: "local_shell_call" }]);
    expect(given?.parts).toEqual([
      { kind: "foreign", type: "function_call_output" },
      { kind: "foreign", type: "apply_patch_call_output" },
    ]);
  });
});

describe("an item is refused", () => {
  test.each([
    ["input[0]", ["Hello"]],
    ["input[0].type", [{}]],
    ["input[0].type", [{ type: "telepathy" }]],
    ["input[0].role", [{ role: "tool", content: "Hi" }]],
    ["input[0].role", [{ type: "message", content: "Hi" }]],
    ["input[0].content", [{ role: "user" }]],
    ["input[0].content", [{ role: "user", content: 7 }]],
    ["input[0].content[0]", [user("Hello")]],
    ["input[0].content[1].type", [user({ type: "input_text", text: "a" }, { type: "image_url" })]],
    ["input[0].content[0].text", [user({ type: "input_text" })]],
    ["input[0].content[0]", [user({ type: "input_image" })]],
    ["input[0].content[0].image_url", [user({ type: "input_image", image_url: "data:image/png,abc" })]],
    ["input[0].content[0]", [user({ type: "input_file" })]],
    ["input[0].content[0].file_data", [user({ type: "input_file", file_data: "JVBERi0x" })]],
    ["input[0].content[0].input_audio", [user({ type: "input_audio" })]],
    ["input[0].call_id", [{ ...call, call_id: undefined }]],
    ["input[0].name", [{ ...call, name: "" }]],
    ["input[0].arguments", [{ ...call, arguments: 7 }]],
    ["input[0].call_id", [output]],
    ["input[1].call_id", [call, { ...output, call_id: "call_2" }]],
    ["input[1].output", [call, { ...output, output: undefined }]],
    ["input[0]", [{ type: "item_reference", id: "msg_1" }]],
    ["input[0]", [{ id: "msg_1" }]],
    ["input[0]", [{ type: "compaction_trigger" }]],
  ])("at “%s”: %j", (param, input) => {
    const found = problem(...input);
    expect(found.param).toBe(param);
    expect(found.problem).toStartWith(`“${param}” `);
  });
});
