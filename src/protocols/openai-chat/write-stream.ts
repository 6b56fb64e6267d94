import type { Citation, PartStart, ReplyEvent } from "../../domain/chat.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Json, ReplyHead, StreamWriter } from "../protocol.ts";
import { writeEvent } from "../sse.ts";
import { writeStop } from "./stop.ts";
import { writeAnnotation } from "./write-annotation.ts";
import { THOUGHT_BREAK } from "./write-reply.ts";
import { writeChatUsage } from "./write-usage.ts";

export function chatStreamWriter(head: ReplyHead): StreamWriter {
  return new ChatStreamWriter(head);
}

type Annotation = ReturnType<typeof writeAnnotation>;

type Written = {
  start: PartStart;
  /** What stands before the piece and after it in the delta; a piece is written between the two as a JSON string. */
  before: string;
  after: string;
  isBlank: boolean;
  /** Where in the text it begins. */
  from: number;
  citations: Citation[];
};

const LAST_WORD = "data: [DONE]\n\n";

class ChatStreamWriter implements StreamWriter {
  readonly #wantsUsage: boolean;
  readonly #hidesThoughts: boolean;
  /** All of a chunk but its delta is the same in every one of them. */
  readonly #head: string;
  readonly #choice: string;
  readonly #tail: string;
  readonly #parts = new Map<number, Written>();
  #hasBegun = false;
  #isOver = false;
  #tools = 0;
  #textLength = 0;
  #hasThought = false;
  #hasRefusal = false;
  /** Of texts that have ended. OpenAI's own client knows one chunk with all of them, and forgets those before it. */
  #annotations: Annotation[] = [];

  constructor({ id, model, createdSeconds, prompt }: ReplyHead) {
    this.#wantsUsage = prompt.wantsUsage;
    this.#hidesThoughts = prompt.reasoning?.shows === false;
    const named = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: createdSeconds, model };
    this.#head = `data: ${JSON.stringify(named).slice(0, -1)},"choices":`;
    this.#choice = `${this.#head}[{"index":0,"delta":`;
    // Who asked for the usage finds the field on every chunk.
    this.#tail = `}]${this.#wantsUsage ? ',"usage":null' : ""}}\n\n`;
  }

  write(event: ReplyEvent): string {
    if (this.#isOver) return "";
    switch (event.kind) {
      case "start":
        return this.#begin();
      case "part-start":
        return this.#begin() + this.#start(event.index, event.part);
      case "part-delta":
        return this.#delta(event.index, event.text);
      case "part-citation":
        this.#parts.get(event.index)?.citations.push(event.citation);
        return "";
      case "part-end":
        return this.#endPart(event.index);
      case "end":
        return this.#begin() + this.#end(event);
      case "part-seal": // No field of this dialect would come back with it.
      case "failure": // Its text is for the log; the client gets a refusal in its place.
        return "";
      default:
        return event satisfies never;
    }
  }

  failure(body: Json): string {
    if (this.#isOver) return "";
    this.#isOver = true;
    return writeEvent(null, body);
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#chunk('{"role":"assistant","content":"","refusal":null}');
  }

  #chunk(delta: string): string {
    return `${this.#choice}${delta},"logprobs":null,"finish_reason":null${this.#tail}`;
  }

  #start(index: number, start: PartStart): string {
    const call = start.kind === "tool-call" ? this.#tools++ : 0;
    const { before, after } = frameOf(start, call);
    this.#parts.set(index, { start, before, after, isBlank: true, from: this.#textLength, citations: [] });
    const cited = start.kind === "text" || start.kind === "foreign" ? "" : this.#cited();
    return start.kind === "tool-call" ? cited + this.#chunk(callStart(start, call)) : cited;
  }

  #delta(index: number, text: string): string {
    const part = this.#parts.get(index);
    if (part === undefined || text === "" || part.before === "") return "";
    if (part.start.kind === "reasoning") return this.#thought(part, text);
    if (part.start.kind === "text") this.#textLength += text.length;
    if (part.start.kind === "refusal") this.#hasRefusal = true;
    part.isBlank &&= text.trim() === "";
    return this.#chunk(part.before + JSON.stringify(text) + part.after);
  }

  #thought(part: Written, text: string): string {
    if (this.#hidesThoughts) return "";
    const isNext = part.isBlank && this.#hasThought;
    part.isBlank = false;
    this.#hasThought = true;
    return this.#chunk(part.before + JSON.stringify(isNext ? THOUGHT_BREAK + text : text) + part.after);
  }

  #endPart(index: number): string {
    const part = this.#parts.get(index);
    if (part === undefined) return "";
    this.#parts.delete(index);
    const { start, before, after, isBlank, from, citations } = part;
    if (start.kind === "tool-call" && start.tool === "function" && isBlank)
      return this.#chunk(`${before}"{}"${after}`);
    for (const citation of citations)
      this.#annotations.push(writeAnnotation({ citation, start: from, end: this.#textLength }));
    return "";
  }

  #cited(): string {
    const annotations = this.#annotations;
    if (annotations.length === 0) return "";
    this.#annotations = [];
    return this.#chunk(JSON.stringify({ annotations }));
  }

  #end({ stop, usage }: Extract<ReplyEvent, { kind: "end" }>): string {
    this.#isOver = true;
    const reason = writeStop({ stop, hasCalls: this.#tools > 0, hasRefusal: this.#hasRefusal });
    const finish = `${this.#choice}{},"logprobs":null,"finish_reason":"${reason}"${this.#tail}`;
    return this.#cited() + finish + this.#usage(usage) + LAST_WORD;
  }

  #usage(usage: Usage | null): string {
    if (!this.#wantsUsage || usage === null) return "";
    return `${this.#head}[],"usage":${JSON.stringify(writeChatUsage(usage))}}\n\n`;
  }
}

function frameOf(start: PartStart, call: number): { before: string; after: string } {
  switch (start.kind) {
    case "text":
      return { before: '{"content":', after: "}" };
    case "reasoning":
      return { before: '{"reasoning_content":', after: "}" };
    case "refusal":
      return { before: '{"refusal":', after: "}" };
    case "tool-call":
      return start.tool === "custom"
        ? { before: `{"tool_calls":[{"index":${call},"custom":{"input":`, after: "}}]}" }
        : { before: `{"tool_calls":[{"index":${call},"function":{"arguments":`, after: "}}]}" };
    case "foreign":
      return { before: "", after: "" };
    default:
      return start satisfies never;
  }
}

function callStart({ id, name, tool }: Extract<PartStart, { kind: "tool-call" }>, index: number): string {
  const call =
    tool === "custom"
      ? { index, id, type: tool, custom: { name, input: "" } }
      : { index, id, type: tool, function: { name, arguments: "" } };
  return JSON.stringify({ tool_calls: [call] });
}
