import type { Id } from "./ids.ts";
import type { Limits } from "./limits.ts";
import type { BasisPoints } from "./money.ts";

/** The line a key belongs to: which models it may call, at which multiplier, and who pays. */
export type Group = {
  id: Id<"grp">;
  name: string;
  enabled: boolean;
  multiplier: BasisPoints;
  /** Model names, where `*` stands for any run of characters. */
  models: readonly string[];
  billing: Billing;
  /** For each of its keys, where the key does not set its own. */
  limits: Limits;
  /** What it is for, as the operator says it. */
  description: string;
  /** Who may use it; null is everybody. */
  accounts: ReadonlySet<Id<"acc">> | null;
};

export type Billing = "balance" | "subscription" | "subscription-first";

export function mayUseGroup({ accounts }: Pick<Group, "accounts">, accountId: Id<"acc">): boolean {
  return accounts === null || accounts.has(accountId);
}

export function groupHasModel(group: Pick<Group, "models">, model: string): boolean {
  for (const pattern of group.models) if (matchesPattern(pattern, model)) return true;
  return false;
}

/** Linear in the name for each star: no regular expression is built from what an operator wrote. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
