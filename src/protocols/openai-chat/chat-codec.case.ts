import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Prompt, Reply, ReplyEvent, Turn } from "../../domain/chat.ts";
import { foldReply } from "../fold.ts";
import type { Json, Problem, PromptTarget, ReplyHead } from "../protocol.ts";
import { readChatPrompt } from "./read-prompt.ts";
import { chatStreamReader } from "./read-stream.ts";
import { writeChatPrompt } from "./write-prompt.ts";
import { chatStreamWriter } from "./write-stream.ts";

/** What the tests of the codec share: requests, chunks, and shorter ways through it. */

export const HELLO = { role: "user", content: "Hello" };

export function promptOf(body: Json): Prompt {
  const read = readChatPrompt({ model: "m", messages: [HELLO], ...body });
  if ("problem" in read) throw new Error(read.problem.problem);
  return read.prompt;
}

export function problemOf(body: Json): Problem | null {
  const read = readChatPrompt({ model: "m", messages: [HELLO], ...body });
  return "problem" in read ? read.problem : null;
}

export const BLANK: Prompt = promptOf({});

export const COMPATIBLE: PromptTarget = { model: "up-1", kind: "openai-compatible", outputTokensMax: null };
export const OPENAI: PromptTarget = { model: "gpt-5.2", kind: "openai", outputTokensMax: null };

export function written(prompt: Partial<Prompt>, target: PromptTarget = COMPATIBLE): Json {
  const result = writeChatPrompt({ ...BLANK, ...prompt }, target);
  if ("problem" in result) throw new Error(result.problem.problem);
  return result.body;
}

/** The messages that some turns come to. */
export function messagesOf(turns: readonly Omit<Turn, "at">[], target: PromptTarget = COMPATIBLE): Json[] {
  const placed = turns.map((turn, place) => ({ ...turn, at: `messages[${place}]` }));
  return written({ turns: placed }, target)["messages"] as Json[];
}

export function text(said: string): Turn["parts"][number] {
  return { kind: "text", text: said, citations: [], cache: null };
}

export function call(id: string, name = "look", input = "{}"): Turn["parts"][number] {
  return { kind: "tool-call", id, name, input, tool: "function", namespace: null, cache: null };
}

export function chunk(delta: Json, rest: Json = {}): Json {
  return {
    id: "chatcmpl-up",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "up-model",
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  };
}

export function toolChunk(...calls: Json[]): Json {
  return chunk({ tool_calls: calls });
}

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Chunks as objects, or as they stand on the wire; without a last word the connection is just closed. */
export function eventsOf(chunks: readonly (Json | string)[]): ReplyEvent[] {
  const reader = chatStreamReader();
  const data = chunks.map(one => (typeof one === "string" ? one : JSON.stringify(one)));
  return [...data.flatMap(line => reader.read({ event: null, data: line })), ...reader.finish()];
}

export function replyOf(chunks: readonly (Json | string)[]): Reply {
  const reply = foldReply(eventsOf(chunks));
  if (reply === null) throw new Error("the stream has no answer");
  return reply;
}

export function headOf(prompt: Partial<Prompt> = {}): ReplyHead {
  const asked = { ...BLANK, ...prompt };
  return { id: "abc123", model: "asked-model", createdSeconds: 42, prompt: asked, inputTokensGuess: 7 };
}

export function streamOf(events: readonly ReplyEvent[], prompt: Partial<Prompt> = {}): string {
  const writer = chatStreamWriter(headOf(prompt));
  return events.map(event => writer.write(event)).join("");
}

/** The chunks of a written stream, without its last word. */
export function chunksOf(stream: string): Json[] {
  const data = stream.split("\n\n").filter(event => event !== "" && event !== "data: [DONE]");
  return data.map(event => JSON.parse(event.replace(/^data: /, "")));
}

export function deltasOf(stream: string): Json[] {
  const choices = chunksOf(stream).flatMap(one => one["choices"] as { delta: Json }[]);
  return choices.map(({ delta }) => delta);
}

const recordings = join(import.meta.dir, "../../../../shared/recordings/openai-chat");
export const HAS_RECORDINGS = existsSync(recordings);
export const NO_RECORDINGS = HAS_RECORDINGS ? "" : " (skipped: the recordings are not on this machine)";

export function recordedChunks(name: string): string[] {
  const lines = readFileSync(join(recordings, `${name}.chunks.txt`), "utf8").split("\n");
  return [...lines.filter(line => line !== ""), "[DONE]"];
}

export function recordedAnswer(name: string): Json {
  return JSON.parse(readFileSync(join(recordings, `${name}.json`), "utf8"));
}
