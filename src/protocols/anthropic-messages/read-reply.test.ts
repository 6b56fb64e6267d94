import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_USAGE } from "../../domain/usage.ts";
import type { Json } from "../protocol.ts";
import { NO_RECORDINGS, recordings } from "../tap.case.ts";
import { text } from "./codec.case.ts";
import { readMessagesReply } from "./read-reply.ts";

const BODY = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "a" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
};

describe("recorded answers", () => {
  const whole = recordings("messages", ".json");
  if (whole.length === 0) test.skip(NO_RECORDINGS, () => {});
  const found = (name: string) => {
    const body = whole.find(recording => recording.name.includes(name))?.text ?? "{}";
    return readMessagesReply(JSON.parse(body) as Json);
  };

  test.skipIf(whole.length === 0)("are read each in its own way", () => {
    expect(found("anthropic-text")).toMatchObject({
      id: "msg_01VdEjxAP5ahtHKrrRdNBteQ",
      model: "claude-sonnet-4-5-20250929",
      createdSeconds: null,
      parts: [{ kind: "text" }],
      stop: { reason: "end", raw: "end_turn", sequence: null },
      usage: { ...NO_USAGE, input: 12, output: 29 },
    });
    expect(found("tool-no-args")).toMatchObject({
      parts: [{ kind: "text" }, { kind: "tool-call", name: "updateIssueList", input: "{}" }],
      stop: { reason: "tool-calls" },
    });
    expect(found("json-tool")?.parts).toMatchObject([
      { kind: "tool-call", id: "toolu_01Q9ExVZnzZj7E2QQYHYtNUa" },
    ]);
    expect(found("clear-thinking")?.parts).toMatchObject([
      { kind: "reasoning", text: "925 divided by 5 = 185", seal: { origin: "messages", kind: "signature" } },
      text("925 ÷ 5 = 185"),
    ]);
  });

  test.skipIf(whole.length === 0)("[P60] have citations, and what only their maker knows", () => {
    const kinds = found("web-fetch-tool.error")?.parts.map(part => part.kind);
    expect(kinds).toEqual(["text", "foreign", "foreign", "text"]);
    const cited = found("web-search")?.parts.flatMap(part => (part.kind === "text" ? part.citations : []));
    expect(cited?.[0]).toMatchObject({ url: "https://acecomments.mu.nu/?post=411647" });
  });

  test.skipIf(whole.length === 0)("[P61] have the reason of a refusal", () => {
    expect(found("refusal")).toMatchObject({
      parts: [{ kind: "refusal", text: expect.stringContaining("Usage Policy") }],
      stop: { reason: "refusal", raw: "refusal" },
    });
  });
});

describe("an answer", () => {
  test("[P13] that calls a tool stops for it, whatever it says", () => {
    const content = [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }];
    expect(readMessagesReply({ ...BODY, content })?.stop.reason).toBe("tool-calls");
    expect(readMessagesReply({ ...BODY, content, stop_reason: null })?.stop.reason).toBe("tool-calls");
  });

  test("[P32] may report no usage that can be believed", () => {
    expect(readMessagesReply({ ...BODY, usage: { input_tokens: -1 } })).toMatchObject({ usage: null });
  });

  test("[P48] is none where it is an error", () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    expect(readMessagesReply({ type: "error", error })).toBeNull();
    expect(readMessagesReply({ ...BODY, error })).toBeNull();
    expect(readMessagesReply({})).toBeNull();
    expect(readMessagesReply({ ...BODY, content: "a" })).toBeNull();
    expect(readMessagesReply({ ...BODY, error: null })).not.toBeNull();
  });

  test("of any shape does not make it throw", () => {
    const block = fc.record({
      type: fc.constantFrom<unknown>("text", "thinking", "redacted_thinking", "tool_use", "x", null, 1),
      text: fc.jsonValue(),
      id: fc.jsonValue(),
      input: fc.jsonValue(),
      citations: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(block, fc.jsonValue())), fc.jsonValue(), (content, rest) => {
        expect(readMessagesReply({ ...BODY, content, usage: rest, stop_details: rest })).not.toBeNull();
      }),
    );
  });
});
