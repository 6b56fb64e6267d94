import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import OpenAI from "openai";
import type { Reply } from "../../domain/chat.ts";
import { HEAD } from "../prompt.case.ts";
import { repliesWith } from "../reply.case.ts";
import { unfoldReply } from "../unfold.ts";
import { writeChatReply } from "./write-reply.ts";
import { chatStreamWriter } from "./write-stream.ts";

const replies = repliesWith({ seals: "chat", custom: false, citations: false, foreign: true });
const asked = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };

/** The dialect's own client, before an upstream that always gives the same. */
function clientOf(body: string, type: string): OpenAI {
  const answer = async () => new Response(body, { headers: { "content-type": type } });
  return new OpenAI({ apiKey: "k", baseURL: "http://127.0.0.1:9", fetch: answer, maxRetries: 0 });
}

function streamOf(reply: Reply): string {
  const writer = chatStreamWriter({ ...HEAD, prompt: { ...HEAD.prompt, wantsUsage: true } });
  return unfoldReply(reply)
    .map(event => writer.write(event))
    .join("");
}

type Told = OpenAI.Chat.ChatCompletion;

function told({ id, model, choices, usage }: Told): unknown {
  const heard = choices.map(({ message: { content, refusal, tool_calls }, finish_reason }) => ({
    text: content ?? "",
    refusal: refusal ?? "",
    calls: (tool_calls ?? []).map(
      call => call.type === "function" && [call.id, call.function.name, call.function.arguments],
    ),
    finish_reason,
  }));
  return JSON.parse(JSON.stringify({ id, model, heard, usage: usage ?? null }));
}

describe("the SDK", () => {
  test("[P31] [P63] makes of a stream the same answer as we write whole", async () => {
    await fc.assert(
      fc.asyncProperty(replies, async reply => {
        const whole = JSON.stringify(writeChatReply(reply, HEAD));
        const given = await clientOf(whole, "application/json").chat.completions.create(asked);
        const client = clientOf(streamOf(reply), "text/event-stream");
        const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
        expect(told(streamed)).toEqual(told(given));
      }),
      { seed: 20_261_115, numRuns: 60 },
    );
  });

  test("[P41] hears of a failure as one", async () => {
    const writer = chatStreamWriter(HEAD);
    const begun = writer.write({ kind: "start", id: "", model: "", createdSeconds: null, usage: null });
    const stream =
      begun + writer.failure({ error: { message: "The upstream failed.", code: "upstream_failed" } });
    const client = clientOf(stream, "text/event-stream");
    const received = async () => {
      for await (const _ of await client.chat.completions.create({ ...asked, stream: true }));
    };
    await expect(received()).rejects.toThrow("The upstream failed.");
  });
});
