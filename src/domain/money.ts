/** Money is integer nano-dollars; prices are pico-dollars a token; multipliers are basis points. No floats. */

export type Nanos = bigint;
export type Picos = bigint;
export type BasisPoints = number;

export const NANOS_PER_USD = 1_000_000_000n;
export const PICOS_PER_NANO = 1_000n;
export const MULTIPLIER_ONE: BasisPoints = 10_000;

const USD_PATTERN = /^(-?)(\d{1,9})(?:\.(\d{1,9}))?$/;
/** A price in USD per million tokens has at most six decimals, so that a token costs whole pico-dollars. */
const PRICE_PATTERN = /^(\d{1,6})(?:\.(\d{1,6}))?$/;

const ALMOST_NANO = PICOS_PER_NANO - 1n;
const SCALE = PICOS_PER_NANO * BigInt(MULTIPLIER_ONE);
const ALMOST_SCALE = SCALE - 1n;

/** The one rounding of a request: price × multiplier, up to the next nano-dollar. */
export function nanosUp(picos: Picos, multiplier: BasisPoints): Nanos {
  if (multiplier === MULTIPLIER_ONE) return (picos + ALMOST_NANO) / PICOS_PER_NANO;
  return (picos * BigInt(multiplier) + ALMOST_SCALE) / SCALE;
}

/** Reads "12.5" as nano-dollars; null where the text is not an amount of USD. */
export function parseUsd(text: string): Nanos | null {
  const match = USD_PATTERN.exec(text.trim());
  if (match === null) return null;
  const nanos = BigInt(match[2] ?? "0") * NANOS_PER_USD + BigInt((match[3] ?? "").padEnd(9, "0"));
  return match[1] === "-" ? -nanos : nanos;
}

/** Writes nano-dollars as USD without losing a digit, at least two decimals. */
export function formatUsd(nanos: Nanos): string {
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % NANOS_PER_USD)
    .toString()
    .padStart(9, "0")
    .replace(/0{1,7}$/, "");
  return `${sign}${size / NANOS_PER_USD}.${fraction}`;
}

/** USD per million tokens, as written by a person, to pico-dollars per token: 1.25 → 1,250,000. */
export function parsePricePerMillion(text: string): Picos | null {
  const match = PRICE_PATTERN.exec(text);
  if (match === null) return null;
  return BigInt(match[1] ?? "0") * 1_000_000n + BigInt((match[2] ?? "").padEnd(6, "0"));
}

export function formatPricePerMillion(picos: Picos): string {
  const fraction = (picos % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  return fraction === "" ? `${picos / 1_000_000n}` : `${picos / 1_000_000n}.${fraction}`;
}

/** "1.5" to 15,000 basis points; null beyond four decimals or above 10,000 times. */
export function parseMultiplier(text: string): BasisPoints | null {
  const match = /^(\d{1,4})(?:\.(\d{1,4}))?$/.exec(text);
  if (match === null) return null;
  return Number(match[1]) * MULTIPLIER_ONE + Number((match[2] ?? "").padEnd(4, "0"));
}
