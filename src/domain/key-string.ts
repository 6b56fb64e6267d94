import { recogniseProviderKey } from "./provider-key.ts";

/** `wgk_` + 43 base62 characters + 6 base62 digits of the CRC-32 of what stands before: 53 characters. */
export const KEY_PREFIX = "wgk_";
export const KEY_LENGTH = 53;
export const CUSTOM_KEY_LENGTH_MIN = 24;
export const CUSTOM_KEY_LENGTH_MAX = 128;

export type KeyDiagnosis =
  | { kind: "generated"; key: string }
  | { kind: "custom"; key: string }
  | { kind: "missing" }
  | { kind: "provider"; provider: string; setting: string }
  /** `problem` is a clause ("it has …") that a person can act on; it never repeats any of the key. */
  | { kind: "malformed"; problem: string };

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHANCE_LENGTH = 43;
const CHECK_LENGTH = 6;
const BODY_LENGTH = CHANCE_LENGTH + CHECK_LENGTH;
const DERIVE_BYTES_MIN = 64;
const DRAWS_MAX = 16;
/** The largest multiple of 62 in a byte: what lies above would favour the first digits. */
const FAIR_BYTE_END = 248;
/** Beyond this nothing is searched for patterns; a sign-in token still fits. */
const PRESENTED_LENGTH_MAX = 4096;
const LAYERS_MAX = 8;

const CRC_TABLE = crcTable();
const DIGIT_OF = new Int8Array(128).fill(-1);
for (let digit = 0; digit < BASE62.length; digit++) DIGIT_OF[BASE62.charCodeAt(digit)] = digit;
const CRC_AFTER_PREFIX = crcOver(KEY_PREFIX, -1);

export function generateKeyString(randomBytes: (count: number) => Uint8Array): string {
  let chance = "";
  for (let draw = 0; chance.length < CHANCE_LENGTH; draw++) {
    if (draw === DRAWS_MAX) throw new Error("the source of random bytes gives none that can be used");
    chance = addFairDigits(chance, randomBytes(DERIVE_BYTES_MIN));
  }
  return withChecksum(chance);
}

/** The same bytes give the same key; they must be pseudo-random, as HKDF makes them. */
export function deriveKeyString(bytes: Uint8Array): string {
  const chance = bytes.length < DERIVE_BYTES_MIN ? "" : addFairDigits("", bytes);
  if (chance.length < CHANCE_LENGTH) throw new RangeError("a key string takes 64 or more random bytes");
  return withChecksum(chance);
}

/** What may be shown of a key: never enough to guess the rest. */
export function previewKeyString(key: string): string {
  const shown = isGenerated(key) ? KEY_PREFIX.length + 2 : 3;
  return `${key.slice(0, shown)}…${key.slice(-4)}`;
}

/** Takes the header's value without its scheme. A good key is told by its checksum alone, before all else. */
export function diagnoseKeyString(presented: string): KeyDiagnosis {
  if (isGenerated(presented)) return { kind: "generated", key: presented };
  const text = trimSpaces(presented);
  if (text === "") return { kind: "missing" };
  if (isGenerated(text)) return { kind: "generated", key: text };
  if (text.length > PRESENTED_LENGTH_MAX) return { kind: "malformed", problem: lengthProblem(text.length) };
  const { core, problem: outerProblem } = unwrap(text);
  const standIn = STAND_INS.find(([pattern]) => pattern.test(core));
  if (standIn !== undefined) return { kind: "malformed", problem: standIn[1] };
  const providerKey = recogniseProviderKey(core);
  if (providerKey !== null) return { kind: "provider", ...providerKey };
  const problem = outerProblem ?? characterProblem(text) ?? ownKeyProblem(text) ?? customKeyProblem(text);
  return problem === null ? { kind: "custom", key: text } : { kind: "malformed", problem };
}

/** Told by its checksum alone. */
export function isGenerated(text: string): boolean {
  return text.length === KEY_LENGTH && text.startsWith(KEY_PREFIX) && bodyIsWhole(text, KEY_PREFIX.length);
}

