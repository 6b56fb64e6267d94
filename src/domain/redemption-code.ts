/**
 * `wgc_` + 26 symbols of chance (130 bits) + 6 of a checksum, in groups of four to be read aloud and typed. The symbols
 * are those of Crockford's base 32: no I, L, O or U. The checksum is that of Bech32m (BIP 350), which finds every
 * mistake in up to four symbols.
 */
export const CODE_PREFIX = "wgc_";

export type CodeDiagnosis =
  /** `code` is the one way to write it, whatever the case, separators and look-alikes that it came in. */
  | { kind: "good"; code: string }
  | { kind: "missing" }
  /** `problem` is a clause ("it has …") that a person can act on; it never repeats any of the code. */
  | { kind: "malformed"; problem: string };

const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BARE_PREFIX = "WGC";
const CHANCE_LENGTH = 26;
const CHECK_LENGTH = 6;
const BODY_LENGTH = CHANCE_LENGTH + CHECK_LENGTH;
const GROUP_LENGTH = 4;
/** Beyond this nothing is searched; a code with a space after every character still fits. */
const PRESENTED_LENGTH_MAX = 200;
/** White space, and every dash that a word processor makes of a plain one. */
const SEPARATOR = /[\s_\u002d\u2010-\u2015\u2212]/;

/** By character code, small letters and look-alikes included; ASCII alone, so that no other alphabet slips in. */
const VALUE_OF = new Int8Array(128).fill(-1);
for (let value = 0; value < SYMBOLS.length; value++) {
  VALUE_OF[SYMBOLS.charCodeAt(value)] = value;
  VALUE_OF[SYMBOLS.toLowerCase().charCodeAt(value)] = value;
}
for (const [seen, meant] of ["I1", "i1", "L1", "l1", "O0", "o0"].map(pair => [...pair])) {
  VALUE_OF[(seen ?? "").charCodeAt(0)] = Number(meant);
}

const BECH32M = 0x2bc830a3;
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;
const SUM_AFTER_PREFIX = sumOver(valuesOfPrefix(), 1);

export function generateRedemptionCode(randomBytes: (count: number) => Uint8Array): string {
  // 32 divides 256, so that the low five bits of a byte favour no symbol.
  const chance = [...randomBytes(CHANCE_LENGTH)].map(byte => byte & 31);
  if (chance.length !== CHANCE_LENGTH) throw new RangeError("a code takes 26 random bytes");
  return written([...chance, ...checksumOf(chance)]);
}

/** What may be shown of a code: its first and last group, of which the last is checksum and no chance. */
export function previewRedemptionCode(code: string): string {
  return `${code.slice(0, CODE_PREFIX.length + GROUP_LENGTH)}…${code.slice(-GROUP_LENGTH)}`;
}

/** What is stored of a code: an HMAC under a pepper that is not in the database. */
export function redemptionCodeHash(pepper: Uint8Array, code: string): string {
  return new Bun.CryptoHasher("sha256", pepper).update(code).digest("base64url");
}

export function diagnoseRedemptionCode(presented: string): CodeDiagnosis {
  const text = presented.trim();
  if (text === "") return { kind: "missing" };
  if (text.length > PRESENTED_LENGTH_MAX) return malformed(lengthProblem(text.length));
  if (/^wgk_/i.test(text)) return malformed("it is an API key, and a redemption code begins with wgc_");
  if (/\u2026|\.{3}|\*{3}/.test(text)) {
    return malformed("it is a shortened form for display: enter the whole code, shown once when it was made");
  }
  const places = [...text].map((character, at) => ({ character, at })).filter(isSymbolPlace);
  const beginning = places.slice(0, BARE_PREFIX.length).map(({ character }) => character);
  if (beginning.join("").toUpperCase() !== BARE_PREFIX || !/^[a-z]+$/i.test(beginning.join(""))) {
    return malformed("its beginning is missing or mistyped, a code begins with wgc_");
  }
  const body = places.slice(BARE_PREFIX.length);
  const foreign = body.find(({ character }) => symbolValue(character) < 0);
  if (foreign !== undefined) return malformed(foreignProblem(foreign));
  if (body.length !== BODY_LENGTH) return malformed(lengthProblem(body.length));
  const values = body.map(({ character }) => symbolValue(character));
  if (sumOver(values, SUM_AFTER_PREFIX) !== BECH32M) {
    return malformed("its checksum does not fit: a character is mistyped or two are swapped");
  }
  return { kind: "good", code: written(values) };
}

type Place = { character: string; at: number };

function isSymbolPlace({ character }: Place): boolean {
  return !SEPARATOR.test(character);
}

function symbolValue(character: string): number {
  return character.length === 1 ? (VALUE_OF[character.charCodeAt(0)] ?? -1) : -1;
}

function written(values: readonly number[]): string {
  const symbols = values.map(value => SYMBOLS.charAt(value)).join("");
  const groups = Array.from({ length: BODY_LENGTH / GROUP_LENGTH }, (_, group) =>
    symbols.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH),
  );
  return CODE_PREFIX + groups.join("-");
}

function checksumOf(chance: readonly number[]): number[] {
  const room = new Array<number>(CHECK_LENGTH).fill(0);
  const sum = sumOver([...chance, ...room], SUM_AFTER_PREFIX) ^ BECH32M;
  return room.map((_, at) => (sum >>> (5 * (CHECK_LENGTH - 1 - at))) & 31);
}

/** The prefix counts, as BIP 173 has it: the high bits of each letter, a zero, the low bits. */
function valuesOfPrefix(): number[] {
  const codes = [...BARE_PREFIX.toLowerCase()].map(letter => letter.charCodeAt(0));
  return [...codes.map(code => code >> 5), 0, ...codes.map(code => code & 31)];
}

function sumOver(values: readonly number[], start: number): number {
  let sum = start;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, term] of GENERATOR.entries()) if ((top >> bit) & 1) sum ^= term;
  }
  return sum;
}

function malformed(problem: string): CodeDiagnosis {
  return { kind: "malformed", problem };
}

function foreignProblem({ character, at }: Place): string {
  const where = `the character at position ${at + 1} is wrong`;
  if (character === "u" || character === "U") return `${where}: no code has a U, it may be a V`;
  return `${where}: after wgc_ a code has only letters and digits, in groups of four`;
}

function lengthProblem(length: number): string {
  const have = length === 1 ? "1 letter or digit" : `${length} letters and digits`;
  return `it has ${have} after wgc_, and a whole code has ${BODY_LENGTH}`;
}
