import type { Citation, PartStart, ReplyEvent } from "../../domain/chat.ts";
import { ReasoningDetails } from "./reasoning-details.ts";
import { NO_TOOLS, type ReasoningField, writeSeal } from "./reasoning-seal.ts";
import { type Piece, ThinkSplit } from "./think-split.ts";

type Spoken = "text" | "reasoning" | "refusal";
type CallStart = Extract<PartStart, { kind: "tool-call" }>;

/**
 * The parts of an answer as they come. Of text, reasoning and refusal one is open at a time, and ends where the next
 * begins; calls stay open beside them, and are ended by whoever started them.
 */
export class AnswerParts {
  hasRefusal = false;
  #events: ReplyEvent[] = [];
  #next = 0;
  #open: { index: number; kind: Spoken } | null = null;
  #field: ReasoningField | null = null;
  readonly #details = new ReasoningDetails();
  readonly #split = new ThinkSplit();
  /** A citation may come before the text that it belongs to. */
  #citations: Citation[] = [];

  take(): ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  content(text: string): void {
    if (text !== "") this.#pieces(this.#split.feed(text));
  }

  reasoning(text: string, field: ReasoningField): void {
    if (text === "") return;
    // It has a place of its own for what it thinks, so tags in the content are content.
    this.#pieces(this.#split.flush());
    this.#think(text, field);
  }

  /** Kept for the upstream, beside whatever of it was read as text. */
  details(details: unknown): void {
    this.#details.add(details);
  }

  refusal(text: string): void {
    if (text === "") return;
    this.#pieces(this.#split.flush());
    this.hasRefusal = true;
    this.#say("refusal", text);
  }

  cite(citation: Citation): void {
    if (this.#open?.kind !== "text") this.#citations.push(citation);
    else this.#events.push({ kind: "part-citation", index: this.#open.index, citation });
  }

  /** What the upstream hung on its calls stands before them, so that it comes back with them. */
  startCall(part: CallStart, extra: ReadonlyMap<string, unknown>): number {
    // Nothing but white space before a call was not meant to be read.
    this.#pieces(this.#split.flush().filter(({ text }) => text.trim() !== ""));
    this.#shut(extra);
    return this.#start(part);
  }

  more(index: number, text: string): void {
    this.#events.push({ kind: "part-delta", index, text });
  }

  endCall(index: number): void {
    this.#end(index);
  }

  /** Ends what is open; `extra` is what the upstream changed on its calls after they had begun. */
  close(extra: ReadonlyMap<string, unknown>): void {
    this.#pieces(this.#split.flush());
    this.#shut(extra);
  }

  #pieces(pieces: readonly Piece[]): void {
    for (const { kind, text } of pieces) {
      if (kind === "text") this.#say("text", text);
      else this.#think(text, "think");
    }
  }

  #think(text: string, field: ReasoningField): void {
    this.#say("reasoning", text);
    this.#field ??= field;
  }

  #say(kind: Spoken, text: string): void {
    if (this.#open?.kind !== kind) {
      this.#shut(NO_TOOLS);
      this.#open = { index: this.#start({ kind }), kind };
      if (kind === "text") for (const citation of this.#citations.splice(0)) this.cite(citation);
    }
    this.more(this.#open.index, text);
  }

  #start(part: PartStart): number {
    const index = this.#next++;
    this.#events.push({ kind: "part-start", index, part });
    return index;
  }

  /** Ends the open part. Reasoning is sealed; a seal without any is a part of its own. */
  #shut(tools: ReadonlyMap<string, unknown>): void {
    const seal = writeSeal({ field: this.#field, details: this.#details.take(), tools });
    const open = this.#open;
    this.#open = null;
    this.#field = null;
    if (open !== null && open.kind !== "reasoning") this.#end(open.index);
    if (open?.kind !== "reasoning" && seal === null) return;
    const index = open?.kind === "reasoning" ? open.index : this.#start({ kind: "reasoning" });
    if (seal !== null) this.#events.push({ kind: "part-seal", index, seal });
    this.#end(index);
  }

  #end(index: number): void {
    this.#events.push({ kind: "part-end", index });
  }
}
