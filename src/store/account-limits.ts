import type { Account } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import { demandAccount } from "./accounts.ts";
import { type By, recordChange } from "./audit.ts";
import { accountEntry, changed } from "./audit-entries.ts";
import { bump } from "./catalogue.ts";
import { LIMIT_CHANGES, limitDifferences, limitValues } from "./limits.ts";
import type { Tx } from "./tx.ts";

/** All limits of an account at once: what is null is off from now on. */
export async function limitAccount(
  tx: Tx,
  { email, limits, by }: { email: string; limits: Limits; by: By },
): Promise<Account> {
  const account = await demandAccount(tx, email);
  const fields = changed(limitDifferences(account, limits));
  if (fields.length === 0) return account;
  await writeAccountLimits(tx, { id: account.id, limits });
  await bump(tx);
  await recordChange(tx, by, accountEntry(account, { action: "update", fields }));
  return { ...account, ...limits };
}

export async function writeAccountLimits(
  tx: Tx,
  { id, limits }: { id: Id<"acc">; limits: Limits },
): Promise<void> {
  await tx.run(`update accounts set ${LIMIT_CHANGES} where id = ?`, ...limitValues(limits), id);
}
