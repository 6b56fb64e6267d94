import { parsedObject } from "./json-value.ts";
import type { Json } from "./protocol.ts";

/**
 * Where server-sent events end in bytes, and what one of them says. A line ends with LF, CRLF or a lone CR, an event
 * with a blank line; whoever passes events on must not change which of them it is.
 */

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const LINE_END = /\r\n|\n|\r/;
/** Two line ends, less the last byte. */
const SEAM_BYTES_MAX = 3;

/** Just past the last blank line; 0 where there is none. */
export function lastEventEnd(data: Buffer): number {
  const lf = data.lastIndexOf("\n\n") + 2;
  // A read mostly ends where an event does, and then the rest need not be searched.
  if (lf === data.length && lf > 1) return lf;
  const crlf = data.lastIndexOf("\n\r\n") + 3;
  const end = Math.max(lf > 1 ? lf : 0, crlf > 2 ? crlf : 0);
  return end === data.length ? end : end + lastReturnEnd(data.subarray(end));
}

/** The same for blank lines that end with a lone CR. One at the very end may be the first half of a CRLF. */
function lastReturnEnd(data: Buffer): number {
  const twice = data.lastIndexOf("\r\r");
  const mixed = data.lastIndexOf("\n\r");
  const twiceEnd = twice < 0 ? 0 : twice + (data[twice + 2] === LF ? 3 : 2);
  return mixed < 0 || mixed + 2 === data.length ? twiceEnd : Math.max(twiceEnd, mixed + 2);
}

/** Just past the first blank line; the end of the data where there is none. */
export function firstEventEnd(data: Buffer, from: number): number {
  for (let at = from; at < data.length; at++) {
    const byte = data[at];
    if (byte !== LF && byte !== CR) continue;
    const line = byte === CR && data[at + 1] === LF ? 2 : 1;
    const next = data[at + line];
    if (next === LF) return at + line + 1;
    if (next === CR) return at + line + (data[at + line + 1] === LF ? 2 : 1);
  }
  return data.length;
}

/** The last bytes of what waits for its blank line, of which a part may be among them. */
export function seamOf(before: Buffer, fresh: Buffer): Buffer {
  if (fresh.length >= SEAM_BYTES_MAX) return fresh.subarray(-SEAM_BYTES_MAX);
  return Buffer.concat([before, fresh]).subarray(-SEAM_BYTES_MAX);
}

/** Whether an event that waits ends in what comes; its blank line may have begun before. */
export function endsEvent(seam: Buffer, fresh: Buffer): boolean {
  if (lastEventEnd(fresh) > 0) return true;
  return lastEventEnd(Buffer.concat([seam, fresh.subarray(0, SEAM_BYTES_MAX)])) > 0;
}

const FIRST_LINE = /^(?::|(?:data|event|id|retry)(?:[:\r\n]|$))/;
const FIRST_BYTES_MAX = 8;

/** Whether bytes begin as a stream of events does, blank lines aside. */
export function beginsEvent(bytes: Buffer): boolean {
  const from = firstWord(bytes);
  return FIRST_LINE.test(bytes.toString("latin1", from, from + FIRST_BYTES_MAX));
}

export function isBlank(bytes: Buffer): boolean {
  return firstWord(bytes) === bytes.length;
}

function firstWord(bytes: Buffer): number {
  let at = textStart(bytes);
  while (bytes[at] === LF || bytes[at] === CR) at += 1;
  return at;
}

/** Where its first data line begins: comments and other fields may stand before it. */
export function dataStart(event: Buffer): number {
  const first = textStart(event);
  if (event.indexOf("data:") === first) return first;
  const lines = ["\ndata:", "\rdata:"].map(line => event.indexOf(line) + 1).filter(at => at > 0);
  return lines.length === 0 ? first : Math.min(...lines);
}

/** The data lines of one event; the whole of it where it has none, as in a plain JSON error under the wrong type. */
export function eventData(event: Buffer): string {
  const data = valuesOf(event, "data");
  return data.length === 0 ? event.toString("utf8", textStart(event)) : data.join("\n");
}

export function eventName(event: Buffer): string | null {
  return valuesOf(event, "event").at(-1) ?? null;
}

/** The event's data as an object; null for comments, the last word and anything that is not one. */
export function eventJson(event: Buffer): Json | null {
  return parsedObject(eventData(event));
}

/** An event without its blank line may have lost more than that; what is no data is of no use without one either. */
export function isHalf(event: Buffer): boolean {
  const data = eventData(event).trim();
  if (data === "[DONE]" || event.toString("utf8").trim() === "") return false;
  try {
    JSON.parse(data);
    return false;
  } catch {
    return true;
  }
}

/** Server-sent events in one line each, as we write them ourselves. */
export function writeEvent(name: string | null, body: Json): string {
  return `${name === null ? "" : `event: ${name}\n`}data: ${JSON.stringify(body)}\n\n`;
}

function textStart(event: Buffer): number {
  return event.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
}

/** Behind the colon, without the one space that may follow it. */
function valuesOf(event: Buffer, field: string): string[] {
  const values: string[] = [];
  for (const line of event.toString("utf8", textStart(event)).split(LINE_END)) {
    if (line === field) values.push("");
    if (!line.startsWith(field) || line[field.length] !== ":") continue;
    values.push(line.slice(field.length + (line[field.length + 1] === " " ? 2 : 1)));
  }
  return values;
}
