import type { Usage } from "../../domain/usage.ts";
import { valueAt } from "./content-bytes.ts";
import { readChatUsage } from "./read-usage.ts";

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
const CHOICES = Buffer.from('"choices"');

/**
 * The usage of a plain good answer, without parsing all that the model said. Inside a string every quote is escaped, so
 * a quoted name that is found stands for itself. Null where anything is unusual: then the answer is parsed whole.
 */
export function peekChatUsage(answer: Buffer): Usage | null {
  if (answer[0] !== OPEN_BRACE || answer[answer.length - 1] !== CLOSE_BRACE) return null;
  const at = answer.indexOf(USAGE);
  if (at < 0 || answer.indexOf(USAGE, at + 1) >= 0) return null;
  if (answer.indexOf(ERROR) >= 0 || answer.indexOf(CHOICES) < 0) return null;
  const open = valueAt(answer, at + USAGE.length);
  if (answer[open] !== OPEN_BRACE) return null;
  try {
    return readChatUsage(JSON.parse(answer.toString("latin1", open, objectEnd(answer, open))));
  } catch {
    return null;
  }
}

/** Just past the brace that closes the one at `open`; usage has no strings with braces in them, or it does not parse. */
function objectEnd(data: Buffer, open: number): number {
  let depth = 0;
  for (let at = open; at < data.length; at++) {
    const byte = data[at];
    if (byte === OPEN_BRACE) depth += 1;
    else if (byte === CLOSE_BRACE) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return data.length;
}
