import { describe, expect, test } from "bun:test";
import type { Reply } from "../../domain/chat.ts";
import type { Json } from "../protocol.ts";
import { COMPATIBLE, chunk, messagesOf, OPENAI, replyOf, text, toolChunk } from "./chat-codec.case.ts";

const done = "[DONE]";
const seal = (value: Json) => ({ origin: "chat", kind: "signature", value: JSON.stringify(value), id: null });
const thoughts = (reply: Reply) => reply.parts.filter(({ kind }) => kind === "reasoning");
const signed = (signature: string) => ({ google: { thought_signature: signature } });
const toolCall = (id: string, rest: Json = {}) => ({
  index: 0,
  id,
  function: { name: "f", arguments: "{}" },
  ...rest,
});

/** The assistant's message that a reply comes back as. */
function broughtBack(reply: Reply, target = COMPATIBLE): Json {
  const turns = [
    { role: "user" as const, parts: [text("Hi")] },
    { role: "assistant" as const, parts: [...reply.parts] },
  ];
  return messagesOf(turns, target)[1] ?? {};
}

describe("what a model thought", () => {
  test.each(["reasoning_content", "reasoning"])("[P23] in %s comes back there", field => {
    const reply = replyOf([
      chunk({ [field]: "H" }),
      chunk({ [field]: "m.", content: null }),
      chunk({ content: "So.", [field]: null }),
      done,
    ]);
    expect(reply.parts).toEqual([
      { kind: "reasoning", text: "Hm.", seal: seal({ field }) },
      { kind: "text", text: "So.", citations: [], cache: null },
    ] as never);
    expect(broughtBack(reply)).toEqual({ role: "assistant", content: "So.", [field]: "Hm." });
    expect(JSON.stringify(broughtBack(reply, OPENAI))).not.toContain("Hm.");
  });

  test("[P23] between tags at the beginning of the content is no content", () => {
    const pieces = ["\n<th", "ink>\nHm", ".</thi", "nk>", "\n\n", "So. <think>"];
    const reply = replyOf([...pieces.map(content => chunk({ content })), done]);
    expect(reply.parts).toMatchObject([
      { kind: "reasoning", text: "Hm.", seal: seal({ field: "think" }) },
      { kind: "text", text: "So. <think>" },
    ] as never);
    expect(broughtBack(reply)).toEqual({
      role: "assistant",
      content: "<think>\nHm.\n</think>\n\nSo. <think>",
    });
  });

  test("[P23] in Mistral’s list comes back in a list", () => {
    const reply = replyOf([
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] }),
      chunk({
        content: [
          { type: "text", text: "So" },
          { type: "reference", reference_ids: [1] },
        ],
      }),
      chunk({ content: "." }),
      done,
    ]);
    expect(reply.parts).toMatchObject([
      { kind: "reasoning", text: "Hm." },
      { kind: "text", text: "So." },
    ]);
    expect(broughtBack(reply)["content"]).toEqual([
      { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
      { type: "text", text: "So." },
    ]);
  });

  test("[P23] is not doubled where two fields have it", () => {
    const reasoning_details = [{ type: "reasoning.text", text: "Hm.", index: 0 }];
    const reply = replyOf([chunk({ reasoning: "Hm.", reasoning_content: "Hm.", reasoning_details }), done]);
    expect(thoughts(reply)).toMatchObject([{ text: "Hm." }]);
  });

  test("[P19] [P23] in OpenRouter’s details comes back as it would have come whole", () => {
    const detail = (rest: Json) => ({ type: "reasoning.text", index: 0, format: "x", ...rest });
    const sealed = { type: "reasoning.encrypted", data: "c2Vj", index: 1 };
    const reply = replyOf([
      chunk({ reasoning_details: [detail({ text: "H" })] }),
      chunk({ reasoning_details: [detail({ text: "m.", signature: null })] }),
      chunk({ reasoning_details: [detail({ text: "", signature: "sig" })] }),
      chunk({ content: "So." }),
      chunk({ reasoning_details: [sealed], tool_calls: [toolCall("a")] }),
      done,
    ]);
    expect(thoughts(reply).map(part => part.kind === "reasoning" && part.text)).toEqual(["Hm.", ""]);
    expect(broughtBack(reply)["reasoning_details"]).toEqual([
      { type: "reasoning.text", index: 0, format: "x", text: "Hm.", signature: "sig" },
      sealed,
    ]);
  });

  test("after a text is a part of its own, and the text goes on in a third", () => {
    const chunks = [{ reasoning: "A" }, { content: "B" }, { reasoning: "C" }, { content: "D" }];
    expect(replyOf([...chunks.map(delta => chunk(delta)), done]).parts).toMatchObject([
      { kind: "reasoning", text: "A" },
      { kind: "text", text: "B" },
      { kind: "reasoning", text: "C" },
      { kind: "text", text: "D" },
    ]);
  });
});

describe("a thought signature on a tool call", () => {
  test("[P24] comes back on its call", () => {
    const reply = replyOf([
      chunk({ content: "Look:" }),
      toolChunk(toolCall("a", { extra_content: signed("one") }), toolCall("b", { index: 1 })),
      done,
    ]);
    expect(reply.parts.map(({ kind }) => kind)).toEqual(["text", "reasoning", "tool-call", "tool-call"]);
    expect(thoughts(reply)).toEqual([
      { kind: "reasoning", text: "", seal: seal({ tools: { a: signed("one") } }) },
    ] as never);
    const back = broughtBack(reply, { ...COMPATIBLE, model: "gemini-3-pro" });
    expect(back["tool_calls"]).toMatchObject([{ id: "a", extra_content: signed("one") }, { id: "b" }]);
    expect((back["tool_calls"] as Json[])[1]).not.toHaveProperty("extra_content");
    expect(back["content"]).toBe("Look:");
  });

  test("[P24] shares the seal of the thought right before it", () => {
    const reply = replyOf([
      chunk({ reasoning_content: "Hm." }),
      toolChunk(toolCall("a", { extra_content: signed("one") })),
      done,
    ]);
    expect(thoughts(reply)).toEqual([
      {
        kind: "reasoning",
        text: "Hm.",
        seal: seal({ field: "reasoning_content", tools: { a: signed("one") } }),
      },
    ] as never);
  });

  test("[P24] is the last that was not empty", () => {
    const later = (signature: string) => toolChunk({ index: 0, extra_content: signed(signature) });
    const first = toolChunk(toolCall("a", { extra_content: signed("old") }));
    const reply = replyOf([first, later("new"), later(""), done]);
    expect(broughtBack(reply)["tool_calls"]).toMatchObject([{ id: "a", extra_content: signed("new") }]);
  });

  test("[P24] is made up for Gemini where there is none, on the first of the calls", () => {
    const reply = replyOf([toolChunk(toolCall("a"), toolCall("b", { index: 1 })), done]);
    const back = broughtBack(reply, { ...COMPATIBLE, model: "google/gemini-3.5-flash" });
    const [first, second] = back["tool_calls"] as Json[];
    expect(first?.["extra_content"]).toEqual(signed("skip_thought_signature_validator"));
    expect(second).not.toHaveProperty("extra_content");
    const other = broughtBack(reply, { ...COMPATIBLE, model: "gemini-2.5-pro" });
    expect(JSON.stringify(other)).not.toContain("extra_content");
  });
});
