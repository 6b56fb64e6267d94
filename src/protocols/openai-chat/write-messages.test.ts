import { describe, expect, test } from "bun:test";
import type { ImagePart, Part, Seal, ToolResultPart } from "../../domain/chat.ts";
import { listOf, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { toCallId } from "../tool-id.ts";
import { COMPATIBLE, call, messagesOf, OPENAI, text } from "./chat-codec.case.ts";

const CLAUDE = { ...COMPATIBLE, model: "anthropic/claude-sonnet-5" };
const image: ImagePart = {
  kind: "image",
  source: { kind: "data", mediaType: "image/png", data: "QUJD" },
  detail: null,
  cache: null,
};
const imageUrl = { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } };
const user = (...parts: Part[]) => ({ role: "user" as const, parts });
const assistant = (...parts: Part[]) => ({ role: "assistant" as const, parts });
const asked = user(text("Go"));
const marked = (said: string, ttl: string | null = null): Part => ({
  kind: "text",
  text: said,
  citations: [],
  cache: { ttl },
});

function result(id: string, rest: Partial<ToolResultPart> = {}): ToolResultPart {
  const parts: ToolResultPart["parts"] = [{ kind: "text", text: "42", citations: [], cache: null }];
  return { kind: "tool-result", id, parts, isError: false, cache: null, ...rest };
}

const roles = (messages: readonly Json[]) => messages.map(({ role }) => role);

describe("who speaks", () => {
  test("[P53] [P54] stays where it is; developers are known to OpenAI alone", () => {
    const turns = [
      { role: "system" as const, parts: [text("A")] },
      { role: "developer" as const, parts: [text("B")] },
      user(text("C")),
      { role: "system" as const, parts: [text("D")] },
      assistant(text("E")),
    ];
    expect(messagesOf(turns)).toEqual([
      { role: "system", content: "A" },
      { role: "system", content: "B" },
      { role: "user", content: "C" },
      { role: "system", content: "D" },
      { role: "assistant", content: "E" },
    ]);
    expect(roles(messagesOf(turns, OPENAI))).toEqual(["system", "developer", "user", "system", "assistant"]);
  });

  test("[P54] twice in a row speaks once", () => {
    const turns = [
      user(text("A")),
      user(text("B")),
      assistant(text("C")),
      assistant(call("a")),
      user(result("a")),
    ];
    expect(messagesOf(turns)).toMatchObject([
      { role: "user", content: "A\n\nB" },
      { role: "assistant", content: "C", tool_calls: [{ id: "a" }] },
      { role: "tool", tool_call_id: "a" },
    ]);
    expect(messagesOf(turns, OPENAI)[0]?.["content"]).toEqual([
      { type: "text", text: "A" },
      { type: "text", text: "B" },
    ]);
  });

  test("[P54] may be the model, first or last", () => {
    expect(roles(messagesOf([assistant(text("A")), user(text("B")), assistant(text("C"))]))).toEqual([
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test("[P52] does not speak blanks, and a message of nothing else is left out", () => {
    const turns = [user(text(""), text("A"), text(" \n")), assistant(text("")), user(text("B"))];
    expect(messagesOf(turns)).toEqual([{ role: "user", content: "A\n\nB" }]);
  });
});

describe("results of tools", () => {
  test("stand behind their calls, before the rest of their turn", () => {
    const messages = messagesOf([
      asked,
      assistant(call("a"), call("b")),
      user(text("Also"), result("b"), result("a")),
    ]);
    expect(messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "b", content: "42" },
      { role: "tool", tool_call_id: "a", content: "42" },
      { role: "user", content: "Also" },
    ]);
  });

  test("[P53] stand behind their calls even where somebody spoke between", () => {
    const messages = messagesOf([
      asked,
      assistant(call("a")),
      { role: "system", parts: [text("Mind!")] },
      user(result("a")),
    ]);
    expect(roles(messages)).toEqual(["user", "assistant", "tool", "system"]);
  });

  test("[P9] keep together with their calls under an id of at most 64 characters", () => {
    const ids = ["functions.Bash:0", `x${"y".repeat(80)}`, `x${"y".repeat(81)}`];
    const messages = messagesOf([
      asked,
      assistant(...ids.map(id => call(id))),
      user(...ids.map(id => result(id))),
    ]);
    const given = listOf(messages[1]?.["tool_calls"]).map(made => objectOf(made)["id"]);
    expect(given).toEqual(ids.map(toCallId));
    expect(messages.slice(2).map(message => message["tool_call_id"])).toEqual(given);
    expect(given.every(id => String(id).length <= 64)).toBe(true);
    expect(new Set(given).size).toBe(3);
  });

  test("[P11] with images leave a text, and the image follows with a word on whose it is", () => {
    const messages = messagesOf([
      asked,
      assistant(call("a"), call("b")),
      user(result("a", { parts: [image] }), result("b"), text("Well?")),
    ]);
    expect(messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "a", content: "The result is in the next message." },
      { role: "tool", tool_call_id: "b", content: "42" },
      {
        role: "user",
        content: [{ type: "text", text: "From the tool call a:" }, imageUrl, { type: "text", text: "Well?" }],
      },
    ]);
    expect(JSON.stringify(messages.slice(2, 4))).not.toContain("QUJD");
  });

  test("[P12] that are errors say so", () => {
    const failed = (said: string) =>
      messagesOf([
        asked,
        assistant(call("a")),
        user(
          result("a", {
            isError: true,
            parts: said === "" ? [] : [{ kind: "text", text: said, citations: [], cache: null }],
          }),
        ),
      ])[2]?.["content"];
    expect(failed("no such file")).toBe("Error: no such file");
    expect(failed("Error: no such file")).toBe("Error: no such file");
    expect(failed("")).toBe("Error: the tool failed without a word");
  });

  test("without a word are still results", () => {
    expect(messagesOf([asked, assistant(call("a")), user(result("a", { parts: [] }))])[2]).toEqual({
      role: "tool",
      tool_call_id: "a",
      content: "",
    });
  });
});

