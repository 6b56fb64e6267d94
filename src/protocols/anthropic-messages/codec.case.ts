import { expect } from "bun:test";
import type {
  CacheMark,
  Part,
  Prompt,
  ReasoningPart,
  ReplyEvent,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from "../../domain/chat.ts";
import type { Json, PromptTarget } from "../protocol.ts";
import { readMessagesPrompt } from "./read-prompt.ts";
import { messagesStreamReader } from "./read-stream.ts";
import { writeMessagesPrompt } from "./write-prompt.ts";

/** Short ways to say what the tests of this dialect say often. */

/** What a reader makes of these events, and of the end of the connection behind them. */
export function readEvents(events: readonly Json[], { closes = true } = {}): ReplyEvent[] {
  const reader = messagesStreamReader();
  const read = events.flatMap(event =>
    reader.read({ event: String(event["type"]), data: JSON.stringify(event) }),
  );
  return closes ? [...read, ...reader.finish()] : read;
}

export type WrittenEvent = { event: string; data: Json & { type: string } };

/** The events of a written stream, each of which must be whole and named. */
export function writtenEvents(stream: string): WrittenEvent[] {
  expect(stream).toEndWith("\n\n");
  return stream
    .slice(0, -2)
    .split("\n\n")
    .map(text => {
      const found = /^event: (\w+)\ndata: ([^\n\r]+)$/.exec(text);
      expect(found).not.toBeNull();
      const [, event = "", data = ""] = found ?? [];
      const parsed = JSON.parse(data) as WrittenEvent["data"];
      expect(parsed.type).toBe(event);
      return { event, data: parsed };
    });
}

const SMALLEST = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "hi" }] };

export function promptOf(fields: Json): Prompt {
  const read = readMessagesPrompt({ ...SMALLEST, ...fields });
  if ("problem" in read) throw new Error(read.problem.problem);
  return read.prompt;
}

export function problemOf(fields: Json): { param: string; problem: string } {
  const read = readMessagesPrompt({ ...SMALLEST, ...fields });
  if ("prompt" in read) throw new Error("it was accepted");
  return read.problem;
}

export function text(said: string, cache: CacheMark | null = null): TextPart {
  return { kind: "text", text: said, citations: [], cache };
}

export function call(id: string, input = "{}"): ToolCallPart {
  return { kind: "tool-call", id, name: "look", input, tool: "function", namespace: null, cache: null };
}

export function result(id: string, said: string): ToolResultPart {
  return { kind: "tool-result", id, parts: [text(said)], isError: false, cache: null };
}

export function thought(said: string, value: string): ReasoningPart {
  return {
    kind: "reasoning",
    text: said,
    seal: { origin: "messages", kind: "signature", value, id: null },
  };
}

export function turns(...said: [Turn["role"], ...Part[]][]): Turn[] {
  return said.map(([role, ...parts], place) => ({ role, parts, at: `messages[${place}]` }));
}

export const CLAUDE: PromptTarget = { model: "claude-sonnet-4-5", kind: "anthropic", outputTokensMax: null };
export const NEW_CLAUDE: PromptTarget = { ...CLAUDE, model: "claude-opus-5-5" };

/** The parts of a written body that tests look at. */
export type WrittenBody = {
  model: string;
  max_tokens: number;
  stream?: boolean;
  system?: Json[];
  messages: { role: string; content: (Json & { type: string })[] }[];
  tools?: (Json & { name: string })[];
  tool_choice?: Json;
  thinking?: Json;
  output_config?: Json;
} & Json;

export function written(prompt: Prompt, target = CLAUDE): WrittenBody {
  const wrote = writeMessagesPrompt(prompt, target);
  if ("problem" in wrote) throw new Error(wrote.problem.problem);
  return JSON.parse(JSON.stringify(wrote.body)) as WrittenBody;
}
