import { describe, expect, test } from "bun:test";
import type { PartStart, ReplyEvent, Stop, StopReason } from "../../domain/chat.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import type { Json } from "../protocol.ts";
import { unfoldReply } from "../unfold.ts";
import {
  chunk,
  chunksOf,
  deltasOf,
  eventsOf,
  headOf,
  replyOf,
  streamOf,
  toolChunk,
} from "./chat-codec.case.ts";
import { writeChatReply } from "./write-reply.ts";
import { chatStreamWriter } from "./write-stream.ts";

const start: ReplyEvent = { kind: "start", id: "up-id", model: "up-model", createdSeconds: 1, usage: null };
const stopped = (reason: StopReason): Stop => ({ reason, raw: null, sequence: null });
const usage = { ...NO_USAGE, input: 3, cacheRead: 4, output: 5 };
const end = (reason: StopReason = "end"): ReplyEvent => ({ kind: "end", stop: stopped(reason), usage });

function part(index: number, begun: PartStart, ...texts: string[]): ReplyEvent[] {
  return [
    { kind: "part-start", index, part: begun },
    ...texts.map((text): ReplyEvent => ({ kind: "part-delta", index, text })),
    { kind: "part-end", index },
  ];
}

const call = (id: string, tool: "function" | "custom" = "function"): PartStart => ({
  kind: "tool-call",
  id,
  name: "f",
  tool,
  namespace: null,
});
const finishOf = (stream: string) => chunksOf(stream).at(-1)?.["choices"];

describe("a written stream", () => {
  test("is what OpenAI would send, byte for byte", () => {
    const head = '"id":"chatcmpl-abc123","object":"chat.completion.chunk","created":42,"model":"asked-model"';
    const line = (delta: string, finish = "null") =>
      `data: {${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`;
    expect(streamOf([start, ...part(0, { kind: "text" }, 'a"b', "\u2028\n"), end()])).toBe(
      [
        line('{"role":"assistant","content":"","refusal":null}'),
        line('{"content":"a\\"b"}'),
        line('{"content":"\u2028\\n"}'),
        line("{}", '"stop"'),
        "data: [DONE]\n\n",
      ].join(""),
    );
  });

  test("[P63] [P10] has the asked model and our own id on every chunk, and nothing of the upstream’s", () => {
    const stream = streamOf([start, ...part(0, { kind: "text" }, "x"), end()], { wantsUsage: true });
    for (const one of chunksOf(stream))
      expect(one).toMatchObject({ id: "chatcmpl-abc123", model: "asked-model", created: 42 });
    expect(stream).not.toContain("up-");
  });

  test("[P28] has the usage only for who asked for it, after the finish and with no choices", () => {
    const events = [start, ...part(0, { kind: "text" }, "x"), end()];
    expect(streamOf(events)).not.toContain("usage");
    const stream = streamOf(events, { wantsUsage: true });
    const chunks = chunksOf(stream);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    });
    expect(chunks.slice(0, -1).every(one => one["usage"] === null)).toBe(true);
    expect(stream).toEndWith("}\n\ndata: [DONE]\n\n");
    const silent = streamOf([start, { kind: "end", stop: stopped("end"), usage: null }], {
      wantsUsage: true,
    });
    expect(chunksOf(silent).at(-1)?.["choices"]).toHaveLength(1);
  });

  test("[P3] [P4] counts tools, not parts", () => {
    const stream = streamOf([
      start,
      ...part(0, { kind: "reasoning" }, "Hm."),
      ...part(1, { kind: "text" }, "So."),
      ...part(2, call("a"), "{", "}"),
      ...part(3, { kind: "text" }, "And."),
      ...part(4, call("b"), "{}"),
      end("tool-calls"),
    ]);
    const tools = deltasOf(stream).flatMap(delta => delta["tool_calls"] ?? []);
    expect(tools).toEqual([
      { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } },
      { index: 0, function: { arguments: "{" } },
      { index: 0, function: { arguments: "}" } },
      { index: 1, id: "b", type: "function", function: { name: "f", arguments: "" } },
      { index: 1, function: { arguments: "{}" } },
    ]);
  });

  test("[P2] lets calls overlap", () => {
    const stream = streamOf([
      start,
      { kind: "part-start", index: 5, part: call("a") },
      { kind: "part-start", index: 7, part: call("b") },
      { kind: "part-delta", index: 7, text: "B" },
      { kind: "part-delta", index: 5, text: "A" },
      { kind: "part-end", index: 5 },
      { kind: "part-end", index: 7 },
      end(),
    ]);
    const pieces = deltasOf(stream).flatMap(delta => delta["tool_calls"] ?? []);
    expect(pieces.slice(2)).toEqual([
      { index: 1, function: { arguments: "B" } },
      { index: 0, function: { arguments: "A" } },
    ]);
  });

  test("[P7] gives a call without arguments an empty object, and a custom one nothing", () => {
    expect(deltasOf(streamOf([start, ...part(0, call("a")), end()]))).toContainEqual({
      tool_calls: [{ index: 0, function: { arguments: "{}" } }],
    });
    const custom = deltasOf(streamOf([start, ...part(0, call("a", "custom"), "***"), end()]));
    expect(custom.slice(1, 3)).toEqual([
      { tool_calls: [{ index: 0, id: "a", type: "custom", custom: { name: "f", input: "" } }] },
      { tool_calls: [{ index: 0, custom: { input: "***" } }] },
    ]);
    expect(JSON.stringify(custom)).not.toContain("{}}");
  });

  test("[P23] has thoughts beside the content, unless the client does not want them", () => {
    const events = [
      start,
      ...part(0, { kind: "reasoning" }, "A"),
      ...part(1, { kind: "reasoning" }, "B", "C"),
      end(),
    ];
    const told = deltasOf(streamOf(events)).map(delta => delta["reasoning_content"] ?? "");
    expect(told.join("")).toBe("A\n\nBC");
    const hidden = { reasoning: { effort: "low", budgetTokens: null, shows: false } };
    expect(streamOf(events, hidden)).not.toContain("reasoning");
  });

  test("[P22] has no seals, for it has no place that would bring them back", () => {
    const seal = { origin: "messages", kind: "signature", value: "secret-signature", id: null } as const;
    const stream = streamOf([
      start,
      { kind: "part-start", index: 0, part: { kind: "reasoning" } },
      { kind: "part-seal", index: 0, seal },
      { kind: "part-end", index: 0 },
      ...part(1, { kind: "foreign", type: "server_tool_use" }),
      end(),
    ]);
    expect(stream).not.toContain("secret");
    expect(chunksOf(stream)).toHaveLength(2);
  });

  test("[P60] has the sources of a text at its end", () => {
    const citation = { url: "https://x.test", title: null, quote: "said" };
    const stream = streamOf([
      start,
      ...part(0, { kind: "text" }, "abc"),
      { kind: "part-start", index: 1, part: { kind: "text" } },
      { kind: "part-citation", index: 1, citation },
      { kind: "part-delta", index: 1, text: "defg" },
      { kind: "part-end", index: 1 },
      end(),
    ]);
    const url_citation = { start_index: 3, end_index: 7, title: "", url: "https://x.test", content: "said" };
    expect(deltasOf(stream).at(-2)).toEqual({ annotations: [{ type: "url_citation", url_citation }] });
  });

  test("[P61] has refusals in their own field", () => {
    const stream = streamOf([start, ...part(0, { kind: "refusal" }, "No."), end("refusal")]);
    expect(deltasOf(stream)[1]).toEqual({ refusal: "No." });
    expect(finishOf(stream)).toMatchObject([{ finish_reason: "stop" }]);
    expect(finishOf(streamOf([start, end("refusal")]))).toMatchObject([{ finish_reason: "content_filter" }]);
  });

  test("[P14] ends with tool_calls where there were any", () => {
    expect(finishOf(streamOf([start, ...part(0, call("a"), "{}"), end("end")]))).toMatchObject([
      { finish_reason: "tool_calls" },
    ]);
  });

  test("[P41] [P42] that fails ends with the error as a whole event, and no last word", () => {
    const writer = chatStreamWriter(headOf());
    writer.write(start);
    expect(writer.write({ kind: "failure", message: "upstream secret" })).toBe("");
    expect(writer.failure({ error: { message: "x" } })).toBe('data: {"error":{"message":"x"}}\n\n');
    expect(writer.write(end())).toBe("");
    expect(writer.failure({})).toBe("");
  });

  test("[P43] has nothing after its end", () => {
    const writer = chatStreamWriter(headOf());
    expect(writer.write(end())).toEndWith("data: [DONE]\n\n");
    expect(writer.write(end()) + writer.write(start) + writer.failure({})).toBe("");
  });

  test("begins with the role even where nothing began it", () => {
    expect(deltasOf(streamOf([end()]))[0]).toMatchObject({ role: "assistant", content: "" });
  });
});

