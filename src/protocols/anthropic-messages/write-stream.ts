import type { PartStart, ReplyEvent, Stop } from "../../domain/chat.ts";
import { NO_USAGE, type Usage } from "../../domain/usage.ts";
import type { Json, ReplyHead, StreamWriter } from "../protocol.ts";
import { writeEvent } from "../sse.ts";
import { type BlockCount, BlockWriter, typedEvent } from "./block-writer.ts";
import { writeStop } from "./stop.ts";
import { writeHead } from "./write-reply.ts";
import { guessedUsage, writeMessagesUsage } from "./write-usage.ts";

export function messagesStreamWriter(head: ReplyHead): StreamWriter {
  return new MessagesStreamWriter(head);
}

type PartEvent = Extract<ReplyEvent, { index: number }>;

/** A part that began while another was being written: the dialect knows one block at a time. */
type Waiting = { index: number; block: BlockWriter; events: PartEvent[]; hasEnded: boolean };

class MessagesStreamWriter implements StreamWriter {
  readonly #head: ReplyHead;
  readonly #count: BlockCount = { next: 0 };
  #hasBegun = false;
  #hasCalls = false;
  #hasRefusal = false;
  #characters = 0;
  /** The part that is being written; the index is -1 where there is none. */
  #index = -1;
  #block: BlockWriter | null = null;
  #waiting: Waiting[] = [];

  constructor(head: ReplyHead) {
    this.#head = head;
  }

  write(event: ReplyEvent): string {
    if (event.kind === "part-delta" && event.index === this.#index && this.#block !== null) {
      this.#characters += event.text.length;
      return this.#block.delta(event.text);
    }
    switch (event.kind) {
      case "start":
        return this.#begin(event.usage);
      case "part-start":
        return this.#begin(null) + this.#start(event.index, event.part);
      case "part-delta":
      case "part-seal":
      case "part-citation":
      case "part-end":
        return this.#part(event);
      case "end":
        return this.#begin(null) + this.#end(event.stop, event.usage);
      case "failure":
        return "";
      default:
        return event satisfies never;
    }
  }

  failure(body: Json): string {
    return writeEvent("error", body);
  }

  #begin(known: Usage | null): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    const guess = { ...NO_USAGE, input: this.#head.inputTokensGuess };
    const { input, ...rest } = known ?? guess;
    // Clients take the size of their context from here, long before the end tells them the true one.
    const usage = writeMessagesUsage({ ...rest, input: Math.max(1, input), output: 1, reasoning: 0 });
    const open = { content: [], stop_reason: null, stop_sequence: null, stop_details: null };
    return typedEvent("message_start", { message: { ...writeHead(this.#head), ...open, usage } });
  }

  #start(index: number, start: PartStart): string {
    if (start.kind === "foreign") return "";
    if (start.kind === "tool-call") this.#hasCalls = true;
    if (start.kind === "refusal") this.#hasRefusal = true;
    const block = new BlockWriter(start, this.#count);
    if (this.#block === null) return this.#turnTo(index, block);
    this.#waiting.push({ index, block, events: [], hasEnded: false });
    return "";
  }

  #turnTo(index: number, block: BlockWriter): string {
    this.#index = index;
    this.#block = block;
    return block.begin();
  }

  #part(event: PartEvent): string {
    if (event.index === this.#index && this.#block !== null) {
      if (event.kind !== "part-end") return writePartEvent(this.#block, event);
      return this.#block.end() + this.#next();
    }
    const waiting = this.#waiting.findLast(({ index }) => index === event.index);
    if (waiting === undefined) return "";
    if (event.kind === "part-end") waiting.hasEnded = true;
    else waiting.events.push(event);
    if (event.kind === "part-delta") this.#characters += event.text.length;
    return "";
  }

  /** What waited, as far as it is whole, and the beginning of the first that is not. */
  #next(): string {
    this.#index = -1;
    this.#block = null;
    let written = "";
    for (let turn = this.#waiting.shift(); turn !== undefined; turn = this.#waiting.shift()) {
      written += this.#turnTo(turn.index, turn.block);
      for (const event of turn.events) written += writePartEvent(turn.block, event);
      if (!turn.hasEnded) return written;
      written += turn.block.end();
      this.#index = -1;
      this.#block = null;
    }
    return written;
  }

  #end(stop: Stop, reported: Usage | null): string {
    for (const turn of this.#waiting) turn.hasEnded = true;
    const blocks = this.#block === null ? "" : this.#block.end() + this.#next();
    const guess = { input: this.#head.inputTokensGuess, characters: this.#characters };
    const delta = writeStop(stop, { calls: this.#hasCalls, refusal: this.#hasRefusal });
    const usage = writeMessagesUsage(reported ?? guessedUsage(guess));
    return `${blocks}${typedEvent("message_delta", { delta, usage })}${typedEvent("message_stop", {})}`;
  }
}

function writePartEvent(block: BlockWriter, event: PartEvent): string {
  switch (event.kind) {
    case "part-delta":
      return block.delta(event.text);
    case "part-citation":
      return block.citation(event.citation);
    case "part-seal":
      block.seal(event.seal);
      return "";
    case "part-start":
    case "part-end":
      return "";
    default:
      return event satisfies never;
  }
}
