import type { Citation, PartStart, Reply, ReplyEvent, ReplyPart, Seal, Stop } from "../domain/chat.ts";
import type { Usage } from "../domain/usage.ts";

type Growing = { index: number; start: PartStart; text: string; seal: Seal | null; citations: Citation[] };
type Begun = { id: string; model: string; createdSeconds: number | null };
type Ended = { stop: Stop; usage: Usage | null };

/** Puts the events of a stream together to the answer that they are. */
export class ReplyFold {
  #begun: Begun | null = null;
  #ended: Ended | null = null;
  #failed = false;
  readonly #parts: Growing[] = [];
  readonly #byIndex = new Map<number, Growing>();

  add(event: ReplyEvent): void {
    switch (event.kind) {
      case "start":
        this.#begun = { id: event.id, model: event.model, createdSeconds: event.createdSeconds };
        break;
      case "part-start":
        this.#start(event.index, event.part);
        break;
      case "part-delta":
        this.#change(event.index, part => {
          part.text += event.text;
        });
        break;
      case "part-seal":
        this.#change(event.index, part => {
          part.seal = event.seal;
        });
        break;
      case "part-citation":
        this.#change(event.index, part => {
          part.citations.push(event.citation);
        });
        break;
      case "part-end":
        break;
      case "end":
        this.#ended = { stop: event.stop, usage: event.usage };
        break;
      case "failure":
        this.#failed = true;
        break;
      default:
        event satisfies never;
    }
  }

  /** Null where it had no beginning or no end, or failed. */
  reply(): Reply | null {
    if (this.#begun === null || this.#ended === null || this.#failed) return null;
    const parts = this.#parts.toSorted((a, b) => a.index - b.index).map(grown);
    return { ...this.#begun, parts, ...this.#ended };
  }

  #start(index: number, start: PartStart): void {
    const part: Growing = { index, start, text: "", seal: null, citations: [] };
    this.#parts.push(part);
    this.#byIndex.set(index, part);
  }

  #change(index: number, change: (part: Growing) => void): void {
    const part = this.#byIndex.get(index);
    if (part !== undefined) change(part);
  }
}

export function foldReply(events: Iterable<ReplyEvent>): Reply | null {
  const fold = new ReplyFold();
  for (const event of events) fold.add(event);
  return fold.reply();
}

function grown({ start, text, seal, citations }: Growing): ReplyPart {
  switch (start.kind) {
    case "text":
      return { kind: "text", text, citations, cache: null };
    case "reasoning":
      return { kind: "reasoning", text, seal };
    case "refusal":
      return { kind: "refusal", text };
    case "tool-call":
      return { ...start, input: text, cache: null };
    case "foreign":
      return start;
    default:
      return start satisfies never;
  }
}
