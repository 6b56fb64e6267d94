import { KeptText } from "../content-meter.ts";
import { isDeep, numberOf, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";

/** What is kept of an answer, so that it can be ended in its place. */
const KEPT_BYTES_MAX = 1_048_576;

/** The part of an item that is being said: one of its content, or of the summary of what was thought. */
export type OpenPart = { in: "content" | "summary"; index: number; part: Json };

export type OpenItem = {
  index: number;
  item: Json;
  /** Those of its parts that have ended. */
  content: Json[];
  summary: Json[];
  part: OpenPart | null;
  /** What was said of the open part, or of the arguments. */
  text: KeptText;
};

/** What a stream has begun to say and not ended, and what it has. Its events say so, whatever comes between them. */
export class OutputItems {
  readonly #open = new Map<number, OpenItem>();
  readonly #done = new Map<number, Json>();
  #keptBytes = 0;
  #isTooMuch = false;

  /** Where the text that comes belongs, for as long as there is only one place. */
  get sink(): KeptText | null {
    const [only] = this.#open.values();
    return this.#open.size === 1 && only !== undefined ? only.text : null;
  }

  /** Items overlap, so each piece of text has to be looked at. */
  get isMixed(): boolean {
    return this.#open.size > 1;
  }

  /** In the order in which they stand in the answer. Empty where more was said than is kept. */
  get open(): OpenItem[] {
    const open = [...this.#open.values()];
    return open.some(({ text }) => text.isCut) ? [] : open.toSorted((a, b) => a.index - b.index);
  }

  get done(): { index: number; item: Json }[] {
    return [...this.#done].map(([index, item]) => ({ index, item }));
  }

  /** An event that begins or ends an item or a part, and how many bytes it has. */
  note(event: Json, bytes: number): void {
    const index = numberOf(event["output_index"]);
    this.#keptBytes += bytes;
    if (this.#keptBytes > KEPT_BYTES_MAX) this.#giveUp();
    if (this.#isTooMuch || isDeep(event)) return;
    switch (event["type"]) {
      case "response.output_item.added":
        this.#open.set(index, begun(index, objectOf(event["item"])));
        break;
      case "response.output_item.done":
        this.#open.delete(index);
        this.#done.set(index, objectOf(event["item"]));
        break;
      default:
        this.#notePart(event, this.#open.get(index));
    }
  }

  /** A piece of text, where items overlap. */
  add(event: Json): void {
    const { delta } = event;
    if (typeof delta !== "string") return;
    const written = Buffer.from(JSON.stringify(delta));
    const open = this.#open.get(numberOf(event["output_index"]));
    open?.text.add(written, { from: 1, end: written.length - 1 });
  }

  #notePart(event: Json, open: OpenItem | undefined): void {
    if (open === undefined) return;
    const part = objectOf(event["part"]);
    switch (event["type"]) {
      case "response.content_part.added":
        restart(open, { in: "content", index: numberOf(event["content_index"]), part });
        break;
      case "response.reasoning_summary_part.added":
        restart(open, { in: "summary", index: numberOf(event["summary_index"]), part });
        break;
      case "response.content_part.done":
        open.content.push(part);
        restart(open, null);
        break;
      case "response.reasoning_summary_part.done":
        open.summary.push(part);
        restart(open, null);
        break;
      default:
    }
  }

  #giveUp(): void {
    this.#isTooMuch = true;
    this.#open.clear();
    this.#done.clear();
  }
}

function begun(index: number, item: Json): OpenItem {
  return { index, item, content: [], summary: [], part: null, text: new KeptText(KEPT_BYTES_MAX) };
}

function restart(open: OpenItem, part: OpenPart | null): void {
  open.part = part;
  open.text = new KeptText(KEPT_BYTES_MAX);
}
