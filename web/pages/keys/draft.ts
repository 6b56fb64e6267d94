import type { Answer } from "../../api/client.ts";

export type Key = Answer<"GET /keys">["keys"][number];
export type Group = Answer<"GET /groups">["groups"][number];

export type Expiry = "never" | "7d" | "30d" | "90d" | "1y" | "date";

/** A key's form as it is typed. Empty text means no limit. */
export type Draft = {
  name: string;
  group: string | null;
  quota: string;
  requests: string;
  tokens: string;
  concurrency: string;
  day: string;
  week: string;
  month: string;
  expiry: Expiry;
  /** As `<input type="datetime-local">` has it, in the zone of whoever looks. */
  expiryDate: string;
  isCustom: boolean;
  custom: string;
};

export const COUNTS = { requests: 1_000_000, tokens: 1_000_000_000, concurrency: 100_000 } as const;
export const AMOUNTS = ["quota", "day", "week", "month"] as const;
export const LIMITS = ["requests", "tokens", "concurrency", "day", "week", "month"] as const;

export function emptyDraft(group: string | null): Draft {
  return {
    ...{
      name: "",
      group,
      quota: "",
      requests: "",
      tokens: "",
      concurrency: "",
      day: "",
      week: "",
      month: "",
    },
    ...{ expiry: "never", expiryDate: "", isCustom: false, custom: "" },
  };
}

/** What a key has now, as it would have been typed. */
export function draftOf(key: Key): Draft {
  const { limits } = key;
  return {
    ...emptyDraft(key.group.id),
    name: key.name,
    quota: key.quota_usd ?? "",
    requests: countText(limits.requests_per_minute),
    tokens: countText(limits.tokens_per_minute),
    concurrency: countText(limits.concurrency),
    day: limits.spend_per_day_usd ?? "",
    week: limits.spend_per_week_usd ?? "",
    month: limits.spend_per_month_usd ?? "",
    expiry: key.expires_at === null ? "never" : "date",
    expiryDate: key.expires_at === null ? "" : localText(key.expires_at),
  };
}

function countText(count: number | null): string {
  return count === null ? "" : String(count);
}

/** 2026-11-03T14:05 in the zone of whoever looks. */
export function localText(iso: string): string {
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

const DAY_MS = 86_400_000;
const DAYS: Record<Exclude<Expiry, "never" | "date">, number> = { "7d": 7, "30d": 30, "90d": 90, "1y": 365 };

/** Null: never. Undefined: a date that is none. */
export function expiresAt(
  draft: Pick<Draft, "expiry" | "expiryDate">,
  nowMs: number,
): string | null | undefined {
  if (draft.expiry === "never") return null;
  if (draft.expiry !== "date") return new Date(nowMs + DAYS[draft.expiry] * DAY_MS).toISOString();
  const at = new Date(draft.expiryDate);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** `.5` and `5.` are amounts that people type. */
export function amountText(typed: string): string {
  return typed.replace(/^\./, "0.").replace(/\.$/, "");
}