/** Whether the 49 characters from there on are a key's, were `wgk_` before them. */
function bodyIsWhole(text: string, from: number): boolean {
  let crc = CRC_AFTER_PREFIX;
  const checkFrom = from + CHANCE_LENGTH;
  for (let i = from; i < checkFrom; i++) {
    const code = text.charCodeAt(i);
    if ((DIGIT_OF[code] ?? -1) < 0) return false;
    crc = crcStep(crc, code);
  }
  let check = 0;
  for (let i = checkFrom; i < checkFrom + CHECK_LENGTH; i++) {
    const digit = DIGIT_OF[text.charCodeAt(i)] ?? -1;
    if (digit < 0) return false;
    check = check * 62 + digit;
  }
  return check === ~crc >>> 0;
}

function withChecksum(chance: string): string {
  let rest = ~crcOver(chance, CRC_AFTER_PREFIX) >>> 0;
  let check = "";
  for (let i = 0; i < CHECK_LENGTH; i++) {
    check = BASE62.charAt(rest % 62) + check;
    rest = Math.floor(rest / 62);
  }
  return KEY_PREFIX + chance + check;
}

function addFairDigits(chance: string, bytes: Uint8Array): string {
  let longer = chance;
  for (const byte of bytes) {
    if (longer.length === CHANCE_LENGTH) break;
    if (byte < FAIR_BYTE_END) longer += BASE62.charAt(byte % 62);
  }
  return longer;
}

function crcTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, index) => {
    let crc = index;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
}

function crcStep(crc: number, code: number): number {
  return (crc >>> 8) ^ (CRC_TABLE[(crc ^ code) & 255] ?? 0);
}

function crcOver(text: string, start: number): number {
  let crc = start;
  for (let i = 0; i < text.length; i++) crc = crcStep(crc, text.charCodeAt(i));
  return crc;
}

function trimSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === " ") from++;
  while (to > from && text[to - 1] === " ") to--;
  return text.slice(from, to);
}

const UNSET = "it is what a program prints for a value that was never set: the setting for the key is empty";
const SHORTENED = "it is a shortened form for display: enter the whole key, shown once when it was made";
const PLACEHOLDER = "it is a placeholder from an example: put the real key in its place";
const VARIABLE = "it is the name of a variable and not its value: the tool did not fill it in";
const OPERATOR_TOKEN =
  "it is an operator token, which only the console's API under /console/api takes: enter a key, which begins with wgk_";
const SIGN_IN = "it is the token of a signed-in account: sign the tool out of that account and enter a key";

/** What people and programs send in the place of a key. Bounded repeats only: the text is a stranger's. */
const STAND_INS: readonly (readonly [RegExp, string])[] = [
  [/^wgo_[A-Za-z0-9]{20,}$/, OPERATOR_TOKEN],
  [/^(?:undefined|null|none|nil|nan|true|false|\[object object\])$/i, UNSET],
  [/\u2026|\u2022|\u00e2\u0080[\u00a2\u00a6]|\.{3}|\*{3}/, SHORTENED],
  [/^<.{0,40}>$|^\[.{0,40}\]$|^(?:[a-z0-9]{1,8}[-_]){0,4}x{3,}$/i, PLACEHOLDER],
  [/(?:^|[^a-z])your[-_ ]?(?:[a-z]{1,16}[-_ ]){0,2}(?:key|token)/i, PLACEHOLDER],
  [/^change[-_]?me|(?:key|token)[-_ ]here$/i, PLACEHOLDER],
  [/^\$(?:\{?[\w.:-]{1,40}\}?|\(.{0,80}\))$|^\{{1,2}[\w .:$-]{1,40}\}{1,2}$|^%\w{1,40}%$/, VARIABLE],
  [/^process\.env\.|^[A-Z][A-Z0-9]{0,20}(?:_[A-Z0-9]{1,20}){0,5}_(?:KEY|TOKEN|SECRET)$/, VARIABLE],
  [/^eyJ[\w-]{10,}\.[\w-]{10,}\./, SIGN_IN],
];

const QUOTED = "it has quotation marks around it: enter the key without them";

