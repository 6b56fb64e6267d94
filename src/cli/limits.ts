import type { Limits } from "../domain/limits.ts";
import type { Nanos } from "../domain/money.ts";
import { readCount, readPositiveUsd, usd } from "./amount.ts";
import type { Call, Option } from "./command.ts";

/** The limits of a key or an account, as options, as JSON and as a line of text. */
export const LIMIT_OPTIONS: Readonly<Record<string, Option>> = {
  rpm: { value: "N", meaning: "requests per minute" },
  tpm: { value: "N", meaning: "tokens per minute" },
  concurrency: { value: "N", meaning: "requests running at once" },
  "spend-per-day": { value: "USD", meaning: "what may be spent in a day, which begins at midnight UTC" },
  "spend-per-week": { value: "USD", meaning: "what may be spent in a week, which begins on Monday" },
  "spend-per-month": { value: "USD", meaning: "what may be spent in a month of the calendar" },
};

export function readLimits(call: Pick<Call, "text">): Limits {
  const count = (option: string) => readCount(option, call.text(option));
  const spend = (option: string) => {
    const text = call.text(option);
    return text === null ? null : readPositiveUsd(`--${option}`, text);
  };
  return {
    requestsPerMinute: count("rpm"),
    tokensPerMinute: count("tpm"),
    concurrency: count("concurrency"),
    spendPerDay: spend("spend-per-day"),
    spendPerWeek: spend("spend-per-week"),
    spendPerMonth: spend("spend-per-month"),
  };
}

/** Named as in the apply file; null where a limit is off. */
export function limitsJson(limits: Limits) {
  const amount = (nanos: Nanos | null) => (nanos === null ? null : usd(nanos));
  return {
    requests_per_minute: limits.requestsPerMinute,
    tokens_per_minute: limits.tokensPerMinute,
    concurrency: limits.concurrency,
    spend_per_day: amount(limits.spendPerDay),
    spend_per_week: amount(limits.spendPerWeek),
    spend_per_month: amount(limits.spendPerMonth),
  };
}

/** Only those that are set; empty where none is. */
export function limitsText(limits: Limits): string {
  const { requestsPerMinute, tokensPerMinute, concurrency, spendPerDay, spendPerWeek, spendPerMonth } =
    limits;
  const parts = [
    requestsPerMinute === null ? null : `${requestsPerMinute} requests/min`,
    tokensPerMinute === null ? null : `${tokensPerMinute} tokens/min`,
    concurrency === null ? null : `${concurrency} at once`,
    spendPerDay === null ? null : `${usd(spendPerDay)} USD/day`,
    spendPerWeek === null ? null : `${usd(spendPerWeek)} USD/week`,
    spendPerMonth === null ? null : `${usd(spendPerMonth)} USD/month`,
  ];
  return parts.filter(part => part !== null).join(", ");
}
