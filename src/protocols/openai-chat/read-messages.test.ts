import { describe, expect, test } from "bun:test";
import type { Turn } from "../../domain/chat.ts";
import type { Json } from "../protocol.ts";
import { HELLO, problemOf, promptOf } from "./chat-codec.case.ts";

const turnsOf = (...messages: Json[]): Turn[] => promptOf({ messages }).turns;
const partsOf = (message: Json): Turn["parts"] => turnsOf(message)[0]?.parts ?? [];
const calls = (...ids: string[]): Json => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map(id => ({ id, type: "function", function: { name: "look", arguments: '{"a":1}' } })),
});
const chatSeal = (value: Json) => ({
  origin: "chat",
  kind: "signature",
  value: JSON.stringify(value),
  id: null,
});

describe("roles", () => {
  test("[P53] [P54] stay as they are and where they are", () => {
    const roles = ["system", "user", "developer", "assistant", "system", "user"];
    const turns = turnsOf(...roles.map(role => ({ role, content: role })));
    expect(turns.map(({ role }) => role)).toEqual(roles as never);
    expect(turns.map(({ at }) => at)).toEqual(roles.map((_, place) => `messages[${place}]`));
  });

  test("of tools that answer one message are one turn of the user's, and only those", () => {
    const turns = turnsOf(
      HELLO,
      calls("a", "b"),
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "2" }] },
      { role: "user", content: "Go on" },
    );
    expect(turns.map(({ role, at, parts }) => [role, at, parts.length])).toEqual([
      ["user", "messages[0]", 1],
      ["assistant", "messages[1]", 2],
      ["user", "messages[2]", 2],
      ["user", "messages[4]", 1],
    ]);
    expect(turns[2]?.parts).toMatchObject([
      { kind: "tool-result", id: "a", parts: [{ kind: "text", text: "1" }], isError: false },
      { kind: "tool-result", id: "b", parts: [{ kind: "text", text: "2" }], isError: false },
    ]);
  });

  test("of functions, before there were tools, are read by the name of the call", () => {
    const turns = turnsOf(
      HELLO,
      { role: "assistant", content: null, function_call: { name: "look", arguments: "" } },
      { role: "function", name: "look", content: null },
    );
    expect(turns[1]?.parts).toMatchObject([{ kind: "tool-call", id: "call_1", name: "look", input: "{}" }]);
    expect(turns[2]?.parts).toMatchObject([{ kind: "tool-result", id: "call_1" }]);
  });
});

describe("content", () => {
  test("[P59] has images by address and as data", () => {
    const parts = partsOf({
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "https://x.test/a.png", detail: "low" } },
        { type: "image_url", image_url: { url: "data:image/PNG;base64,AAAA" } },
      ],
    });
    expect(parts).toEqual([
      { kind: "image", source: { kind: "url", url: "https://x.test/a.png" }, detail: "low", cache: null },
      {
        kind: "image",
        source: { kind: "data", mediaType: "image/png", data: "AAAA" },
        detail: null,
        cache: null,
      },
    ]);
  });

  test("[P59] has files, sound, and texts in files as text", () => {
    const plain = `data:text/plain;charset=utf-8;base64,${Buffer.from("Grüße").toString("base64")}`;
    const parts = partsOf({
      role: "user",
      content: [
        { type: "file", file: { file_data: "data:application/pdf;base64,QQ==", filename: "a.pdf" } },
        { type: "file", file: { file_data: "QQ==" } },
        { type: "file", file: { file_data: plain, filename: "a.txt" } },
        { type: "file", file: { file_id: "file-1" } },
        { type: "input_audio", input_audio: { data: "QQ==", format: "wav" } },
      ],
    });
    const pdf = { kind: "data", mediaType: "application/pdf", data: "QQ==" };
    expect(parts).toEqual([
      { kind: "document", source: pdf, name: "a.pdf", cache: null },
      { kind: "document", source: pdf, name: null, cache: null },
      { kind: "document", source: { kind: "text", text: "Grüße" }, name: "a.txt", cache: null },
      { kind: "document", source: { kind: "file", id: "file-1" }, name: null, cache: null },
      { kind: "audio", data: "QQ==", format: "wav" },
    ] as never);
  });

  test("[P55] keeps cache marks wherever clients write them", () => {
    const cache_control = { type: "ephemeral", ttl: "1h" };
    const turns = turnsOf(
      {
        role: "system",
        content: [
          { type: "text", text: "A", cache_control },
          { type: "text", text: "B" },
        ],
      },
      { role: "user", content: "C", cache_control: { type: "ephemeral" } },
      { ...calls("a"), cache_control },
      { role: "tool", tool_call_id: "a", content: "1", cache_control },
      {
        role: "user",
        content: [{ type: "text", text: "D", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } }],
      },
    );
    const marks = turns.map(({ parts }) => parts.map(part => ("cache" in part ? part.cache : "none")));
    expect(marks).toEqual([
      [{ ttl: "1h" }, null],
      [{ ttl: null }],
      [{ ttl: "1h" }],
      [{ ttl: "1h" }],
      [{ ttl: null }],
    ]);
  });
});

