import type { Citation, PartStart, Seal } from "../../domain/chat.ts";
import type { Json } from "../protocol.ts";
import { writeEvent } from "../sse.ts";
import { toMessagesId } from "../tool-id.ts";
import { signatureOf, thoughtBlock, writeCitation } from "./reply-block.ts";

export type BlockStart = Exclude<PartStart, { kind: "foreign" }>;

/** Gives each block that is really written its number. */
export type BlockCount = { next: number };

const WRAP = '{"input":"';
const WRAP_END = '"}';

/** Events of this dialect have their name in their data, too. */
export function typedEvent(type: string, rest: Json): string {
  return writeEvent(type, { type, ...rest });
}

/**
 * Writes the events of one block. But for tool calls, which may have no input, a block is opened by the first thing said
 * in it: an empty one is none at all, and only then is it known what kind of thought it is.
 */
export class BlockWriter {
  readonly #start: BlockStart;
  readonly #count: BlockCount;
  #index = -1;
  /** All of a delta's event that stands before its text. */
  #beforeText = "";
  #seal: Seal | null = null;
  #hasText = false;

  constructor(start: BlockStart, count: BlockCount) {
    this.#start = start;
    this.#count = count;
  }

  begin(): string {
    return this.#start.kind === "tool-call" ? this.#open(emptyBlock(this.#start)) : "";
  }

  delta(text: string): string {
    if (text === "") return "";
    const opening = this.#opened();
    const said = isFreeText(this.#start) ? this.#wrapped(text) : text;
    this.#hasText = true;
    return `${opening}${this.#said(said)}`;
  }

  citation(citation: Citation): string {
    if (this.#start.kind !== "text") return "";
    return this.#opened() + this.#extra({ type: "citations_delta", citation: writeCitation(citation) });
  }

  /** The last one counts, and is written at the end. */
  seal(seal: Seal): void {
    if (seal.value !== "") this.#seal = seal;
  }

  end(): string {
    const seal = this.#seal;
    if (isFreeText(this.#start))
      return this.#said(this.#hasText ? WRAP_END : WRAP + WRAP_END) + this.#close();
    if (seal === null || this.#start.kind !== "reasoning") return this.#close();
    if (this.#index < 0) {
      const whole = thoughtBlock("", seal);
      if (whole?.["type"] === "redacted_thinking") return this.#open(whole) + this.#close();
    }
    const opening = this.#opened();
    return opening + this.#extra({ type: "signature_delta", signature: signatureOf(seal) }) + this.#close();
  }

  #said(text: string): string {
    return `${this.#beforeText}${JSON.stringify(text)}}}\n\n`;
  }

  /** The input of a tool is an object here: text goes into a field of it, as far as it has come. */
  #wrapped(text: string): string {
    const escaped = JSON.stringify(text).slice(1, -1);
    return this.#hasText ? escaped : WRAP + escaped;
  }

  #opened(): string {
    return this.#index < 0 ? this.#open(emptyBlock(this.#start)) : "";
  }

  #open(block: Json): string {
    this.#index = this.#count.next;
    this.#count.next += 1;
    const [type, field] = deltaNames(this.#start);
    const head = `{"type":"content_block_delta","index":${this.#index},"delta":{"type":"${type}","${field}":`;
    this.#beforeText = `event: content_block_delta\ndata: ${head}`;
    return typedEvent("content_block_start", { index: this.#index, content_block: block });
  }

  #extra(delta: Json): string {
    return typedEvent("content_block_delta", { index: this.#index, delta });
  }

  #close(): string {
    return this.#index < 0 ? "" : typedEvent("content_block_stop", { index: this.#index });
  }
}

function isFreeText(start: BlockStart): boolean {
  return start.kind === "tool-call" && start.tool === "custom";
}

function emptyBlock(start: BlockStart): Json {
  switch (start.kind) {
    case "text":
    case "refusal":
      return { type: "text", text: "" };
    case "reasoning":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool-call":
      return { type: "tool_use", id: toMessagesId(start.id), name: start.name, input: {} };
    default:
      return start satisfies never;
  }
}

function deltaNames({ kind }: BlockStart): readonly [type: string, field: string] {
  switch (kind) {
    case "text":
    case "refusal":
      return ["text_delta", "text"];
    case "reasoning":
      return ["thinking_delta", "thinking"];
    case "tool-call":
      return ["input_json_delta", "partial_json"];
    default:
      return kind satisfies never;
  }
}
