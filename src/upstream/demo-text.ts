const TOKEN = / ?[\p{L}\p{M}\p{N}_]{1,16}| ?[^\s\p{L}\p{M}\p{N}_]|\s{1,16}/gu;

/**
 * The demo's one rule for tokens: up to 16 letters, digits or underscores with the space before them; or one
 * other sign with the space before it; or up to 16 blanks. Joined, the tokens are the text.
 */
export function demoTokens(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

const SLICE_CHARS = 65_536;

/** As many as `demoTokens` gives, without holding the tokens of a long prompt all at once. */
export function countDemoTokens(text: string): number {
  let count = 0;
  let from = 0;
  while (text.length - from > SLICE_CHARS) {
    const tokens = demoTokens(text.slice(from, from + SLICE_CHARS));
    // The last tokens of a slice may go on in the next one, so they are counted there.
    const tail = tokens.splice(-2).join("").length;
    count += tokens.length;
    from += SLICE_CHARS - tail;
  }
  return count + demoTokens(text.slice(from)).length;
}

const QUOTE_CHARS_MAX = 60;

/** The beginning of a text on one line. */
export function quote(text: string): string {
  // Enough to fill the quotation from any sane text, without walking through a whole book.
  const start = text.slice(0, 4_096).toWellFormed();
  const chars = [...start.replace(/[\s\p{Cc}]+/gu, " ").trim()];
  const cut = chars.length > QUOTE_CHARS_MAX;
  return cut ? `${chars.slice(0, QUOTE_CHARS_MAX).join("").trimEnd()}…` : chars.join("");
}

const ABOUT =
  "I am the built-in demo model of Wicketgate, so repeating is all I can do; " +
  "connect an upstream and a real model will answer in my place.";

export function answerToUser(asked: string): string {
  const quoted = quote(asked);
  return quoted === "" ? `Hello! ${ABOUT}` : `Hello! You said: "${quoted}". ${ABOUT}`;
}

export function answerToToolResult(result: string): string {
  const quoted = quote(result);
  return quoted === "" ? `The tool returned nothing. ${ABOUT}` : `The tool returned: "${quoted}". ${ABOUT}`;
}

// Each begins with a space and ends with a full stop, so that tokens never run across two of them.
const FILLER = [
  " A wicket gate is the small door in the great gate of a castle.",
  " People pass it one at a time, and the keeper looks at each key.",
  " The keeper writes down who went through and what they carried.",
  " Nobody passes with an empty purse, and nobody pays for a door that stayed shut.",
  " In the morning the carts come, and the great gate opens for them.",
  " In the evening it closes, and the small door is enough again.",
].map(demoTokens);

/** The answer's own tokens, then the same sentences over and over. Endless: the taker decides how many. */
export function* longTokens(answer: string): Generator<string> {
  yield* demoTokens(answer);
  while (true) for (const sentence of FILLER) yield* sentence;
}

/** Ends before the first stop sequence; tokens that may turn out to begin one are held back until it is clear. */
export function* untilStop(tokens: Iterable<string>, stops: readonly string[]): Generator<string> {
  let held: string[] = [];
  for (const token of tokens) {
    held.push(token);
    const text = held.join("");
    const at = firstStop(text, stops);
    if (at >= 0) {
      yield* demoTokens(text.slice(0, at));
      return;
    }
    let clear = text.length - openingLength(text, stops);
    const ready = held.findIndex(piece => {
      clear -= piece.length;
      return clear < 0;
    });
    const kept = ready < 0 ? [] : held.splice(ready);
    yield* held;
    held = kept;
  }
  yield* held;
}

function firstStop(text: string, stops: readonly string[]): number {
  const found = stops.map(stop => text.indexOf(stop)).filter(at => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** How many characters at the end of the text could be the beginning of a stop sequence. */
function openingLength(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}
