/** Ids carry their type as a prefix and sort by the time they were made: `key_` + 10 digits of time + 16 of chance. */

export type IdKind = "acc" | "key" | "grp" | "mdl" | "prc" | "ups" | "req" | "led" | "boot";

export type Id<K extends IdKind> = `${K}_${string}`;

export type IdMaker = <K extends IdKind>(kind: K) => Id<K>;

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;
const CHANCE_DIGITS = 16;
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
  let timeText = "";
  let high = 0;
  let low = 0;
  const draw = () => {
    const bytes = source.randomBytes(10);
    high = fold(bytes, 0);
    low = fold(bytes, 5) & 0x3fffffff;
  };
  return kind => {
    const nowMs = source.nowMs();
    if (nowMs > timeMs) {
      timeMs = nowMs;
      timeText = digits(nowMs, TIME_DIGITS);
      draw();
    } else {
      low += 1;
    }
    return `${kind}_${timeText}${digits(high, CHANCE_DIGITS / 2)}${digits(low, CHANCE_DIGITS / 2)}`;
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

function digits(value: number, count: number): string {
  let text = "";
  let rest = value;
  for (let i = 0; i < count; i++) {
    text = DIGITS.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
