import type { Limits } from "../domain/limits.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import type { SqlValue } from "./tx.ts";

/** The limits as columns, which keys, accounts and groups share; their values are in this order. */
const COLUMNS = [
  "requests_per_minute",
  "tokens_per_minute",
  "concurrency",
  "spend_per_day",
  "spend_per_week",
  "spend_per_month",
] as const;

export const LIMIT_COLUMNS = COLUMNS.join(", ");
export const LIMIT_PLACES = COLUMNS.map(() => "?").join(", ");
export const LIMIT_CHANGES = COLUMNS.map(name => `${name} = ?`).join(", ");

export function limitValues(limits: Limits): SqlValue[] {
  const { requestsPerMinute, tokensPerMinute, concurrency, spendPerDay, spendPerWeek, spendPerMonth } =
    limits;
  return [requestsPerMinute, tokensPerMinute, concurrency, spendPerDay, spendPerWeek, spendPerMonth];
}

/** Name and value of each limit, as a person reads them. */
export function describeLimits(limits: Limits): [string, string][] {
  return [
    ["requests_per_minute", count(limits.requestsPerMinute)],
    ["tokens_per_minute", count(limits.tokensPerMinute)],
    ["concurrency", count(limits.concurrency)],
    ["spend_per_day", usdOrNone(limits.spendPerDay)],
    ["spend_per_week", usdOrNone(limits.spendPerWeek)],
    ["spend_per_month", usdOrNone(limits.spendPerMonth)],
  ];
}

/** Name, before, after. */
export function limitDifferences(before: Limits, after: Limits): [string, string, string][] {
  const old = describeLimits(before);
  return describeLimits(after).map(([name, value], at) => [name, old[at]?.[1] ?? "", value]);
}

function count(value: number | null): string {
  return value === null ? "none" : String(value);
}

export function usdOrNone(nanos: Nanos | null): string {
  return nanos === null ? "none" : formatUsd(nanos);
}