describe("images, documents and sound", () => {
  test("[P59] go as they came", () => {
    const pdf = { kind: "data", mediaType: "application/pdf", data: "QUJD" } as const;
    const messages = messagesOf([
      user(
        { ...image, source: { kind: "url", url: "https://x.test/a.png" }, detail: "high" },
        image,
        { kind: "document", source: pdf, name: "a.pdf", cache: null },
        { kind: "document", source: pdf, name: null, cache: null },
        { kind: "document", source: { kind: "text", text: "Plain." }, name: "notes", cache: null },
        {
          kind: "document",
          source: { kind: "data", mediaType: "text/csv", data: "YSxi" },
          name: null,
          cache: null,
        },
        { kind: "audio", data: "QUJD", format: "flac" },
      ),
    ]);
    expect(messages[0]?.["content"]).toEqual([
      { type: "image_url", image_url: { url: "https://x.test/a.png", detail: "high" } },
      imageUrl,
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,QUJD" } },
      { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,QUJD" } },
      { type: "text", text: "notes\n\nPlain." },
      { type: "text", text: "a,b" },
      { type: "input_audio", input_audio: { data: "QUJD", format: "flac" } },
    ]);
  });
});

describe("cache marks", () => {
  test("[P55] go to Anthropic’s models alone", () => {
    const turns = [
      { role: "system" as const, parts: [marked("A", "1h"), text("B")] },
      user(marked("C")),
      assistant(marked("D"), call("a")),
      user(result("a", { cache: { ttl: null } })),
    ];
    const mark = { type: "ephemeral" };
    expect(messagesOf(turns, CLAUDE)).toEqual([
      {
        role: "system",
        content: [
          { type: "text", text: "A", cache_control: { type: "ephemeral", ttl: "1h" } },
          { type: "text", text: "B" },
        ],
      },
      { role: "user", content: [{ type: "text", text: "C", cache_control: mark }] },
      {
        role: "assistant",
        content: [{ type: "text", text: "D", cache_control: mark }],
        tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "42", cache_control: mark }] },
    ]);
    for (const target of [COMPATIBLE, OPENAI])
      expect(JSON.stringify(messagesOf(turns, target))).not.toContain("cache_control");
  });

  test("[P52] [P55] on a blank go to what stands before it", () => {
    const messages = messagesOf([user(text("A"), image, marked(" ", "1h"))], CLAUDE);
    expect(messages[0]?.["content"]).toEqual([
      { type: "text", text: "A" },
      { ...imageUrl, cache_control: { type: "ephemeral", ttl: "1h" } },
    ]);
  });
});

describe("what the model said before", () => {
  const sealed = (origin: Seal["origin"], value: string): Part => ({
    kind: "reasoning",
    text: "Hm.",
    seal: { origin, kind: "signature", value, id: null },
  });

  test("[P20] [P22] has no thoughts of other dialects’ models, nor any that nobody sealed", () => {
    const foreign: Part[] = [
      sealed("messages", "sig"),
      sealed("responses", "enc"),
      sealed("chat", "not json"),
      { kind: "reasoning", text: "Hm.", seal: null },
    ];
    expect(messagesOf([asked, assistant(...foreign, text("So."))])[1]).toEqual({
      role: "assistant",
      content: "So.",
    });
    expect(messagesOf([asked, assistant(...foreign)])).toHaveLength(1);
  });

  test("[P7] has calls with an object for arguments, and no content where it had none", () => {
    expect(messagesOf([asked, assistant(call("a", "look", ""))])[1]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: "{}" } }],
    });
  });

  test("[P61] has refusals in OpenAI’s field, and as text elsewhere", () => {
    const refused = assistant({ kind: "refusal", text: "No." });
    expect(messagesOf([asked, refused], OPENAI)[1]).toEqual({
      role: "assistant",
      content: null,
      refusal: "No.",
    });
    expect(messagesOf([asked, refused])[1]).toEqual({ role: "assistant", content: "No." });
  });

  test("[P60] leaves out what only another dialect has", () => {
    const parts: Part[] = [{ kind: "foreign", type: "server_tool_use" }, text("So.")];
    expect(messagesOf([asked, assistant(...parts)])[1]).toEqual({ role: "assistant", content: "So." });
  });

  test("does not trip over names that objects have of their own", () => {
    const tools = JSON.stringify({ tools: { other: { google: {} } } });
    const messages = messagesOf([
      asked,
      assistant(sealed("chat", tools), call("constructor"), call("__proto__")),
    ]);
    expect(JSON.stringify(messages)).not.toContain("extra_content");
  });
});
