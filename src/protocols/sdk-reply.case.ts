import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { Dialect } from "../domain/usage.ts";
import type { Json } from "./protocol.ts";

/** What the makers' own clients put together from a stream: the judges of whether it is the answer. */
export async function sdkReply(dialect: Dialect, stream: Uint8Array): Promise<Json> {
  const text = Buffer.from(stream).toString();
  const answer = async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
  const options = { apiKey: "k", baseURL: "http://127.0.0.1:9", fetch: answer, maxRetries: 0 };
  const folded = await FOLDS[dialect](options);
  return JSON.parse(JSON.stringify(folded)) as Json;
}

type Options = {
  apiKey: string;
  baseURL: string;
  fetch: () => Promise<Response>;
  maxRetries: number;
};

const QUESTION = [{ role: "user" as const, content: "Hello" }];

const FOLDS: Record<Dialect, (options: Options) => Promise<unknown>> = {
  chat: options =>
    new OpenAI(options).chat.completions
      .stream({ model: "m", messages: QUESTION, stream_options: { include_usage: true } })
      .finalChatCompletion(),
  messages: options =>
    new Anthropic(options).messages.stream({ model: "m", max_tokens: 9, messages: QUESTION }).finalMessage(),
  responses: options => new OpenAI(options).responses.stream({ model: "m", input: "Hello" }).finalResponse(),
};
