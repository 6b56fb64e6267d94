import { describe, expect, test } from "bun:test";
import type { Reply } from "../../domain/chat.ts";
import type { Json } from "../protocol.ts";
import { unfoldReply } from "../unfold.ts";
import {
  chunk,
  chunksOf,
  HAS_RECORDINGS,
  headOf,
  NO_RECORDINGS,
  recordedAnswer,
  recordedChunks,
  replyOf,
  streamOf,
  toolChunk,
  USAGE,
} from "./chat-codec.case.ts";
import { readChatReply } from "./read-reply.ts";
import { writeChatReply } from "./write-reply.ts";

function whole(message: Json, rest: Json = {}): Json {
  const { choices: _, ...head } = chunk({});
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", ...rest }];
  return { ...head, object: "chat.completion", choices, usage: USAGE };
}

const end = (finish_reason = "stop") => [{ ...chunk({}, { finish_reason }), usage: USAGE }, "[DONE]"];
const fn = (name: string, text: string) => ({ name, arguments: text });
const signed = { google: { thought_signature: "sig" } };

describe("[P31] an answer is the same whole and as a stream:", () => {
  const pairs: [string, Json, (Json | string)[]][] = [
    ["text", whole({ content: "Hello" }), [chunk({ content: "Hel" }), chunk({ content: "lo" }), ...end()]],
    ["nothing", whole({ content: "" }), [chunk({ content: "" }), ...end()]],
    [
      "thoughts and text",
      whole({ content: "So.", reasoning_content: "Hm." }),
      [
        chunk({ reasoning_content: "H" }),
        chunk({ reasoning_content: "m." }),
        chunk({ content: "So." }),
        ...end(),
      ],
    ],
    [
      "thoughts between tags",
      whole({ content: "<think>\nHm.\n</think>\n\nSo." }),
      [..."<think>\nHm.\n</think>\n\nSo."].map(letter => chunk({ content: letter })).concat(end() as Json[]),
    ],
    [
      "a list of parts",
      whole({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
          { type: "text", text: "So." },
        ],
      }),
      [chunk({ content: [{ type: "thinking", thinking: "Hm." }] }), chunk({ content: "So." }), ...end()],
    ],
    [
      "a refusal",
      whole({ content: null, refusal: "No." }),
      [chunk({ content: null, refusal: "N" }), chunk({ refusal: "o." }), ...end()],
    ],
    [
      "text with sources",
      whole({
        content: "Hi",
        annotations: [{ type: "url_citation", url_citation: { url: "https://x.test" } }],
      }),
      [
        chunk({ content: "Hi" }),
        chunk({ annotations: [{ type: "url_citation", url_citation: { url: "https://x.test" } }] }),
        ...end(),
      ],
    ],
    [
      "thoughts, text and signed calls",
      whole(
        {
          reasoning: "Hm.",
          content: "So.",
          tool_calls: [
            { index: 0, id: "a", type: "function", function: fn("f", '{"x":1}'), extra_content: signed },
            { index: 0, id: "b", type: "function", function: fn("g", "") },
          ],
        },
        { finish_reason: "tool_calls" },
      ),
      [
        chunk({ reasoning: "Hm." }),
        chunk({ content: "So." }),
        toolChunk({ index: 0, id: "a", function: fn("f", ""), extra_content: signed }),
        toolChunk({ index: 1, id: "b", function: fn("g", "") }),
        toolChunk({ index: 0, function: { arguments: '{"x":1}' } }),
        ...end("tool_calls"),
      ],
    ],
    [
      "calls without ids or indexes",
      whole({ tool_calls: [{ function: fn("f", "{}") }, { function: fn("f", "{}") }] }),
      [toolChunk({ function: fn("f", "{}") }, { function: fn("f", "{}") }), ...end()],
    ],
    [
      "a call of the time before tools",
      whole({ content: null, function_call: fn("f", "{}") }, { finish_reason: "function_call" }),
      [
        chunk({ function_call: fn("f", "{") }),
        chunk({ function_call: { arguments: "}" } }),
        ...end("function_call"),
      ],
    ],
  ];

  test.each(pairs)("%s", (_, body, chunks) => {
    const read = readChatReply(body);
    expect(read).not.toBeNull();
    expect(replyOf(chunks)).toEqual(read as Reply);
  });
});

