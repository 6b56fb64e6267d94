import { type Language, LOCALE } from "../words/language.ts";
import { numberFormat } from "./formats.ts";

/** Money comes as decimal USD text and is never made a float: every digit that is shown is a digit that was sent. */

const DECIMALS_LEAST = 4;

type Parts = { negative: boolean; whole: bigint; fraction: string };

function partsOf(usd: string): Parts {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(usd);
  if (match === null) return { negative: false, whole: 0n, fraction: "" };
  return {
    negative: match[1] === "-",
    whole: BigInt(match[2] ?? "0"),
    fraction: (match[3] ?? "").replace(/0+$/, ""),
  };
}

function written({ negative, whole, fraction }: Parts, language: Language): string {
  const grouped = numberFormat(LOCALE[language]).format(whole);
  return `${negative ? "−" : ""}$${grouped}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Exact, with four decimals or more: `3.118` is $3.1180, `0.000029224` is $0.000029224. */
export function formatMoney(usd: string, language: Language, decimalsLeast = DECIMALS_LEAST): string {
  const parts = partsOf(usd);
  return written({ ...parts, fraction: parts.fraction.padEnd(decimalsLeast, "0") }, language);
}

/** Rounded half up to so many decimals; what is not nothing is never shown as nothing. */
export function formatMoneyShort(usd: string, language: Language, decimals = DECIMALS_LEAST): string {
  const parts = partsOf(usd);
  const unit = 10n ** BigInt(decimals);
  const kept = BigInt(parts.fraction.slice(0, decimals).padEnd(decimals, "0") || "0");
  const up = (parts.fraction[decimals] ?? "0") >= "5" ? 1n : 0n;
  const total = parts.whole * unit + kept + up;
  const isNothing = parts.whole === 0n && parts.fraction === "";
  if (total === 0n && !isNothing) return `<${written({ negative: false, ...split(1n, decimals) }, language)}`;
  return written({ negative: parts.negative && total !== 0n, ...split(total, decimals) }, language);
}

function split(total: bigint, decimals: number): { whole: bigint; fraction: string } {
  const unit = 10n ** BigInt(decimals);
  const fraction = decimals === 0 ? "" : String(total % unit).padStart(decimals, "0");
  return { whole: total / unit, fraction };
}

/** A price per million tokens: two decimals or more. */
export function formatPrice(usd: string, language: Language): string {
  return formatMoney(usd, language, 2);
}

/** Only to draw with: the length of a bar, never a figure. */
export function moneyToDraw(usd: string): number {
  return Number(usd);
}

/** Adds amounts exactly. */
export function addMoney(amounts: readonly string[]): string {
  const NANOS = 1_000_000_000n;
  let total = 0n;
  for (const amount of amounts) {
    const { negative, whole, fraction } = partsOf(amount);
    const nanos = whole * NANOS + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
    total += negative ? -nanos : nanos;
  }
  const size = total < 0n ? -total : total;
  const fraction = String(size % NANOS)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${total < 0n ? "-" : ""}${size / NANOS}${fraction === "" ? "" : `.${fraction}`}`;
}

/** −1, 0 or 1. */
export function compareMoney(a: string, b: string): number {
  const difference = addMoney([a, b.startsWith("-") ? b.slice(1) : `-${b}`]);
  if (/^-?0(\.0+)?$/.test(difference)) return 0;
  return difference.startsWith("-") ? -1 : 1;
}
