import { describe, expect, test } from "bun:test";
import type { Part } from "../../domain/chat.ts";
import { promptOf, text } from "./codec.case.ts";

const CALL = { type: "tool_use", id: "toolu_1", name: "look", input: {} };

/** The parts that the user's blocks become, behind a call of the tool. */
function userParts(...content: object[]): Part[] {
  const messages = [
    { role: "assistant", content: [CALL] },
    { role: "user", content },
  ];
  return promptOf({ messages }).turns[1]?.parts ?? [];
}
const assistantParts = (...content: object[]): Part[] =>
  promptOf({ messages: [{ role: "assistant", content }] }).turns[0]?.parts ?? [];

const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } };
const PNG_PART = {
  kind: "image",
  source: { kind: "data", mediaType: "image/png", data: "iVBO" },
  detail: null,
  cache: null,
} as const;

describe("images and documents", () => {
  test("[P59] images come as data, by address and by id", () => {
    const url = { type: "image", source: { type: "url", url: "https://a.example/b.png" } };
    const file = { type: "image", source: { type: "file", file_id: "file_1" } };
    expect(userParts(PNG, url, file)).toEqual([
      PNG_PART,
      { ...PNG_PART, source: { kind: "url", url: "https://a.example/b.png" } },
      { ...PNG_PART, source: { kind: "file", id: "file_1" } },
    ]);
  });

  test("[P59] documents come as PDF, text, blocks, by address and by id", () => {
    const document = (source: object, rest = {}) => ({ type: "document", source, ...rest });
    const pdf = document({ type: "base64", media_type: "application/pdf", data: "JVBE" }, { title: "T" });
    const plain = document({ type: "text", media_type: "text/plain", data: "words" });
    const url = document({ type: "url", url: "https://a.example/b.pdf" });
    const file = document({ type: "file", file_id: "file_1" });
    const blocks = document({ type: "content", content: [{ type: "text", text: "a" }, PNG] });
    const part = (source: object, name: string | null = null) => {
      return { kind: "document", source, name, cache: null };
    };
    expect(userParts(pdf, plain, url, file, blocks)).toEqual([
      part({ kind: "data", mediaType: "application/pdf", data: "JVBE" }, "T"),
      part({ kind: "text", text: "words" }),
      part({ kind: "url", url: "https://a.example/b.pdf" }),
      part({ kind: "file", id: "file_1" }),
      part({ kind: "text", text: "a" }),
      PNG_PART,
    ] as Part[]);
  });

  test("what is said about a document stands before it", () => {
    const source = { type: "text", media_type: "text/plain", data: "words" };
    const [about, document] = userParts({ type: "document", source, context: "An old letter." });
    expect(about).toEqual(text("An old letter."));
    expect(document?.kind).toBe("document");
  });
});

describe("results of tools", () => {
  const read = (rest: object) => userParts({ type: "tool_result", tool_use_id: "toolu_1", ...rest })[0];

  test("may be a text, blocks, or nothing", () => {
    expect(read({ content: "ok" })).toMatchObject({ parts: [text("ok")], isError: false, cache: null });
    expect(read({})).toMatchObject({ parts: [] });
    expect(read({ content: [{ type: "text", text: "a" }] })).toMatchObject({ parts: [text("a")] });
  });

  test("[P11] keep their images as images", () => {
    expect(read({ content: [{ type: "text", text: "see" }, PNG] })).toMatchObject({
      parts: [text("see"), PNG_PART],
    });
  });

  test("[P12] keep that they are errors", () => {
    expect(read({ content: "no", is_error: true })).toMatchObject({ isError: true });
  });

  test("[P55] keep their marks", () => {
    expect(read({ content: "ok", cache_control: { type: "ephemeral" } })).toMatchObject({
      cache: { ttl: null },
    });
  });

  test("tell of tools that were found, and of search results in words", () => {
    const content = [
      { type: "tool_reference", tool_name: "grep" },
      {
        type: "search_result",
        title: "T",
        source: "https://a.example",
        content: [{ type: "text", text: "w" }],
      },
      { type: "browser_state", tabs: [] },
    ];
    expect(read({ content })).toMatchObject({
      parts: [text("Found the tool grep."), text("T\nhttps://a.example\nw")],
    });
  });
});

describe("other blocks", () => {
  test("[P60] citations with an address are kept, those into documents are not", () => {
    const citations = [
      {
        type: "web_search_result_location",
        url: "https://a.example",
        title: "A",
        cited_text: "q",
        encrypted_index: "E",
      },
      { type: "char_location", document_index: 0, cited_text: "x" },
      { type: "search_result_location", source: "https://b.example", title: null, cited_text: "y" },
    ];
    expect(assistantParts({ type: "text", text: "a", citations })).toEqual([
      {
        ...text("a"),
        citations: [
          { url: "https://a.example", title: "A", quote: "q" },
          { url: "https://b.example", title: null, quote: "y" },
        ],
      },
    ]);
  });

  test.each([
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "container_upload",
    "tool_reference",
    "fallback",
  ])("[P60] %s is foreign, and no fault", type => {
    expect(assistantParts({ type, anything: [1] })).toEqual([{ kind: "foreign", type }]);
  });

  test("[P53] changes of tools among instructions are foreign, and no fault", () => {
    const change = { type: "tool_addition", tool: { type: "tool_reference", name: "grep" } };
    const messages = [
      { role: "user", content: "a" },
      { role: "system", content: [change, { type: "text", text: "Now." }] },
    ];
    expect(promptOf({ messages }).turns[1]?.parts).toEqual([
      { kind: "foreign", type: "tool_addition" },
      text("Now."),
    ]);
  });

  test("a summary of what went before is text", () => {
    expect(assistantParts({ type: "compaction", content: "They spoke of birds." })).toEqual([
      text("They spoke of birds."),
    ]);
    expect(assistantParts({ type: "compaction", content: null })).toEqual([]);
  });

  test("[P55] calls and texts keep their marks", () => {
    const cache_control = { type: "ephemeral", ttl: "5m" };
    expect(
      assistantParts({ ...CALL, cache_control }, { type: "text", text: "a", cache_control }),
    ).toMatchObject([{ cache: { ttl: "5m" } }, { cache: { ttl: "5m" } }]);
  });
});