describe("a whole answer", () => {
  test("has its own id, model and time, and the first of its choices", () => {
    const body = whole({ content: "yes" });
    const other = { index: 1, message: { content: "no" }, finish_reason: "stop" };
    const read = readChatReply({ ...body, choices: [other, ...(body["choices"] as Json[])] });
    expect(read).toMatchObject({ id: "chatcmpl-up", model: "up-model", createdSeconds: 1_700_000_000 });
    expect(read?.parts).toMatchObject([{ kind: "text", text: "yes" }]);
  });

  test("without a reason for its end has ended", () => {
    expect(readChatReply(whole({ content: "x" }, { finish_reason: null }))?.stop).toEqual({
      reason: "end",
      raw: null,
      sequence: null,
    });
  });

  test("[P48] that is none is null, with whatever status it came", () => {
    const good = whole({ content: "x" });
    for (const body of [
      {},
      { error: { message: "no" } },
      { ...good, error: "no" },
      { ...good, choices: [] },
      { ...good, choices: null },
      { ...good, choices: [{ index: 0 }] },
      { ...good, choices: [{ index: 0, message: {}, error: { message: "router" } }] },
      { object: "error", message: "vllm" },
      { object: "list", data: [] },
    ])
      expect(readChatReply(body)).toBeNull();
    expect(readChatReply({ ...good, error: null })).not.toBeNull();
  });

  test("never breaks the reader, whatever it has in it", () => {
    const odd: unknown[] = [null, 0, "", "x", true, [], [[]], [null], {}, { a: 1 }, [{}]];
    const names = [
      "content",
      "refusal",
      "reasoning",
      "reasoning_content",
      "reasoning_details",
      "annotations",
    ];
    for (const value of odd)
      for (const name of [...names, "tool_calls", "function_call"])
        expect(() => readChatReply(whole({ [name]: value }, { finish_reason: value }))).not.toThrow();
  });
});

describe.skipIf(!HAS_RECORDINGS)(`recorded answers of real providers${NO_RECORDINGS}`, () => {
  const names = [
    "deepseek-reasoning",
    "deepseek-tool-call",
    "groq-tool-call",
    "mistral-text",
    "mistral-tool-call",
    "openai-text",
  ];
  const shape = (reply: Reply | null) =>
    reply?.parts.map(part => (part.kind === "tool-call" ? part.name : part.kind));

  test.each(names)("%s has the same parts whole and as a stream, and its usage", name => {
    const body = recordedAnswer(name);
    const read = readChatReply(body);
    const streamed = replyOf(recordedChunks(name));
    expect(shape(streamed)).toEqual(shape(read) ?? ["no answer"]);
    expect(streamed.stop).toEqual(read?.stop ?? streamed.stop);
    const { prompt_tokens } = body["usage"] as { prompt_tokens: number };
    expect((read?.usage?.input ?? 0) + (read?.usage?.cacheRead ?? 0)).toBe(prompt_tokens);
    expect(streamed.usage?.output).toBeGreaterThan(0);
    expect(
      streamed.parts.every(part => part.kind === "foreign" || part.kind === "tool-call" || part.text !== ""),
    ).toBe(true);
  });

  test("have the arguments of their calls whole", () => {
    expect(replyOf(recordedChunks("deepseek-tool-call")).parts.at(-1)).toMatchObject({
      kind: "tool-call",
      name: "weather",
      input: '{"location": "San Francisco"}',
    });
    expect(replyOf(recordedChunks("groq-tool-call")).parts).toMatchObject([{ input: "{}" }]);
    expect(replyOf(recordedChunks("mistral-tool-call")).parts).toMatchObject([{ id: "gSIMJiOkT" }]);
  });

  test.each(names)("%s, written for a client and read again, says the same", name => {
    const reply = replyOf(recordedChunks(name));
    const said = ({ parts, stop, usage }: Reply) => ({
      parts: parts.map(withoutSeal),
      reason: stop.reason,
      usage,
    });
    const again = readChatReply(writeChatReply(reply, headOf()));
    expect(again === null ? null : said(again)).toEqual(said(reply));
    const chunks = chunksOf(streamOf(unfoldReply(reply), { wantsUsage: true }));
    expect(said(replyOf([...chunks, "[DONE]"]))).toEqual(said(reply));
  });

  test("of another kind are no answers", () => {
    expect(readChatReply(recordedAnswer("openai-embedding"))).toBeNull();
    expect(readChatReply(recordedAnswer("openai-image"))).toBeNull();
  });
});

function withoutSeal(part: Reply["parts"][number]): Reply["parts"][number] {
  return part.kind === "reasoning" ? { ...part, seal: null } : part;
}
