import type { ApiKey } from "../domain/api-key.ts";
import type { Recorded } from "./audit.ts";
import type { Field } from "./audit-entries.ts";
import type { KeyLimits } from "./keys.ts";
import { describeLimits, usdOrNone } from "./limits.ts";
import { text } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** A key as the apply file names its fields; its string never. */
export function describeKey({ group, ...limits }: KeyLimits & { group: string }): [string, string][] {
  return [
    ["group", group],
    ["quota", usdOrNone(limits.quota)],
    ...describeLimits(limits),
    ["expires_at", limits.expiresAtMs === null ? "never" : new Date(limits.expiresAtMs).toISOString()],
  ];
}

/** Whose key it is stands beside every change of it: names of keys are told apart by it. */
export async function keyEntry(
  tx: Tx,
  { id, name }: Pick<ApiKey, "id" | "name">,
  { action, fields }: { action: string; fields: readonly Field[] },
): Promise<Recorded> {
  const sql = "select email from accounts join keys on keys.account_id = accounts.id where keys.id = ?";
  const [row] = await tx.all(sql, id);
  const email = text(row?.["email"]);
  return { noun: "key", name, id, action, fields: [["account", email, email], ...fields] };
}

export async function groupName(tx: Tx, groupId: string): Promise<string> {
  const [row] = await tx.all("select name from groups where id = ?", groupId);
  return text(row?.["name"]);
}
