import type { Id } from "../domain/ids.ts";
import type { Nanos } from "../domain/money.ts";
import { LEDGER_PAGE_MAX, type LineKind } from "./accounts.ts";
import { type AccountPockets, accountPockets } from "./keys-pockets.ts";
import { type Passkey, passkeysOf } from "./passkeys.ts";
import { type Person, readPerson } from "./profiles.ts";
import { big, text, textOrNull, whole } from "./rows.ts";
import type { Tx } from "./tx.ts";

export type AccountPage = { person: Person; pockets: AccountPockets; passkeys: readonly Passkey[] };

/** All that an account's own page shows; null where there is no such account. */
export async function accountPage(tx: Tx, of: { accountId: Id<"acc"> }): Promise<AccountPage | null> {
  const person = await readPerson(tx, { id: of.accountId });
  if (person === null) return null;
  return { person, pockets: await accountPockets(tx, of), passkeys: await passkeysOf(tx, of) };
}

export type AccountLine = {
  id: string;
  kind: LineKind;
  amount: Nanos;
  /** `balance`, or the plan's name. */
  pocket: string;
  requestId: string | null;
  actor: string;
  why: string;
  createdAtMs: number;
};

/** Newest first, by id; the next page begins before the last id of this one. */
export async function accountLedger(
  tx: Tx,
  page: { accountId: Id<"acc">; beforeId: string | null; limit: number },
): Promise<AccountLine[]> {
  const before = page.beforeId === null ? "" : "and ledger.id < ?";
  const rows = await tx.all(
    `select ledger.*, plans.name as plan from ledger
       left join subscriptions on subscriptions.id = ledger.pocket
       left join plans on plans.id = subscriptions.plan_id
       where ledger.account_id = ? ${before} order by ledger.id desc limit ?`,
    ...[page.accountId, ...(page.beforeId === null ? [] : [page.beforeId])],
    Math.min(page.limit, LEDGER_PAGE_MAX),
  );
  return rows.map(row => ({
    id: text(row["id"]),
    kind: text(row["kind"]) as LineKind,
    amount: big(row["amount"]),
    pocket: textOrNull(row["plan"]) ?? text(row["pocket"]),
    requestId: textOrNull(row["usage_id"]),
    actor: text(row["actor"]),
    why: text(row["why"]),
    createdAtMs: whole(row["created_at_ms"]),
  }));
}