describe("what the model said before", () => {
  test("[P23] [P61] has thoughts, text, a refusal and calls", () => {
    const parts = partsOf({ ...calls("a"), content: "So.", refusal: "No.", reasoning_content: "Hm." });
    expect(parts).toEqual([
      { kind: "reasoning", text: "Hm.", seal: chatSeal({ field: "reasoning_content" }) },
      { kind: "text", text: "So.", citations: [], cache: null },
      { kind: "refusal", text: "No." },
      {
        kind: "tool-call",
        id: "a",
        name: "look",
        input: '{"a":1}',
        tool: "function",
        namespace: null,
        cache: null,
      },
    ] as never);
  });

  test("[P23] has thoughts in other places too", () => {
    expect(partsOf({ role: "assistant", content: "x", reasoning: "R" })[0]).toMatchObject({
      kind: "reasoning",
      text: "R",
      seal: chatSeal({ field: "reasoning" }),
    } as never);
    const details = [{ type: "reasoning.text", text: "T", signature: "s" }];
    expect(partsOf({ role: "assistant", content: "x", reasoning_details: details })[0]).toMatchObject({
      text: "T",
      seal: chatSeal({ field: "reasoning", details }),
    } as never);
    const content = [{ type: "thinking", thinking: [{ type: "text", text: "M" }] }];
    expect(partsOf({ role: "assistant", content })).toMatchObject([{ kind: "reasoning", text: "M" }]);
  });

  test("[P24] keeps what the upstream hung on its calls", () => {
    const extra_content = { google: { thought_signature: "sig" } };
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" }, extra_content };
    const [first, second] = partsOf({ role: "assistant", content: null, tool_calls: [call] });
    expect(first).toMatchObject({ text: "", seal: chatSeal({ tools: { a: extra_content } }) } as never);
    expect(second).toMatchObject({ kind: "tool-call", id: "a" });
  });

  test("has refusals as parts, and calls of custom tools", () => {
    const parts = partsOf({
      role: "assistant",
      content: [{ type: "refusal", refusal: "No." }],
      tool_calls: [{ id: "c", type: "custom", custom: { name: "patch", input: " as it is " } }],
    });
    expect(parts).toMatchObject([
      { kind: "refusal", text: "No." },
      { kind: "tool-call", tool: "custom", name: "patch", input: " as it is " },
    ]);
  });
});

describe("calls and results that do not fit are a problem:", () => {
  const withCall = (call: Json): Json => ({
    messages: [{ role: "assistant", content: null, tool_calls: [call] }],
  });
  const at = "messages[0].tool_calls[0]";

  test.each([
    [withCall({ type: "function", function: { name: "f", arguments: "{}" } }), `${at}.id`],
    [withCall({ id: "a", function: { arguments: "{}" } }), `${at}.function.name`],
    [withCall({ id: "a", function: { name: "f", arguments: {} } }), `${at}.function.arguments`],
    [withCall({ id: "a", function: { name: "f" } }), `${at}.function.arguments`],
    [withCall({ id: "a", type: "custom", custom: { name: "f" } }), `${at}.custom.input`],
    [withCall({ id: "a", type: "magic" }), `${at}.type`],
    [{ messages: [{ role: "assistant", content: "x", tool_calls: "a" }] }, "messages[0].tool_calls"],
    [
      { messages: [{ role: "assistant", function_call: { name: "f" } }] },
      "messages[0].function_call.arguments",
    ],
    [{ messages: [HELLO, { role: "tool", content: "x" }] }, "messages[1].tool_call_id"],
    [{ messages: [HELLO, { role: "tool", tool_call_id: "z", content: "x" }] }, "messages[1].tool_call_id"],
    [
      { messages: [{ role: "tool", tool_call_id: "a", content: "x" }, calls("a")] },
      "messages[0].tool_call_id",
    ],
    [{ messages: [calls("a"), { role: "tool", tool_call_id: "a" }] }, "messages[1]"],
    [{ messages: [HELLO, { role: "function", name: "f", content: "x" }] }, "messages[1].name"],
  ])("%j", (body, param) => {
    expect(problemOf(body)?.param).toBe(param);
  });
});
