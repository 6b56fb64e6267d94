import { describe, expect, test } from "bun:test";
import type { Reply, ReplyPart, StopReason } from "../../domain/chat.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import { headOf } from "./chat-codec.case.ts";
import { writeChatReply } from "./write-reply.ts";

const text = (said: string): ReplyPart => ({ kind: "text", text: said, citations: [], cache: null });
const call = (input: string, tool: "function" | "custom" = "function"): ReplyPart => ({
  kind: "tool-call",
  id: "a",
  name: "f",
  input,
  tool,
  namespace: null,
  cache: null,
});

function replyWith(parts: ReplyPart[], reason: StopReason = "end"): Reply {
  const stop = { reason, raw: null, sequence: null };
  return { id: "up-id", model: "up-model", createdSeconds: 1, parts, stop, usage: null };
}

function choiceOf(parts: ReplyPart[], reason: StopReason = "end"): unknown {
  return (writeChatReply(replyWith(parts, reason), headOf())["choices"] as unknown[])[0];
}

describe("a written answer", () => {
  test("[P63] [P10] is ours: the asked model, our id, our time", () => {
    const usage = { ...NO_USAGE, input: 1, output: 2 };
    expect(writeChatReply({ ...replyWith([text("Hi")]), usage }, headOf())).toEqual({
      id: "chatcmpl-abc123",
      object: "chat.completion",
      created: 42,
      model: "asked-model",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 1,
        completion_tokens: 2,
        total_tokens: 3,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  test("has no usage where none is known", () => {
    expect(writeChatReply(replyWith([]), headOf())).not.toHaveProperty("usage");
  });

  test("of calls alone has no content", () => {
    expect(choiceOf([call('{"x":1}')], "tool-calls")).toMatchObject({
      message: {
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
      },
      finish_reason: "tool_calls",
    });
    expect(choiceOf([call("***", "custom")])).toMatchObject({
      message: { tool_calls: [{ id: "a", type: "custom", custom: { name: "f", input: "***" } }] },
    });
  });

  test("[P7] has an empty object where a call has no arguments", () => {
    expect(choiceOf([call("")])).toMatchObject({
      message: { tool_calls: [{ function: { arguments: "{}" } }] },
    });
  });

  test("[P14] ends with tool_calls where there are any", () => {
    expect(choiceOf([text("x"), call("{}")], "end")).toMatchObject({ finish_reason: "tool_calls" });
  });

  test("[P22] [P23] has thoughts beside the content, and never their seals", () => {
    const seal = { origin: "messages", kind: "signature", value: "secret", id: null } as const;
    const thought = (said: string): ReplyPart => ({ kind: "reasoning", text: said, seal });
    const choice = choiceOf([thought("A"), thought(""), text("B"), thought("C")]);
    expect(choice).toMatchObject({ message: { content: "B", reasoning_content: "A\n\nC" } });
    expect(JSON.stringify(choice)).not.toContain("secret");
    const hidden = headOf({ reasoning: { effort: null, budgetTokens: null, shows: false } });
    expect(JSON.stringify(writeChatReply(replyWith([thought("A")]), hidden))).not.toContain(
      "reasoning_content",
    );
  });

  test("[P61] has a refusal in its own field", () => {
    expect(choiceOf([{ kind: "refusal", text: "No." }], "refusal")).toMatchObject({
      message: { content: null, refusal: "No." },
      finish_reason: "stop",
    });
  });

  test("[P60] has its sources, and leaves out what only another dialect has", () => {
    const cited: ReplyPart = {
      kind: "text",
      text: "defg",
      citations: [{ url: "https://x.test", title: "X", quote: null }],
      cache: null,
    };
    const choice = choiceOf([text("abc"), { kind: "foreign", type: "web_search_tool_result" }, cited]);
    const url_citation = { start_index: 3, end_index: 7, title: "X", url: "https://x.test" };
    expect(choice).toMatchObject({
      message: { content: "abcdefg", annotations: [{ type: "url_citation", url_citation }] },
    });
    expect(JSON.stringify(choice)).not.toContain("web_search");
  });

  test("of nothing has an empty content", () => {
    expect(choiceOf([], "length")).toMatchObject({ message: { content: "" }, finish_reason: "length" });
  });
});
