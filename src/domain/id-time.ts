import { ID_DIGITS, type Id, type IdKind } from "./ids.ts";

/** Ids begin with the time they were made, so a span of time is a span of ids: no index by time is needed. */

const TIME_DIGITS = 10;
const CHANCE_DIGITS = 16;
const VALUES = new Uint8Array(128);
for (let value = 0; value < ID_DIGITS.length; value++) VALUES[ID_DIGITS.charCodeAt(value)] = value;

/** When an id was made, by the clock of its maker, in epoch milliseconds. */
export function idTimeMs(id: string): number {
  const from = id.indexOf("_") + 1;
  let ms = 0;
  for (let at = from; at < from + TIME_DIGITS; at++) ms = ms * 32 + (VALUES[id.charCodeAt(at)] ?? 0);
  return ms;
}

/** The least id that can be made at a time. */
export function firstIdAt<K extends IdKind>(kind: K, ms: number): Id<K> {
  let text = "0".repeat(CHANCE_DIGITS);
  let rest = Math.max(0, Math.floor(ms));
  for (let at = 0; at < TIME_DIGITS; at++) {
    text = ID_DIGITS.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return `${kind}_${text}`;
}
