export type Piece = { kind: "text" | "reasoning"; text: string };

type State = "before" | "thinking" | "after" | "text";

const OPEN = "<think>";
const CLOSE = "</think>";
/** As much white space may stand before the first tag. */
const BLANKS_MAX = 1_000;

/**
 * Some models think aloud at the beginning of their content, between tags. Only there: further on the tags are words
 * like others. Whatever could still become a tag waits for the next piece.
 */
export class ThinkSplit {
  #state: State = "before";
  #held = "";
  #hasThought = false;

  feed(text: string): Piece[] {
    if (this.#is("text")) return said("text", text);
    this.#held += text;
    if (this.#is("before")) this.#begin();
    const thought = this.#is("thinking") ? this.#think() : [];
    if (this.#is("after")) this.#resume();
    return this.#is("text") ? [...thought, ...this.#taken("text")] : thought;
  }

  /** No tag comes any more: what waited for one is what it is. */
  flush(): Piece[] {
    const kind = this.#is("thinking") ? "reasoning" : "text";
    if (this.#is("after")) this.#held = "";
    this.#state = "text";
    return this.#taken(kind);
  }

  #begin(): void {
    const start = this.#held.trimStart();
    if (start.startsWith(OPEN)) {
      this.#state = "thinking";
      this.#held = start.slice(OPEN.length);
    } else if (!OPEN.startsWith(start) || this.#held.length > BLANKS_MAX) this.#state = "text";
  }

  #think(): Piece[] {
    if (!this.#hasThought) this.#held = this.#held.trimStart();
    const close = this.#held.indexOf(CLOSE);
    const end = close < 0 ? this.#held.length - overlap(this.#held) : close;
    const thought = this.#held.slice(0, end);
    this.#held = this.#held.slice(close < 0 ? end : close + CLOSE.length);
    this.#hasThought ||= thought !== "";
    if (close >= 0) this.#state = "after";
    return said("reasoning", thought);
  }

  /** The white space after the tag belongs to the tag. */
  #resume(): void {
    this.#held = this.#held.trimStart();
    if (this.#held !== "") this.#state = "text";
  }

  #is(state: State): boolean {
    return this.#state === state;
  }

  #taken(kind: Piece["kind"]): Piece[] {
    const text = this.#held;
    this.#held = "";
    return said(kind, text);
  }
}

function said(kind: Piece["kind"], text: string): Piece[] {
  return text === "" ? [] : [{ kind, text }];
}

/** How much of the end may be the beginning of the closing tag. */
function overlap(text: string): number {
  for (let length = Math.min(text.length, CLOSE.length - 1); length > 0; length--)
    if (CLOSE.startsWith(text.slice(-length))) return length;
  return 0;
}
