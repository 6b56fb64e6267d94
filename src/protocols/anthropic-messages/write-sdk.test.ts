import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import type { ReplyEvent } from "../../domain/chat.ts";
import { foldReply } from "../fold.ts";
import { HEAD } from "../prompt.case.ts";
import { replies } from "../reply.case.ts";
import { unfoldReply } from "../unfold.ts";
import { promptOf } from "./codec.case.ts";
import { writeMessagesReply } from "./write-reply.ts";
import { messagesStreamWriter } from "./write-stream.ts";

/** What the dialect's own client makes of our streams. */
async function received(stream: string): Promise<unknown> {
  const answer = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const client = new Anthropic({ apiKey: "k", baseURL: "http://127.0.0.1:9", fetch: answer, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const message = await client.messages.stream({ model: "m", max_tokens: 9, messages }).finalMessage();
  return JSON.parse(JSON.stringify(message)) as unknown;
}

function streamOf(events: readonly ReplyEvent[]): string {
  const writer = messagesStreamWriter(HEAD);
  return events.map(event => writer.write(event)).join("");
}

describe("the SDK", () => {
  test("[P31] makes of a stream the same message as we write whole", async () => {
    await fc.assert(
      fc.asyncProperty(replies, async reply => {
        const events = unfoldReply(reply);
        const whole = JSON.parse(
          JSON.stringify(writeMessagesReply(foldReply(events) ?? reply, HEAD)),
        ) as object;
        const streamed = (await received(streamOf(events))) as object;
        expect(comparable(streamed)).toEqual(comparable(whole));
      }),
      { numRuns: 60 },
    );
  });

  test("[P2] gets calls whole that came in pieces and out of order", async () => {
    const part = (id: string) =>
      ({ kind: "tool-call", id, name: "look", tool: "function", namespace: null }) as const;
    const stop = { reason: "tool-calls", raw: null, sequence: null } as const;
    const stream = streamOf([
      { kind: "start", id: "", model: "", createdSeconds: null, usage: null },
      { kind: "part-start", index: 0, part: part("toolu_a") },
      { kind: "part-start", index: 1, part: part("toolu_b") },
      { kind: "part-delta", index: 1, text: '{"b":' },
      { kind: "part-delta", index: 0, text: '{"a":' },
      { kind: "part-delta", index: 1, text: "2}" },
      { kind: "part-delta", index: 0, text: "1}" },
      { kind: "part-end", index: 0 },
      { kind: "part-end", index: 1 },
      { kind: "end", stop, usage: null },
    ]);
    expect(await received(stream)).toMatchObject({
      content: [
        { type: "tool_use", id: "toolu_a", input: { a: 1 } },
        { type: "tool_use", id: "toolu_b", input: { b: 2 } },
      ],
      stop_reason: "tool_use",
    });
  });

  test("[P41] throws our sentence where the stream failed", async () => {
    const writer = messagesStreamWriter(HEAD);
    const start = writer.write({ kind: "start", id: "", model: "", createdSeconds: null, usage: null });
    const body = { type: "error", error: { type: "api_error", message: "The upstream failed." } };
    await expect(received(start + writer.failure(body))).rejects.toThrow("The upstream failed.");
  });
});

/** The SDK adds what it parsed, and takes the two kinds of cache writes from the beginning of a stream only. */
function comparable(message: object): unknown {
  const { usage, parsed_output: _, ...rest } = message as { usage: object; parsed_output?: null };
  const { cache_creation: __, ...counted } = usage as { cache_creation: object };
  return { ...rest, usage: counted };
}

test("what was answered can be brought back", () => {
  fc.assert(
    fc.property(replies, reply => {
      const { content } = writeMessagesReply(reply, HEAD);
      const messages = [
        { role: "user", content: "hi" },
        { role: "assistant", content },
      ];
      const [, turn] = promptOf({ messages }).turns;
      const seals = (parts: readonly { kind: string; seal?: unknown }[]) =>
        parts.flatMap(part => (part.kind === "reasoning" ? [part.seal] : []));
      expect(seals(turn?.parts ?? [])).toEqual(seals(reply.parts));
      const ids = (parts: readonly { kind: string; id?: string }[]) =>
        parts.flatMap(part => (part.kind === "tool-call" ? [part.id] : []));
      expect(ids(turn?.parts ?? [])).toEqual(ids(reply.parts));
    }),
  );
});
