import type { Body } from "../../api/client.ts";
import { compareMoney } from "../../format/money.ts";
import { AMOUNTS, amountText, COUNTS, type Draft, draftOf, expiresAt, type Key } from "./draft.ts";

type NewKey = Body<"POST /keys">;
type KeyChange = Body<"PATCH /keys/{id}">;

const FIELDS = {
  quota: "quota_usd",
  requests: "requests_per_minute",
  tokens: "tokens_per_minute",
  concurrency: "concurrency",
  day: "spend_per_day_usd",
  week: "spend_per_week_usd",
  month: "spend_per_month_usd",
} as const;

/** By the field of the server's form, for what it says is wrong. */
export const DRAFT_FIELDS: Record<string, keyof Draft> = {
  ...Object.fromEntries(Object.entries(FIELDS).map(([field, path]) => [path, field as keyof Draft])),
  name: "name",
  group: "group",
  expires_at: "expiryDate",
  custom_key: "custom",
};

/** What is sent to make a key; only what was filled in. */
export function newKeyOf(draft: Draft, nowMs: number): NewKey {
  const body: NewKey = { name: draft.name.trim(), group: draft.group ?? "" };
  for (const field of AMOUNTS) if (draft[field] !== "") body[FIELDS[field]] = amountText(draft[field]);
  for (const field of countFields()) if (draft[field] !== "") body[FIELDS[field]] = Number(draft[field]);
  const expires = expiresAt(draft, nowMs);
  if (typeof expires === "string") body.expires_at = expires;
  if (draft.isCustom && draft.custom !== "") body.custom_key = draft.custom;
  return body;
}

/** What is sent to change it: only what differs from what it has. */
export function changeOf(draft: Draft, key: Key, nowMs: number): KeyChange {
  const before = draftOf(key);
  const change: KeyChange = {};
  if (draft.name.trim() !== before.name) change.name = draft.name.trim();
  if (draft.group !== before.group && draft.group !== null) change.group = draft.group;
  for (const field of AMOUNTS) {
    const text = amountText(draft[field]);
    if (!isSameAmount(text, before[field])) change[FIELDS[field]] = text === "" ? null : text;
  }
  for (const field of countFields()) {
    if (draft[field] !== before[field])
      change[FIELDS[field]] = draft[field] === "" ? null : Number(draft[field]);
  }
  if (draft.expiry !== before.expiry || (draft.expiry === "date" && draft.expiryDate !== before.expiryDate)) {
    const expires = expiresAt(draft, nowMs);
    if (expires !== undefined) change.expires_at = expires;
  }
  return change;
}

/** 5 and 5.00 are one amount; nothing and zero are two. */
function isSameAmount(a: string, b: string): boolean {
  return a === b || (a !== "" && b !== "" && compareMoney(a, b) === 0);
}

function countFields(): (keyof typeof COUNTS)[] {
  return Object.keys(COUNTS) as (keyof typeof COUNTS)[];
}