const LEADING_LAYERS: readonly (readonly [RegExp, string])[] = [
  [/^(?:authorization|[\w-]{0,9}api-key)\s{0,9}[:=]/i, "it has a header's name in it: enter the key alone"],
  [/^bearer(?=[\s:]|$):?/i, "it has the word Bearer in it once too often: enter the key alone"],
  [/^(?:export )?[A-Z][A-Z0-9_]{0,60}=/, "it has a variable's name before it: enter the key alone"],
  [/^["'`\u201c\u201d\u2018\u2019]/, QUOTED],
  [/^\s/, "it begins with white space or a line break: enter the key without it"],
];

const TRAILING_LAYERS: readonly (readonly [RegExp, string])[] = [
  [/["'`\u201c\u201d\u2018\u2019]$/, QUOTED],
  [/(?:[\r\n]|\\[rn])$/, "it ends with a line break: enter the key without it"],
  [/\s$/, "it ends with white space: enter the key without it"],
  [/[,;]$/, "it ends with a comma or semicolon: enter the key without it"],
];

/** Takes off what was pasted along with the key, so that a provider's key in quotes is still told as one. */
function unwrap(text: string): { core: string; problem: string | null } {
  let core = text;
  let problem: string | null = null;
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const before = LEADING_LAYERS.find(([pattern]) => pattern.test(core));
    if (before !== undefined) core = trimSpaces(core.replace(before[0], ""));
    const after = TRAILING_LAYERS.find(([pattern]) => pattern.test(core));
    if (after !== undefined) core = trimSpaces(core.replace(after[0], ""));
    if (before === undefined && after === undefined) break;
    problem ??= before?.[1] ?? after?.[1] ?? null;
  }
  if (core === "") problem = "it holds no key at all, only what stands around one: the setting is empty";
  return { core, problem };
}

function characterProblem(text: string): string | null {
  const at = text.search(/[^\x21-\x7e]|,/);
  if (at < 0) return null;
  if (text.includes(",")) return "it has a comma inside: two keys were joined, or the header is sent twice";
  if (/[\r\n]/.test(text)) return "it has a line break inside: enter the key on one line";
  if (/\s/.test(text.charAt(at))) return `it has white space inside, at position ${at + 1}: a key has none`;
  return `it has an invisible or look-alike character, not plain ASCII, at position ${at + 1}: copy the key anew`;
}

/** Null where the text is not one of our keys come to harm. */
function ownKeyProblem(text: string): string | null {
  const { length } = text;
  const start = text.indexOf(KEY_PREFIX);
  if (start >= 0 && bodyIsWhole(text, start + KEY_PREFIX.length)) {
    if (start === 0) return surplusProblem(length, " at the end");
    return surplusProblem(length, start + KEY_LENGTH === length ? " at the beginning" : " around it");
  }
  if (start === 0) return problemAfterPrefix(text);
  const endsLikeOurs = length >= BODY_LENGTH && bodyIsWhole(text, length - BODY_LENGTH);
  if (!endsLikeOurs && !beginsAlmostLikeOurs(text, start)) return null;
  const clause = "its beginning is damaged, a key begins with wgk_ in small letters";
  return length === KEY_LENGTH ? clause : `${lengthProblem(length)}: ${clause}`;
}

function beginsAlmostLikeOurs(text: string, start: number): boolean {
  const beginning = text.slice(0, KEY_PREFIX.length).toLowerCase();
  if (beginning === KEY_PREFIX || (start > 0 && start <= 3)) return true;
  let inPlace = 0;
  for (let i = 0; i < KEY_PREFIX.length; i++) if (beginning[i] === KEY_PREFIX[i]) inPlace++;
  return inPlace >= 2 && Math.abs(text.length - KEY_LENGTH) <= 3;
}

function problemAfterPrefix(text: string): string {
  const { length } = text;
  if (length > KEY_LENGTH) return surplusProblem(length, "");
  if (length === KEY_LENGTH - 1) return `${lengthProblem(length)}: one is missing, most likely the last`;
  if (length < KEY_LENGTH) return `${lengthProblem(length)}: the end is cut off`;
  const at = text.slice(KEY_PREFIX.length).search(/[^A-Za-z0-9]/) + KEY_PREFIX.length;
  if (at < KEY_PREFIX.length) return "its checksum does not fit: a character is mistyped or was swapped";
  return `the character at position ${at + 1} is wrong: only letters and digits follow wgk_`;
}

function customKeyProblem(text: string): string | null {
  const { length } = text;
  if (length < CUSTOM_KEY_LENGTH_MIN || length > CUSTOM_KEY_LENGTH_MAX) return lengthProblem(length);
  const at = text.search(/[^A-Za-z0-9_-]/);
  return at < 0 ? null : `the character at position ${at + 1} is wrong: a key has letters, digits, _ and -`;
}

function lengthProblem(length: number): string {
  return `it has ${characters(length)}, and a whole key has ${KEY_LENGTH}`;
}

function surplusProblem(length: number, where: string): string {
  return `${lengthProblem(length)}: it has ${characters(length - KEY_LENGTH)} too many${where}`;
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}
