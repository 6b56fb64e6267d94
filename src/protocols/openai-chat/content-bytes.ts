import { closingQuote } from "../json-object.ts";

/** Counts what a model said, in the bytes of a chat answer or of its stream, without parsing them. */

const QUOTE = 0x22;
const SPACE = 0x20;
const COLON = 0x3a;
const FIELDS = ['"content"', '"reasoning_content"', '"reasoning"', '"arguments"', '"refusal"'].map(field =>
  Buffer.from(field),
);

/** Bytes of text, reasoning and tool arguments. */
export function contentBytesOf(data: Buffer): number {
  let sum = 0;
  for (const field of FIELDS) sum += stringBytes(data, field);
  return sum;
}

/** Bytes inside the string values of a field, over all its places. */
function stringBytes(data: Buffer, field: Buffer): number {
  let sum = 0;
  for (let at = data.indexOf(field); at >= 0; at = data.indexOf(field, at + 1)) {
    const value = valueAt(data, at + field.length);
    if (data[value] === QUOTE) sum += stringEnd(data, value) - value - 1;
  }
  return sum;
}

/** Where a field's value begins, behind the colon and any white space. */
export function valueAt(data: Buffer, from: number): number {
  let at = from;
  while ((data[at] ?? QUOTE) <= SPACE || data[at] === COLON) at += 1;
  return at;
}

/** The closing quote of a string; the end of the data where there is none. */
export function stringEnd(data: Buffer, open: number): number {
  const end = closingQuote(data, open);
  return end < 0 ? data.length : end;
}
