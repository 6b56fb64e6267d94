import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import OpenAI from "openai";
import type { Prompt, Reply } from "../../domain/chat.ts";
import { foldReply } from "../fold.ts";
import { HEAD, PROMPT } from "../prompt.case.ts";
import type { ReplyHead } from "../protocol.ts";
import { replies } from "../reply.case.ts";
import { unfoldReply } from "../unfold.ts";
import { eventsOf } from "./answer.case.ts";
import { readResponsesReply } from "./read-reply.ts";
import { responsesStreamReader } from "./read-stream.ts";
import { writeResponsesReply } from "./write-reply.ts";
import { responsesStreamWriter } from "./write-stream.ts";

const SEED = { seed: 20_261_115 };
const REPLY: Reply = {
  id: "upstream-id",
  model: "upstream-model",
  createdSeconds: 1,
  parts: [
    { kind: "reasoning", text: "Hm.", seal: null },
    {
      kind: "text",
      text: "Hello",
      citations: [{ url: "https://a.example", title: null, quote: "Hi" }],
      cache: null,
    },
  ],
  stop: { reason: "end", raw: "end_turn", sequence: null },
  usage: { input: 8, cacheRead: 3, cacheWrite5m: 1, cacheWrite1h: 0, output: 7, reasoning: 2 },
};

function streamOf(answer: Reply, head: ReplyHead = HEAD): string {
  const writer = responsesStreamWriter(head);
  return unfoldReply(answer)
    .map(event => writer.write(event))
    .join("");
}

/** What OpenAI's own library makes of a stream. It checks every index and id on the way. */
async function heard(stream: string): Promise<unknown> {
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://gateway.invalid/v1",
    fetch: async () => new Response(stream, { headers: { "content-type": "text/event-stream" } }),
  });
  const { output_parsed, output_text, ...response } = await client.responses
    .stream({ model: "m", input: "Hi" })
    .finalResponse();
  // The library adds fields of its own to what it has parsed.
  return JSON.parse(JSON.stringify(response, (key, value) => (key.startsWith("parsed") ? undefined : value)));
}

test("[P36] [P60] [P63] a whole answer has its output under our ids, the client's model, citations and usage", () => {
  const whole = writeResponsesReply(REPLY, HEAD);
  const annotation = { type: "url_citation", url: "https://a.example", title: "https://a.example" };
  expect(whole).toMatchObject({
    id: "resp_0190abcdef",
    object: "response",
    created_at: 1_800_000_000,
    model: "asked-model",
    status: "completed",
    output: [
      {
        id: "rs_0190abcdef_0",
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm." }],
        encrypted_content: null,
      },
      {
        id: "msg_0190abcdef_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hello", annotations: [annotation] }],
      },
    ],
    usage: {
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 3, cache_write_tokens: 1 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 19,
    },
  });
  expect(JSON.stringify(whole)).not.toContain("upstream");
});

describe("what was asked for", () => {
  const prompt: Prompt = {
    ...PROMPT,
    turns: [
      {
        role: "system",
        at: "instructions",
        parts: [{ kind: "text", text: "Be brief.", citations: [], cache: null }],
      },
      ...PROMPT.turns,
    ],
    tools: [
      {
        kind: "function",
        name: "find",
        description: "Finds.",
        schema: { type: "object", properties: {} },
        strict: null,
        namespace: null,
        cache: null,
      },
      { kind: "hosted", type: "web_search", name: null },
    ],
    toolChoice: { kind: "named", name: "find" },
    parallelTools: false,
    outputTokensMax: 100,
    temperature: 0.5,
    format: { kind: "json" },
    verbosity: "low",
    reasoning: { effort: "high", budgetTokens: null, shows: true },
    cacheKey: "thread-1",
  };

  test("is told in the response, without what was not understood", () => {
    const [created] = eventsOf(streamOf(REPLY, { ...HEAD, prompt }));
    expect(created?.["response"]).toMatchObject({
      status: "in_progress",
      error: null,
      incomplete_details: null,
      instructions: "Be brief.",
      max_output_tokens: 100,
      metadata: {},
      output: [],
      parallel_tool_calls: false,
      previous_response_id: null,
      prompt_cache_key: "thread-1",
      reasoning: { effort: "high", summary: "auto" },
      store: false,
      temperature: 0.5,
      text: { format: { type: "json_object" }, verbosity: "low" },
      tool_choice: { type: "function", name: "find" },
      tools: [{ type: "function", name: "find", description: "Finds.", strict: false }],
      top_p: 1,
      truncation: "disabled",
      usage: null,
    });
    expect(JSON.stringify(created)).not.toContain("web_search");
    const whole = writeResponsesReply(REPLY, { ...HEAD, prompt });
    expect(whole).toMatchObject({
      status: "completed",
      instructions: "Be brief.",
      tool_choice: { name: "find" },
    });
  });
});

describe("[P31] a stream and a whole answer are the same:", () => {
  test("every one of ours, by its last event", () => {
    fc.assert(
      fc.property(replies, answer => {
        const last = eventsOf(streamOf(answer)).at(-1);
        expect(last?.["response"]).toEqual(JSON.parse(JSON.stringify(writeResponsesReply(answer, HEAD))));
      }),
      SEED,
    );
  });

  test("every one of ours, to our own reader", () => {
    fc.assert(
      fc.property(replies, answer => {
        const reader = responsesStreamReader();
        const events = eventsOf(streamOf(answer)).flatMap(event =>
          reader.read({ event: event.type, data: JSON.stringify(event) }),
        );
        expect(foldReply(events)).toEqual(readResponsesReply(writeResponsesReply(answer, HEAD)));
      }),
      SEED,
    );
  });

  test("[P33] every one of ours, to OpenAI's own library", async () => {
    await fc.assert(
      fc.asyncProperty(replies, async answer => {
        const whole = JSON.parse(JSON.stringify(writeResponsesReply(answer, HEAD)));
        expect(await heard(streamOf(answer))).toEqual(whole);
      }),
      { ...SEED, numRuns: 40 },
    );
  });
});
