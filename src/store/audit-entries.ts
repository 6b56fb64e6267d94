import type { Account } from "../domain/account.ts";
import { formatUsd } from "../domain/money.ts";
import type { Recorded } from "./audit.ts";
import { describeLimits } from "./limits.ts";

export type Field = readonly [field: string, before: string, after: string];

/** How a secret is told of: that it changed, never what it is. */
export const SECRET_BEFORE = "(as it was)";
export const SECRET_AFTER = "(a new one)";

const NOTHING: ReadonlySet<string> = new Set(["", "none", "never"]);

/** What something new begins with; what it does not have is not told. */
export function begun(fields: readonly (readonly [string, string])[]): Field[] {
  return fields.flatMap(([name, value]): Field[] => (NOTHING.has(value) ? [] : [[name, "", value]]));
}

/** The same fields before and after. */
export function paired(
  before: readonly (readonly [string, string])[],
  after: readonly (readonly [string, string])[],
): Field[] {
  return after.map(([name, value], at): Field => [name, before[at]?.[1] ?? "", value]);
}

export function changed(fields: readonly Field[]): Field[] {
  return fields.filter(([, before, after]) => before !== after);
}

export function accountEntry(
  account: Pick<Account, "id" | "email">,
  { action, fields }: Pick<Recorded, "action" | "fields">,
): Recorded {
  return { noun: "account", name: account.email, id: account.id, action, fields };
}

/** An account as it begins. */
export function accountBegun(account: Account): Field[] {
  const balance = account.balance === 0n ? "" : formatUsd(account.balance);
  return begun([["role", account.role], ["balance", balance], ...describeLimits(account)]);
}

/** A change of a balance, with its reason. */
export function balanceMoved(
  action: string,
  { before, after, why }: { before: Account; after: Account; why: string },
): Recorded {
  const fields: Field[] = [
    ["balance", formatUsd(before.balance), formatUsd(after.balance)],
    ["reason", "", why],
  ];
  return accountEntry(after, { action, fields });
}
