import type { Usage } from "../../domain/usage.ts";
import { readChatUsage } from "./read-usage.ts";

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COLON = 0x3a;
const USAGE = '"usage"';

/**
 * The usage of a plain good answer, without parsing all that the model said. Inside a string every quote is escaped, so
 * a quoted name that is found stands for itself. Null where anything is unusual: then the answer is parsed whole.
 */
export function peekChatUsage(answer: Buffer): Usage | null {
  // One character for each byte: what is looked for is plain, whatever else the bytes say.
  const text = answer.toString("latin1");
  if (text.charCodeAt(0) !== OPEN_BRACE || text.charCodeAt(text.length - 1) !== CLOSE_BRACE) return null;
  const at = text.indexOf(USAGE);
  if (at < 0 || text.includes(USAGE, at + 1)) return null;
  if (text.includes('"error"') || !text.includes('"choices"')) return null;
  const open = text.indexOf("{", at);
  if (open < 0 || !isColon(text, at + USAGE.length, open)) return null;
  try {
    return readChatUsage(JSON.parse(text.slice(open, objectEnd(text, open))));
  } catch {
    return null;
  }
}

/** Most write it without white space, and no text is made to find that out. */
function isColon(text: string, from: number, to: number): boolean {
  if (to === from + 1) return text.charCodeAt(from) === COLON;
  return text.slice(from, to).trim() === ":";
}

/** Just past the brace that closes the one at `open`; usage has no strings with braces in them, or it does not parse. */
function objectEnd(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) depth += 1;
    else if (code === CLOSE_BRACE) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
