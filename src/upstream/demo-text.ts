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

/** What a message holds beside its text. The demo cannot look at it, but it counts. */
export type DemoMedia = { images: number; documents: number; sounds: number };

export const NO_MEDIA: DemoMedia = { images: 0, documents: 0, sounds: 0 };

/** What was said, as a listing: `"the text" and 1 image`. */
function listed(said: { text: string; media: DemoMedia }): string {
  const quoted = quote(said.text);
  return [...(quoted === "" ? [] : [`"${quoted}"`]), ...counted(said.media)].join(" and ");
}

function counted({ images, documents, sounds }: DemoMedia): string[] {
  const kinds = [
    { count: images, name: "image" },
    { count: documents, name: "document" },
    { count: sounds, name: "sound" },
  ];
  return kinds
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}${count === 1 ? "" : "s"}`);
}

export function answerToUser(asked: { text: string; media: DemoMedia }): string {
  const heard = listed(asked);
  if (heard === "") return `Hello! ${ABOUT}`;
  return `Hello! You ${heard.startsWith('"') ? "said:" : "sent"} ${heard}. ${ABOUT}`;
}

export type DemoResult = { text: string; media: DemoMedia; isError: boolean };

export function answerToResults(results: readonly DemoResult[]): string {
  return `${results.map(answerToResult).join(" ")} ${ABOUT}`;
}

function answerToResult(result: DemoResult): string {
  const heard = listed(result);
  if (result.isError) return heard === "" ? "The tool failed." : `The tool failed: ${heard}.`;
  return heard === "" ? "The tool returned nothing." : `The tool returned: ${heard}.`;
}

export const REFUSAL = "I am sorry, but I cannot help with that.";

export function thoughtBefore(next: { tools: readonly string[]; afterResults: boolean }): string {
  const seen = next.afterResults ? "The tool has answered." : "The user has asked something.";
  const todo =
    next.tools.length > 0
      ? `I should call ${next.tools.map(quote).join(" and ")}.`
      : "I should repeat the beginning of it, and say what I am.";
  return `${seen} ${todo}`;
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

/**
 * Ends before the first stop sequence, and returns it; tokens that may turn out to begin one are held back until it is
 * clear.
 */
export function* untilStop(
  tokens: Iterable<string>,
  stops: readonly string[],
): Generator<string, string | null> {
  let held: string[] = [];
  for (const token of tokens) {
    held.push(token);
    const text = held.join("");
    const stop = firstStop(text, stops);
    if (stop !== null) {
      yield* demoTokens(text.slice(0, text.indexOf(stop)));
      return stop;
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
  return null;
}

function firstStop(text: string, stops: readonly string[]): string | null {
  let first: string | null = null;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at >= 0 && (first === null || at < text.indexOf(first))) first = stop;
  }
  return first;
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
