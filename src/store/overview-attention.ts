import type { Nanos } from "../domain/money.ts";
import { lastBackup, lastVerified, type Verified } from "./house.ts";
import { big, text, wholeOrNull } from "./rows.ts";
import type { Tx } from "./tx.ts";
import { type FailingWebhook, failingWebhooks } from "./webhooks.ts";

export type LowAccount = { id: string; email: string; left: Nanos };

/** What the database knows of what an operator should look at. */
export type HouseConcerns = {
  lowAccounts: LowAccount[];
  verified: Verified | null;
  /** How many rows break what can be checked at once. */
  lightFindings: number;
  backedUpAtMs: number | null;
  /** When the first account was made: a house of an hour has no backup yet. */
  beganAtMs: number | null;
  webhooks: FailingWebhook[];
};

export type ConcernsAsked = {
  nowMs: number;
  /** Who has used a key since. */
  usedAfterMs: number;
  /** What is little for whoever has not said so. */
  low: Nanos;
};

const ACCOUNTS_MAX = 20;
/** A receiver that is started anew is back before anybody has to look at it. */
const FAILING_MS = 15 * 60_000;

export async function houseConcerns(tx: Tx, asked: ConcernsAsked): Promise<HouseConcerns> {
  const [began] = await tx.all("select min(created_at_ms) as at_ms from accounts");
  return {
    lowAccounts: await lowAccounts(tx, asked),
    verified: await lastVerified(tx),
    lightFindings: await lightFindings(tx),
    backedUpAtMs: await lastBackup(tx, {}),
    beganAtMs: wholeOrNull(began?.["at_ms"]),
    webhooks: await failingWebhooks(tx, { beforeMs: asked.nowMs - FAILING_MS }),
  };
}

const FINDINGS_MAX = 20;

/** What an account holds and runs, against its open rows: by their own index, however long the log is. */
async function lightFindings(tx: Tx): Promise<number> {
  const rows = await tx.all(
    `select accounts.id from accounts left join (select account_id, count(*) as n,
        sum(case when coalesce(pocket, 'balance') = 'balance' then hold else 0 end) as hold
        from usage where state = 'open' group by account_id) as running on running.account_id = accounts.id
      where accounts.held <> coalesce(running.hold, 0) or accounts.open <> coalesce(running.n, 0)
        or accounts.balance < accounts.held limit ${FINDINGS_MAX}`,
  );
  return rows.length;
}

/** Those who pay from their balance, and would be refused soon. */
async function lowAccounts(tx: Tx, { nowMs, usedAfterMs, low }: ConcernsAsked): Promise<LowAccount[]> {
  const rows = await tx.all(
    `select accounts.id as id, accounts.email as email, accounts.balance - accounts.held as left_over from accounts
      left join profiles on profiles.account_id = accounts.id
      where accounts.enabled = 1 and accounts.balance - accounts.held < coalesce(profiles.low_balance, ?)
        and exists (select 1 from keys where keys.account_id = accounts.id and keys.last_used_at_ms > ?)
        and not exists (select 1 from subscriptions where subscriptions.account_id = accounts.id
          and (subscriptions.until_ms is null or subscriptions.until_ms > ?))
      order by left_over, accounts.id limit ${ACCOUNTS_MAX}`,
    ...[low, usedAfterMs, nowMs],
  );
  return rows.map(row => ({ id: text(row["id"]), email: text(row["email"]), left: big(row["left_over"]) }));
}
