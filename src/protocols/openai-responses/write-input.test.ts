import { describe, expect, test } from "bun:test";
import type { Part, Seal, ToolCallPart, ToolResultPart, Turn } from "../../domain/chat.ts";
import { writeInput } from "./write-input.ts";

const turn = (role: Turn["role"], ...parts: Part[]): Turn => ({ role, parts, at: "messages[3]" });
const text = (said: string): Extract<Part, { kind: "text" }> => ({
  kind: "text",
  text: said,
  citations: [],
  cache: null,
});
const call: ToolCallPart = {
  kind: "tool-call",
  id: "toolu_1",
  name: "find",
  input: '{"a":1}',
  tool: "function",
  namespace: null,
  cache: null,
};
const result = (extra: Partial<ToolResultPart> = {}): ToolResultPart => ({
  kind: "tool-result",
  id: "toolu_1",
  parts: [text("found")],
  isError: false,
  cache: null,
  ...extra,
});
const seal = (extra: Partial<Seal> = {}): Seal => ({
  origin: "responses",
  kind: "ciphertext",
  value: "gAAA",
  id: "rs_1",
  ...extra,
});

function items(...turns: Turn[]): unknown[] {
  const written = writeInput(turns);
  if ("problem" in written) throw new Error(written.problem.problem);
  return JSON.parse(JSON.stringify(written.items));
}

describe("an answer", () => {
  test("[P8] [P21] is its items in the order in which it was given", () => {
    const written = items(
      turn("assistant", { kind: "reasoning", text: "Hm.", seal: seal() }, text("Well."), call, text("And"), {
        kind: "refusal",
        text: "No.",
      }),
    );
    expect(written).toEqual([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "gAAA" },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Well.", annotations: [] }],
      },
      { type: "function_call", call_id: "toolu_1", name: "find", arguments: '{"a":1}' },
      {
        type: "message",
        role: "assistant",
        content: [
          { type: "output_text", text: "And", annotations: [] },
          { type: "refusal", refusal: "No." },
        ],
      },
    ]);
  });

  test("[P37] has calls without an id of the item, so that it is not the call's", () => {
    expect(items(turn("assistant", call))[0]).not.toHaveProperty("id");
  });

  test("[P9] has ids of at most 64 letters, the same on a call and its output, and no two alike", () => {
    const ids = ["functions.Bash:0", `${"a".repeat(80)}1`, `${"a".repeat(80)}2`];
    const written = ids.flatMap(id =>
      items(turn("assistant", { ...call, id }), turn("user", result({ id }))).map(item =>
        JSON.stringify(item).replace(/.*"call_id":"([^"]*)".*/, "$1"),
      ),
    );
    expect(written[0]).toBe("functions.Bash:0");
    for (const id of written) expect(id.length).toBeLessThanOrEqual(64);
    for (const at of [0, 2, 4]) expect(written[at]).toBe(written[at + 1] ?? "");
    expect(new Set(written).size).toBe(3);
  });

  test("[P7] has an empty object for a function that was given nothing", () => {
    expect(items(turn("assistant", { ...call, input: "" }))).toMatchObject([{ arguments: "{}" }]);
  });

  test("[P20] [P22] keeps what was thought from all but its maker, and never tells it as text", () => {
    const others = [null, seal({ origin: "messages", kind: "signature" }), seal({ origin: "chat" })];
    for (const other of others) {
      const written = items(
        turn("assistant", { kind: "reasoning", text: "Secret.", seal: other }, text("Hi")),
      );
      expect(written).toHaveLength(1);
      expect(JSON.stringify(written)).not.toContain("Secret.");
    }
  });

  test("[P19] keeps what is only sealed, and drops what nothing follows", () => {
    const thought: Part = { kind: "reasoning", text: "", seal: seal() };
    expect(items(turn("assistant", thought, text("Hi")))).toMatchObject([
      { type: "reasoning", summary: [] },
      { type: "message" },
    ]);
    const loose = items(turn("assistant", text("Hi"), thought, { kind: "foreign", type: "server_tool_use" }));
    expect(loose).toMatchObject([{ type: "message" }]);
  });

  test("[P52] leaves out what is empty, and what only another dialect has", () => {
    const parts = [text(""), { kind: "foreign", type: "web_search_call" } as const];
    expect(items(turn("assistant", ...parts), turn("user", text("")), turn("system", text("")))).toEqual([]);
  });
});