describe("[P31] a stream and a whole answer", () => {
  test("tell the same", () => {
    const streamed = [
      chunk({ reasoning: "A" }),
      chunk({ content: "B" }),
      chunk({ reasoning: "C" }),
      chunk({
        content: "D",
        annotations: [{ type: "url_citation", url_citation: { url: "https://x.test" } }],
      }),
      toolChunk({ index: 0, id: "a", function: { name: "f", arguments: "" } }),
      chunk({}, { finish_reason: "stop" }),
      "[DONE]",
    ];
    const reply = replyOf(streamed);
    const message = {
      content: "BD",
      reasoning_content: "A\n\nC",
      call: "{}",
      sources: [[1, 2]],
      end: "tool_calls",
    };
    expect(gathered(streamOf(eventsOf(streamed)))).toEqual(message);
    expect(gathered(streamOf(unfoldReply(reply)))).toEqual(message);
    const [choice] = writeChatReply(reply, headOf())["choices"] as { message: Json; finish_reason: string }[];
    const whole = { choices: [{ delta: choice?.message, finish_reason: choice?.finish_reason }] };
    expect(gathered(`data: ${JSON.stringify(whole)}\n\n`)).toEqual(message);
  });
});

type Source = { url_citation: { start_index: number; end_index: number } };

/** What a client has at the end of a stream. */
function gathered(stream: string): Json {
  const deltas = deltasOf(stream);
  const joined = (field: string) => deltas.map(delta => delta[field] ?? "").join("");
  const calls = deltas.flatMap(delta => (delta["tool_calls"] ?? []) as { function: { arguments: string } }[]);
  const sources = deltas.flatMap(delta => (delta["annotations"] ?? []) as Source[]);
  const [finish] = finishOf(stream) as { finish_reason: string }[];
  return {
    content: joined("content"),
    reasoning_content: joined("reasoning_content"),
    call: calls.map(call => call.function.arguments).join(""),
    sources: sources.map(({ url_citation: { start_index, end_index } }) => [start_index, end_index]),
    end: finish?.finish_reason,
  };
}
