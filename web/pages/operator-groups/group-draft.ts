import type { Body } from "../../api/client.ts";
import { amountOf } from "../operator-accounts/amount.ts";
import type { Group } from "./group-reads.ts";
import { plainAmount } from "./plain-amount.ts";

/** A group as it is typed. */
export type GroupDraft = {
  name: string;
  description: string;
  enabled: boolean;
  multiplier: string;
  /** One model or pattern a line. */
  models: string;
  billing: Group["billing"];
  /** Whether all may use it; the list stays while it is switched to and fro. */
  isForAll: boolean;
  accounts: readonly string[];
  limits: Record<Limit, string>;
};

export const COUNTS = ["requests_per_minute", "tokens_per_minute", "concurrency"] as const;
export const AMOUNTS = ["spend_per_day_usd", "spend_per_week_usd", "spend_per_month_usd"] as const;
export type Limit = (typeof COUNTS)[number] | (typeof AMOUNTS)[number];

const COUNT_MAX = 1_000_000_000;
const NO_LIMITS: Record<Limit, string> = {
  ...{ requests_per_minute: "", tokens_per_minute: "", concurrency: "" },
  ...{ spend_per_day_usd: "", spend_per_week_usd: "", spend_per_month_usd: "" },
};

/** A new group has every model, at the list price, for everybody. */
export const NEW_GROUP: GroupDraft = {
  ...{ name: "", description: "", enabled: true, multiplier: "1", models: "*", billing: "balance" },
  ...{ isForAll: true, accounts: [], limits: NO_LIMITS },
};

export function draftOf(group: Group): GroupDraft {
  const { name, description, enabled, multiplier, billing, accounts } = group;
  const limits = Object.entries(group.limits).map(([limit, value]) => [limit, plain(value)]);
  return {
    ...{ name, description, enabled, multiplier, billing },
    models: group.models.join("\n"),
    isForAll: accounts === null,
    accounts: accounts ?? [],
    limits: Object.fromEntries(limits) as Record<Limit, string>,
  };
}

function plain(value: number | string | null): string {
  if (value === null) return "";
  return typeof value === "number" ? String(value) : plainAmount(value);
}

/** Lines, commas and blanks all part one from the next: a model's name has none of them. */
export function patternsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,，;；]+/).filter(Boolean))];
}

export function multiplierOf(typed: string): string | null {
  const text = typed.replace(/\.$/, "").replace(/^\./, "0.");
  return /^\d{1,4}(\.\d{1,4})?$/.test(text) ? text : null;
}

export type GroupProblem =
  | "nameMissing"
  | "nameWrong"
  | "multiplierWrong"
  | "modelsMissing"
  | "modelWrong"
  | "accountsMissing"
  | "countWrong"
  | "amountWrong";
type Field = "name" | "multiplier" | "models" | "accounts" | Limit;

const NAME_MAX = 100;
const PATTERN_MAX = 200;

export function problemsOf(draft: GroupDraft): ReadonlyMap<Field, GroupProblem> {
  const problems = new Map<Field, GroupProblem>();
  const name = draft.name.trim();
  const patterns = patternsOf(draft.models);
  if (name === "") problems.set("name", "nameMissing");
  else if (name.length > NAME_MAX || /\p{Cc}/u.test(name)) problems.set("name", "nameWrong");
  if (multiplierOf(draft.multiplier) === null) problems.set("multiplier", "multiplierWrong");
  if (patterns.length === 0) problems.set("models", "modelsMissing");
  else if (patterns.some(pattern => pattern.length > PATTERN_MAX)) problems.set("models", "modelWrong");
  if (!draft.isForAll && draft.accounts.length === 0) problems.set("accounts", "accountsMissing");
  for (const limit of COUNTS) {
    const text = draft.limits[limit];
    if (text !== "" && !(Number(text) >= 1 && Number(text) <= COUNT_MAX)) problems.set(limit, "countWrong");
  }
  for (const limit of AMOUNTS) {
    const text = draft.limits[limit];
    if (text !== "" && amountOf(text) === null) problems.set(limit, "amountWrong");
  }
  return problems;
}

type GroupBody = Body<"POST /operator/groups">;

/** All of it, as it is sent. */
export function bodyOf(draft: GroupDraft): GroupBody {
  const { limits } = draft;
  const count = (limit: (typeof COUNTS)[number]) => (limits[limit] === "" ? null : Number(limits[limit]));
  const amount = (limit: (typeof AMOUNTS)[number]) => (limits[limit] === "" ? null : amountOf(limits[limit]));
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    enabled: draft.enabled,
    multiplier: multiplierOf(draft.multiplier) ?? "1",
    models: patternsOf(draft.models),
    billing: draft.billing,
    accounts: draft.isForAll ? null : [...draft.accounts],
    limits: {
      requests_per_minute: count("requests_per_minute"),
      tokens_per_minute: count("tokens_per_minute"),
      concurrency: count("concurrency"),
      spend_per_day_usd: amount("spend_per_day_usd"),
      spend_per_week_usd: amount("spend_per_week_usd"),
      spend_per_month_usd: amount("spend_per_month_usd"),
    },
  };
}

/** What differs from the group as it is: what another operator changed meanwhile is left as they made it. */
export function changesOf(group: Group, draft: GroupDraft): Partial<GroupBody> {
  const before = bodyOf(draftOf(group));
  const after = bodyOf(draft);
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof GroupBody]),
  );
  return Object.fromEntries(changed) as Partial<GroupBody>;
}
