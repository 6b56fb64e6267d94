import type { SseEvent } from "./protocol.ts";

const ASCII_MAX = 0x7f;
const BYTE_ORDER_MARK = "\ufeff";
const COLON = 0x3a;
const SPACE = 0x20;

/**
 * Reads server-sent events out of bytes that come in pieces cut anywhere. Each piece is decoded and searched once,
 * however long the event is that it belongs to.
 */
export class SseReader {
  readonly #eventBytesMax: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #hasBegun = false;
  /** The last line end was a CR: an LF that follows belongs to it. */
  #afterReturn = false;
  /** The beginning of a line whose end has not come. */
  #line = "";
  #event = "";
  #data: string | null = null;
  #waitingBytes = 0;

  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax;
  }

  /** Something unfinished is longer than any event may be. */
  get isOverlong(): boolean {
    return this.#waitingBytes > this.#eventBytesMax;
  }

  feed(bytes: Uint8Array): SseEvent[] {
    const last = bytes[bytes.length - 1];
    if (last === undefined) return [];
    // A piece that ends with a whole letter leaves the decoder nothing to keep, which is twice as fast.
    const text = this.#begun(this.#decoder.decode(bytes, { stream: last > ASCII_MAX }));
    const events: SseEvent[] = [];
    const settled = this.#lines(text, events);
    if (settled < 0) this.#waitingBytes += bytes.length;
    else this.#waitingBytes = settled === text.length ? 0 : Buffer.byteLength(text.slice(settled));
    return events;
  }

  /** Once the bytes are at an end: the last event, where its blank line never came. */
  rest(): SseEvent[] {
    const events: SseEvent[] = [];
    const line = this.#line + this.#begun(this.#decoder.decode());
    this.#line = "";
    if (line !== "") this.#lines(`${line}\n`, events);
    this.#dispatch(events);
    this.#waitingBytes = 0;
    return events;
  }

  #begun(text: string): string {
    if (this.#hasBegun || text === "") return text;
    this.#hasBegun = true;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  /** Just past the last place where nothing was left waiting; -1 where there was none. */
  #lines(text: string, events: SseEvent[]): number {
    let from = this.#afterReturn && text.startsWith("\n") ? 1 : 0;
    let settled = -1;
    let lf = text.indexOf("\n", from);
    let cr = text.indexOf("\r", from);
    if (text !== "") this.#afterReturn = false;
    while (lf >= 0 || cr >= 0) {
      const isReturn = cr >= 0 && (lf < 0 || cr < lf);
      const end = isReturn ? cr : lf;
      this.#readLine(text, { from, end }, events);
      from = end + 1;
      if (isReturn && lf === from) from += 1;
      else if (isReturn && from === text.length) this.#afterReturn = true;
      if (this.#data === null && this.#event === "") settled = from;
      if (lf >= 0 && lf < from) lf = text.indexOf("\n", from);
      if (cr >= 0 && cr < from) cr = text.indexOf("\r", from);
    }
    if (from < text.length) this.#line += from === 0 ? text : text.slice(from);
    return settled;
  }

  #readLine(text: string, { from, end }: Span, events: SseEvent[]): void {
    if (this.#line === "") {
      this.#readField(text, { from, end }, events);
      return;
    }
    const line = this.#line + text.slice(from, end);
    this.#line = "";
    this.#readField(line, { from: 0, end: line.length }, events);
  }

  /** Comments, ids and times to wait are nothing to us. */
  #readField(text: string, { from, end }: Span, events: SseEvent[]): void {
    if (from === end) this.#dispatch(events);
    else if (isField(text, { name: "data", from, end })) {
      const value = fieldValue(text, { from: from + 4, end });
      this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    } else if (isField(text, { name: "event", from, end })) {
      this.#event = fieldValue(text, { from: from + 5, end });
    }
  }

  #dispatch(events: SseEvent[]): void {
    if (this.#data !== null)
      events.push({ event: this.#event === "" ? null : this.#event, data: this.#data });
    this.#data = null;
    this.#event = "";
  }
}

type Span = { from: number; end: number };

function isField(text: string, { name, from, end }: Span & { name: string }): boolean {
  if (!text.startsWith(name, from)) return false;
  const after = from + name.length;
  return after === end || (after < end && text.charCodeAt(after) === COLON);
}

/** Behind the colon, without the one space that may follow it. */
function fieldValue(text: string, { from, end }: Span): string {
  const start = text.charCodeAt(from + 1) === SPACE ? from + 2 : from + 1;
  return start < end ? text.slice(start, end) : "";
}
