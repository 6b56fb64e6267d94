import type { Body } from "../../api/client.ts";
import type { Detail } from "./account-reads.ts";
import { amountOf } from "./amount.ts";

export const COUNTS = [
  { name: "requests_per_minute", most: 1_000_000 },
  { name: "tokens_per_minute", most: 1_000_000_000 },
  { name: "concurrency", most: 100_000 },
] as const;
export const AMOUNTS = ["spend_per_day_usd", "spend_per_week_usd", "spend_per_month_usd"] as const;

type Limits = Detail["limits"];
type Draft = Record<keyof Limits, string>;

export function draftOf(limits: Limits): Draft {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [name, value === null ? "" : String(value)]),
  ) as Draft;
}

/** What differs from what is set; null where something is no number. Empty takes a limit away. */
export function limitsChange(limits: Limits, draft: Draft): Body<"PATCH /operator/accounts/{id}"> | null {
  const before = draftOf(limits);
  const change: Body<"PATCH /operator/accounts/{id}"> = {};
  for (const { name, most } of COUNTS) {
    const value = draft[name] === "" ? null : Number(draft[name]);
    if (value !== null && (!Number.isInteger(value) || value < 1 || value > most)) return null;
    if (draft[name] !== before[name]) change[name] = value;
  }
  for (const name of AMOUNTS) {
    const value = draft[name] === "" ? null : amountOf(draft[name]);
    if (draft[name] !== "" && value === null) return null;
    if (draft[name] !== before[name]) change[name] = value;
  }
  return change;
}
