import type { Problem } from "../protocols/protocol.ts";
import { partName } from "./part-head.ts";

/** Where a text of the form stands in its bytes. */
export type FormText = { value: string; start: number; end: number };

const CRLF = "\r\n";
const HEAD_BYTES_MAX = 16_384;
const TEXT_BYTES_MAX = 1_024;
/** Between a boundary and the end of its line there may be white space. */
const LINE_BYTES_MAX = 64;
const BLANK = /^[ \t]*$/;

type State = "between" | "line" | "head" | "text" | "over";

/**
 * Looks through a form of parts (RFC 7578) as it goes by, keeping no more than it needs to. It finds the texts that are
 * asked for; one that is given twice would mean one thing here and perhaps another upstream, so it is a problem.
 */
export class FormScanner {
  problem: Problem | null = null;
  hasFile = false;
  readonly texts = new Map<string, FormText>();
  readonly #wanted: readonly string[];
  readonly #boundary: Buffer;
  readonly #seen = new Set<string>();
  /** The first boundary may stand at the very beginning, without the line end that belongs to it. */
  #pending: Buffer = Buffer.from(CRLF);
  #at = -CRLF.length;
  #state: State = "between";
  #name = "";

  constructor(boundary: string, wanted: readonly string[]) {
    this.#boundary = Buffer.from(`${CRLF}--${boundary}`, "latin1");
    this.#wanted = wanted;
  }

  /** The last boundary has come. */
  get isWhole(): boolean {
    return this.#state === "over";
  }

  feed(bytes: Uint8Array): void {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    while (this.problem === null && this.#step());
  }

  /** False where more must come first. */
  #step(): boolean {
    switch (this.#state) {
      case "between":
        return this.#seekBoundary();
      case "line":
        return this.#readLine();
      case "head":
        return this.#readHead();
      case "text":
        return this.#readText();
      case "over":
        this.#drop(this.#pending.length);
        return false;
    }
  }

  #seekBoundary(): boolean {
    const found = this.#pending.indexOf(this.#boundary);
    if (found < 0) {
      this.#drop(Math.max(0, this.#pending.length - this.#boundary.length + 1));
      return false;
    }
    this.#drop(found + this.#boundary.length);
    this.#state = "line";
    return true;
  }

  #readLine(): boolean {
    const [line, isEnd] = [this.#pending, this.#pending.subarray(0, 2).toString("latin1") === "--"];
    const end = line.indexOf(CRLF);
    if (isEnd) this.#state = "over";
    else if (end >= 0 && BLANK.test(line.toString("latin1", 0, end))) {
      // The line end stays: a head may have no lines at all.
      this.#drop(end);
      this.#state = "head";
    } else if (end >= 0 || line.length > LINE_BYTES_MAX) this.#fail("the form has a broken boundary");
    return isEnd || end >= 0;
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf(CRLF + CRLF);
    if (end > HEAD_BYTES_MAX || (end < 0 && this.#pending.length > HEAD_BYTES_MAX))
      this.#fail("a part of the form has a head without an end");
    if (end < 0) return false;
    const head = this.#pending.toString("utf8", CRLF.length, Math.max(CRLF.length, end));
    this.#drop(end + 2 * CRLF.length);
    this.#begin(head);
    return true;
  }

  #begin(head: string): void {
    const part = partName(head);
    if ("problem" in part) {
      this.#fail(part.problem);
      return;
    }
    const { name, isFile, isEncoded } = part;
    const isWanted = this.#wanted.includes(name);
    if (isWanted && this.#seen.has(name)) this.#fail(`“${name}” is given twice`, name);
    if (isWanted && (isFile || isEncoded)) this.#fail(`“${name}” must be a plain text`, name);
    this.#seen.add(name);
    this.hasFile ||= name === "file";
    this.#name = name;
    this.#state = isWanted ? "text" : "between";
  }

  #readText(): boolean {
    const length = this.#pending.indexOf(this.#boundary);
    if (
      length > TEXT_BYTES_MAX ||
      (length < 0 && this.#pending.length > TEXT_BYTES_MAX + this.#boundary.length)
    )
      this.#fail(`“${this.#name}” is too long`, this.#name);
    if (length < 0) return false;
    const value = this.#pending.toString("utf8", 0, length);
    this.texts.set(this.#name, { value, start: this.#at, end: this.#at + length });
    this.#state = "between";
    return true;
  }

  #drop(count: number): void {
    this.#pending = this.#pending.subarray(count);
    this.#at += count;
  }

  #fail(problem: string, param = ""): void {
    this.problem ??= { param, problem };
  }
}
