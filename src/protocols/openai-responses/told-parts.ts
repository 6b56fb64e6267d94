import type { Citation, PartStart, ReplyEvent, ReplyPart, Seal } from "../../domain/chat.ts";
import { saidIn } from "../reply-part.ts";

/** A part of an answer that may have been told, in whole or in part. */
export type ToldPart = {
  readonly start: PartStart;
  /** Null until there is something to tell: an empty part is none. */
  index: number | null;
  said: string;
  cited: number;
  isClosed: boolean;
};

/**
 * Tells the parts of an answer, each bit once: whatever an upstream says again at the end of a part, of its item and of
 * the response is compared to what was told, and only what is new goes on.
 */
export class ToldParts {
  hasCalls = false;
  hasRefusal = false;
  readonly #open = new Set<ToldPart>();
  #events: ReplyEvent[] = [];
  #count = 0;

  /** The events since the last time. */
  take(): ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  tell(event: ReplyEvent): void {
    this.#events.push(event);
  }

  part(start: PartStart): ToldPart {
    return { start, index: null, said: "", cited: 0, isClosed: false };
  }

  /** Starts it, where it has not been. */
  begin(part: ToldPart): number {
    if (part.index !== null) return part.index;
    const index = this.#count;
    this.#count += 1;
    part.index = index;
    this.#open.add(part);
    if (part.start.kind === "tool-call") this.hasCalls = true;
    if (part.start.kind === "refusal") this.hasRefusal = true;
    this.#events.push({ kind: "part-start", index, part: part.start });
    return index;
  }

  say(part: ToldPart, text: string): void {
    if (text === "" || part.isClosed) return;
    part.said += text;
    this.#events.push({ kind: "part-delta", index: this.begin(part), text });
  }

  cite(part: ToldPart, citation: Citation): void {
    if (part.isClosed) return;
    part.cited += 1;
    this.#events.push({ kind: "part-citation", index: this.begin(part), citation });
  }

  /** Where the whole is not what was told so far and more, what was told stands. */
  sayRest(part: ToldPart, whole: string): void {
    if (whole.startsWith(part.said)) this.say(part, whole.slice(part.said.length));
  }

  /** Tells what is left of it, and ends it. */
  complete(part: ToldPart, whole: ReplyPart): void {
    if (part.isClosed) return;
    if (whole.kind === "tool-call" || whole.kind === "foreign") this.begin(part);
    this.sayRest(part, saidIn(whole));
    if (whole.kind === "text")
      for (const citation of whole.citations.slice(part.cited)) this.cite(part, citation);
    if (whole.kind === "reasoning" && whole.seal !== null) this.#seal(part, whole.seal);
    this.#close(part);
  }

  /** Ends those of them that are open: there is no more to say. */
  closeAll(parts: Iterable<ToldPart> = [...this.#open]): void {
    for (const part of parts) if (!part.isClosed) this.#close(part);
  }

  #seal(part: ToldPart, seal: Seal): void {
    this.#events.push({ kind: "part-seal", index: this.begin(part), seal });
  }

  /** A function that was given nothing is given an empty object. */
  #close(part: ToldPart): void {
    const { start } = part;
    if (start.kind === "tool-call" && start.tool === "function" && part.said === "") this.say(part, "{}");
    part.isClosed = true;
    this.#open.delete(part);
    if (part.index !== null) this.#events.push({ kind: "part-end", index: part.index });
  }
}
