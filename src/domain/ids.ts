/** Ids carry their type as a prefix and sort by the time they were made: `key_` + 10 digits of time + 16 of chance. */

export type IdKind =
  | "acc"
  | "boot"
  | "code"
  | "crd"
  | "dlv"
  | "evt"
  | "grp"
  | "key"
  | "led"
  | "mdl"
  | "pkey"
  | "pln"
  | "prc"
  | "req"
  | "ses"
  | "sub"
  | "tkt"
  | "tok"
  | "ups"
  | "whk"
  | "whs";

export type Id<K extends IdKind> = `${K}_${string}`;

export type IdMaker = <K extends IdKind>(kind: K) => Id<K>;

export const ID_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;
const CHANCE_DIGITS = 16;
/** Leaves room to count up within a millisecond. */
const COUNT_START_MAX = 2 ** 39;
const ID_PATTERN = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * Chance is drawn once a millisecond and counted up within it, so ids of one maker are strictly increasing
 * and a request does not pay for a system call.
 */
export function idMaker(source: {
  nowMs: () => number;
  randomBytes: (count: number) => Uint8Array;
}): IdMaker {
  let timeMs = -1;
  let prefix = "";
  /** The count without its last two digits, and these: only they change from one id to the next. */
  let high = 0;
  let low = 0;
  let stem = "";
  const begin = (nowMs: number) => {
    const bytes = source.randomBytes(10);
    timeMs = nowMs;
    prefix = `_${digits(nowMs, TIME_DIGITS)}${digits(fold(bytes, 0), CHANCE_DIGITS / 2)}`;
    const count = fold(bytes, 5) % COUNT_START_MAX;
    high = Math.floor(count / PAIRS.length);
    low = count % PAIRS.length;
    writeStem();
  };
  const carry = () => {
    low = 0;
    high += 1;
    writeStem();
  };
  const writeStem = () => {
    stem = prefix + digits(high, CHANCE_DIGITS / 2 - 2);
  };
  return kind => {
    const nowMs = source.nowMs();
    if (nowMs > timeMs) begin(nowMs);
    else if (low < PAIRS.length - 1) low += 1;
    else carry();
    return `${kind}${stem}${PAIRS[low] ?? ""}` as Id<typeof kind>;
  };
}

export function isId<K extends IdKind>(kind: K, text: string): text is Id<K> {
  return text.startsWith(`${kind}_`) && ID_PATTERN.test(text);
}

/** Five bytes as one number of 40 bits. */
function fold(bytes: Uint8Array, from: number): number {
  let value = 0;
  for (let i = from; i < from + 5; i++) value = value * 256 + (bytes[i] ?? 0);
  return value;
}

/** Two digits at a time, from a table: an id is made for every request. */
const PAIRS = Array.from(
  { length: 1024 },
  (_, value) => ID_DIGITS.charAt(value >> 5) + ID_DIGITS.charAt(value & 31),
);

function digits(value: number, count: number): string {
  let text = "";
  let rest = value;
  for (let i = 0; i < count; i += 2) {
    const high = Math.floor(rest / 1024);
    text = (PAIRS[rest - high * 1024] ?? "") + text;
    rest = high;
  }
  return text;
}