describe("the output of a tool", () => {
  test("is a text, or parts where it has more than text", () => {
    expect(items(turn("user", result(), text("And?")))).toEqual([
      { type: "function_call_output", call_id: "toolu_1", output: "found" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "And?" }] },
    ]);
    expect(items(turn("user", result({ parts: [] })))).toMatchObject([{ output: "" }]);
    expect(items(turn("user", result({ parts: [text("a"), text("b")] })))).toMatchObject([
      { output: "a\nb" },
    ]);
  });

  test("[P11] has images as such, never as text", () => {
    const source = { kind: "data", mediaType: "image/png", data: "iVBORw0K" } as const;
    const parts = [text("Look:"), { kind: "image", source, detail: null, cache: null } as const];
    expect(items(turn("user", result({ parts })))).toMatchObject([
      {
        output: [
          { type: "input_text", text: "Look:" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0K", detail: "auto" },
        ],
      },
    ]);
  });

  test("[P12] says that it is an error, once", () => {
    const told = (...said: string[]) => items(turn("user", result({ isError: true, parts: said.map(text) })));
    expect(told("not there")).toMatchObject([{ output: "Error: not there" }]);
    expect(told("Error: not there")).toMatchObject([{ output: "Error: not there" }]);
    expect(told()).toMatchObject([{ output: "Error:" }]);
  });

  test("of a custom tool is one of its kind", () => {
    const custom: ToolCallPart = { ...call, tool: "custom", input: "*** Begin", namespace: "mcp__git" };
    expect(items(turn("assistant", custom), turn("user", result()))).toEqual([
      {
        type: "custom_tool_call",
        call_id: "toolu_1",
        name: "find",
        input: "*** Begin",
        namespace: "mcp__git",
      },
      { type: "custom_tool_call_output", call_id: "toolu_1", output: "found" },
    ]);
  });
});

describe("[P59] images and documents", () => {
  const image = (source: Extract<Part, { kind: "image" }>["source"]): Part => ({
    kind: "image",
    source,
    detail: "low",
    cache: null,
  });
  const paper = (
    source: Extract<Part, { kind: "document" }>["source"],
    name: string | null = null,
  ): Part => ({
    kind: "document",
    source,
    name,
    cache: null,
  });
  const pdf = { kind: "data", mediaType: "application/pdf", data: "JVBERi0x" } as const;

  test("go by their data or address, and a text as one", () => {
    const written = items(
      turn(
        "user",
        image({ kind: "url", url: "https://a.example/b.png" }),
        paper(pdf),
        paper(pdf, "a.pdf"),
        paper({ kind: "url", url: "https://a.example/b.pdf" }),
        paper({ kind: "text", text: "Dear all" }, "letter.txt"),
      ),
    );
    const file_data = "data:application/pdf;base64,JVBERi0x";
    expect(written).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_image", image_url: "https://a.example/b.png", detail: "low" },
          { type: "input_file", filename: "document.pdf", file_data },
          { type: "input_file", filename: "a.pdf", file_data },
          { type: "input_file", file_url: "https://a.example/b.pdf" },
          { type: "input_text", text: "letter.txt\n\nDear all" },
        ],
      },
    ]);
  });

  test.each([
    ["a file that another provider keeps", turn("user", image({ kind: "file", id: "file_1" }))],
    ["a document that another provider keeps", turn("user", paper({ kind: "file", id: "file_1" }))],
    ["audio", turn("user", { kind: "audio", data: "UklGRg", format: "wav" })],
    ["an image that the assistant said", turn("assistant", image({ kind: "url", url: "https://a.example" }))],
  ])("are refused where the client wrote them: %s", (_name, odd) => {
    const written = writeInput([odd]);
    if (!("problem" in written)) throw new Error("no problem");
    expect(written.problem.param).toBe("messages[3]");
    expect(written.problem.problem).toStartWith("“messages[3]” ");
  });
});
