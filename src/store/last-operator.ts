import type { AccountRole } from "../domain/account.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** Whether there is an operator who could sign in, by whichever ways the house has. */
export async function operatorCanSignIn(
  tx: Tx,
  { passkeys, oidc }: { passkeys: boolean; oidc: boolean } = { passkeys: true, oidc: true },
): Promise<boolean> {
  const found = await tx.all(
    `select accounts.id as id from accounts where role = 'operator' and enabled = 1 and (
      exists (select 1 from profiles where account_id = accounts.id and password_hash is not null)
      ${passkeys ? "or exists (select 1 from passkeys where account_id = accounts.id)" : ""}
      ${oidc ? "or exists (select 1 from oidc_identities where account_id = accounts.id)" : ""}) limit 1`,
  );
  return found.length > 0;
}

type Weakened = { id: string; role: AccountRole };

/**
 * For a change that disables an account or takes its role: a house that had an operator who can sign in has one
 * afterwards, and what the operator gave to programs ends with it. One at a time passes here, on whichever instance, so
 * that two operators do not each leave the other one alone.
 */
export async function weakenAccount(tx: Tx, before: Weakened, change: () => Promise<void>): Promise<void> {
  if (before.role !== "operator") return change();
  await tx.all(`select id from accounts where role = 'operator' order by id${tx.forUpdate}`);
  const ways = { passkeys: !(await passkeysAreOff(tx)), oidc: true };
  const hadOne = await operatorCanSignIn(tx, ways);
  await change();
  await tx.run("delete from tokens where account_id = ?", before.id);
  if (!hadOne || (await operatorCanSignIn(tx, ways))) return;
  throw new StoreProblem(
    "This would leave no operator who can sign in. Make somebody else an operator first who can.",
  );
}

/** As the console has set it; what only the environment knows is not known here. */
async function passkeysAreOff(tx: Tx): Promise<boolean> {
  const found = await tx.all("select name from settings where name = 'passkeys' and value = 'off'");
  return found.length > 0;
}
