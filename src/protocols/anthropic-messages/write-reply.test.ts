import { describe, expect, test } from "bun:test";
import type { Reply, ReplyPart } from "../../domain/chat.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import { carriedSeal } from "../carry-seal.ts";
import { HEAD } from "../prompt.case.ts";
import { call, text, thought } from "./codec.case.ts";
import { writeMessagesReply } from "./write-reply.ts";

const REPLY: Reply = {
  id: "chatcmpl-secret",
  model: "gpt-upstream",
  createdSeconds: 1,
  parts: [text("Hello")],
  stop: { reason: "end", raw: "stop", sequence: null },
  usage: { ...NO_USAGE, input: 5, cacheRead: 6, cacheWrite1h: 2, output: 7 },
};
const content = (...parts: ReplyPart[]) =>
  writeMessagesReply({ ...REPLY, parts }, HEAD)["content"] as Record<string, unknown>[];

describe("a whole answer", () => {
  test("[P10] [P63] is a message with our id and the name that was asked for", () => {
    expect(writeMessagesReply(REPLY, HEAD)).toEqual({
      id: "msg_0190abcdef",
      type: "message",
      role: "assistant",
      model: "asked-model",
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 5,
        cache_read_input_tokens: 6,
        cache_creation_input_tokens: 2,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 2 },
        output_tokens: 7,
      },
    });
  });

  test("[P7] [P9] has calls with an object for their input, and ids of this dialect", () => {
    const [none, some, odd] = content(call("toolu_1", ""), call("call_1", '{"a":1}'), call("f.B:0", "{cut"));
    expect(none).toEqual({ type: "tool_use", id: "toolu_1", name: "look", input: {} });
    expect(some).toMatchObject({ input: { a: 1 } });
    expect(odd).toMatchObject({ id: expect.stringMatching(/^toolu_[\w-]+$/), input: { input: "{cut" } });
  });

  test("[P13] stops for tools that it calls", () => {
    const called = writeMessagesReply({ ...REPLY, parts: [text("a"), call("c")] }, HEAD);
    expect(called["stop_reason"]).toBe("tool_use");
  });

  test("[P18] [P19] [P22] has thoughts with their seals, in their own field", () => {
    const seal = { origin: "chat", kind: "signature", value: "{}", id: null } as const;
    const [own, bare, carried, hidden, ...rest] = content(
      thought("a", "SIG"),
      { kind: "reasoning", text: "b", seal: null },
      { kind: "reasoning", text: "", seal },
      {
        kind: "reasoning",
        text: "",
        seal: { origin: "messages", kind: "ciphertext", value: "RED", id: null },
      },
      { kind: "reasoning", text: "", seal: null },
    );
    expect(own).toEqual({ type: "thinking", thinking: "a", signature: "SIG" });
    expect(bare).toEqual({ type: "thinking", thinking: "b", signature: "" });
    expect(carriedSeal(String(carried?.["signature"]))).toEqual(seal);
    expect(hidden).toEqual({ type: "redacted_thinking", data: "RED" });
    expect(rest).toEqual([]);
  });

  test("[P60] cites, and leaves out what only another maker knows", () => {
    const citations = [{ url: "https://a.example", title: "A", quote: null }];
    expect(content({ kind: "foreign", type: "web_search_call" }, { ...text("a"), citations })).toMatchObject([
      { type: "text", text: "a", citations: [{ url: "https://a.example", title: "A", cited_text: "" }] },
    ]);
  });

  test("[P61] refuses in words and by its reason", () => {
    const refused = writeMessagesReply({ ...REPLY, parts: [{ kind: "refusal", text: "No." }] }, HEAD);
    expect(refused).toMatchObject({ content: [{ type: "text", text: "No." }], stop_reason: "refusal" });
  });

  test("[P32] has a guess where nobody counted", () => {
    expect(writeMessagesReply({ ...REPLY, usage: null }, HEAD)).toMatchObject({
      usage: { input_tokens: 11, output_tokens: 2 },
    });
  });
});
