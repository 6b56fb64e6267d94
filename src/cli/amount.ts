import { parseMoment } from "../console/apply-time.ts";
import { formatUsd, type Nanos, parseUsd } from "../domain/money.ts";
import { UsageProblem } from "./problem.ts";

const SHAPE = "Write it like 12.50, with at most 9 decimals and without a sign or currency.";
const COUNT_MAX = 1_000_000_000;
const UNITS_MS = { d: 86_400_000, h: 3_600_000 } as const;

/** An amount that may be zero. */
export function readUsd(what: string, text: string): Nanos {
  const amount = parseUsd(text);
  if (amount === null) throw new UsageProblem(`${what} must be a number of USD.`, SHAPE);
  if (amount < 0n) throw new UsageProblem(`${what} must not be negative.`, SHAPE);
  return amount;
}

/** An amount that moves money. */
export function readPositiveUsd(what: string, text: string): Nanos {
  const amount = readUsd(what, text);
  if (amount === 0n) throw new UsageProblem(`${what} must be more than zero.`);
  return amount;
}

export function usd(amount: Nanos): string {
  return formatUsd(amount);
}

export function readCount(option: string, text: string | null, max = COUNT_MAX): number | null {
  if (text === null) return null;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > max)
    throw new UsageProblem(`--${option} must be a whole number from 1 to ${max}.`);
  return count;
}

/** A date, a time, or how long from now: 2027-01-01, 2027-01-01T12:00:00Z, 30d, 12h. */
export function readExpiry(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  const span = /^(\d{1,5})([dh])$/.exec(text);
  const unit = span?.[2] === "h" ? UNITS_MS.h : UNITS_MS.d;
  const atMs = span === null ? parseMoment(text) : nowMs + Number(span[1]) * unit;
  if (atMs === null) {
    throw new UsageProblem(
      "--expires must be a date or a time.",
      "Write 2027-01-01, 2027-01-01T12:00:00Z with its zone, or how long from now: 30d or 12h.",
    );
  }
  if (atMs <= nowMs) throw new UsageProblem("--expires lies in the past, so it could never be used.");
  return atMs;
}
