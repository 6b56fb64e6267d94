import { CUSTOM_KEY_LENGTH_MAX, CUSTOM_KEY_LENGTH_MIN, diagnoseKeyString, KEY_PREFIX } from "./key-string.ts";

export type CustomKeyCheck = { ok: true } | { ok: false; problem: string };

const STRENGTH_BITS_MIN = 80;
const ALPHABET = /^[A-Za-z0-9_-]*$/;
const RUNS = ["abcdefghijklmnopqrstuvwxyz", "12345678901234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
const RUNS_BOTH_WAYS = [...RUNS, ...RUNS.map(run => [...run].reverse().join(""))];
const COMMON_WORDS = [
  ..."password passwd secret token admin test user root login default example demo key api custom".split(" "),
  ..."wicketgate gateway openai anthropic claude chatgpt welcome letmein master server local prod".split(" "),
];
const RUN_LENGTH_MIN = 3;
const RUN_BITS = 8;
const REPEAT_LENGTH_MIN = 4;
const SEPARATOR_BITS = 2;
const COMMON_WORD_BITS = 6;
const YEAR_BITS = 7;
/** English text holds a little over two bits a letter. */
const WORD_BITS_PER_LETTER = 2.3;

/** Whether a string that the holder chose may become a key. */
export function checkCustomKey(text: string): CustomKeyCheck {
  if (text.length < CUSTOM_KEY_LENGTH_MIN || text.length > CUSTOM_KEY_LENGTH_MAX) {
    const range = `${CUSTOM_KEY_LENGTH_MIN} to ${CUSTOM_KEY_LENGTH_MAX}`;
    return refuse(`it has ${text.length} characters, and a custom key has ${range}`);
  }
  if (!ALPHABET.test(text)) return refuse("it may hold only the letters A-Z and a-z, digits, _ and -");
  const problem = likenessProblem(text);
  if (problem !== null) return refuse(problem);
  const bits = Math.floor(strengthBits(text));
  if (bits >= STRENGTH_BITS_MIN) return { ok: true };
  return refuse(
    `it is too easy to guess (about ${bits} bits, and ${STRENGTH_BITS_MIN} are needed): make it longer or more random`,
  );
}

/** Only what the gateway will diagnose as a custom key is ever looked up as one. */
function likenessProblem(text: string): string | null {
  const diagnosis = diagnoseKeyString(text);
  if (diagnosis.kind === "custom") return null;
  if (diagnosis.kind === "provider") {
    return `it begins like a key of ${diagnosis.provider}: choose another beginning`;
  }
  if (diagnosis.kind === "malformed" && !text.toLowerCase().startsWith(KEY_PREFIX)) {
    return `it would be taken for a mistake, as if ${diagnosis.problem}`;
  }
  return "it begins like a Wicketgate key: choose another beginning";
}

function refuse(problem: string): CustomKeyCheck {
  return { ok: false, problem };
}

/** The cheapest way to spell the text out of single characters and of the patterns that a guesser tries first. */
export function strengthBits(text: string): number {
  const lower = text.toLowerCase();
  const characterBits = bitsPerCharacter(text);
  const words = wordLengths(text);
  const cheapest = new Array<number>(text.length + 1).fill(Number.POSITIVE_INFINITY);
  cheapest[0] = 0;
  for (let at = 0; at < text.length; at++) {
    const soFar = cheapest[at] ?? 0;
    const offer = (length: number, bits: number) => {
      cheapest[at + length] = Math.min(cheapest[at + length] ?? 0, soFar + bits);
    };
    offer(1, characterBits);
    for (let length = runLength(lower, at); length >= RUN_LENGTH_MIN; length--) offer(length, RUN_BITS);
    for (let length = repeatLength(lower, at); length >= REPEAT_LENGTH_MIN; length--) {
      offer(length, Math.log2(at) + Math.log2(length) + 1);
    }
    if (/[-_]/.test(text.charAt(at))) offer(1, SEPARATOR_BITS);
    for (const word of COMMON_WORDS) if (lower.startsWith(word, at)) offer(word.length, COMMON_WORD_BITS);
    if (/^(?:19|20)\d\d/.test(text.slice(at, at + 4))) offer(4, YEAR_BITS);
    const wordLength = words.get(at);
    if (wordLength !== undefined) offer(wordLength, wordLength * WORD_BITS_PER_LETTER + 1);
  }
  return cheapest[text.length] ?? 0;
}

/** By the kinds of character that occur, but few different ones tell of a small alphabet. */
function bitsPerCharacter(text: string): number {
  const kinds: readonly (readonly [RegExp, number])[] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[_-]/, 2],
  ];
  const alphabet = kinds.reduce((sum, [pattern, size]) => sum + (pattern.test(text) ? size : 0), 0);
  return Math.log2(Math.max(1, Math.min(alphabet, 2 * new Set(text).size)));
}

/** How far the text follows the alphabet, the digits or a row of the keyboard from there on, or stands still. */
function runLength(lower: string, at: number): number {
  let longest = 1;
  while (at + longest < lower.length && lower[at + longest] === lower[at]) longest++;
  for (const run of RUNS_BOTH_WAYS) {
    const from = run.indexOf(lower.charAt(at));
    let length = 0;
    while (from >= 0 && at + length < lower.length && lower[at + length] === run[from + length]) length++;
    longest = Math.max(longest, length);
  }
  return longest;
}

/** As LZ77: the longest piece from there on that also begins earlier; the two may overlap. */
function repeatLength(lower: string, at: number): number {
  let longest = 0;
  for (let from = 0; from < at; from++) {
    let length = 0;
    while (at + length < lower.length && lower[from + length] === lower[at + length]) length++;
    longest = Math.max(longest, length);
  }
  return longest;
}

/**
 * Where a piece between separators can be spoken, and its length: it is taken for a word of some language.
 * Only between separators, and not at any length, so that letters drawn at random are not taken for words.
 */
function wordLengths(text: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let at = 0;
  for (const piece of text.split(/[-_]/)) {
    const speakable = /[aeiouy]/i.test(piece) && !/[^aeiouy]{5}|[aeiouy]{4}/i.test(piece);
    if (speakable && /^(?:[A-Z]?[a-z]{1,14}|[A-Z]{2,15})$/.test(piece)) found.set(at, piece.length);
    at += piece.length + 1;
  }
  return found;
}
