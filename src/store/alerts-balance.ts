import { formatUsd, NANOS_PER_USD, type Nanos } from "../domain/money.ts";
import type { AlertFinding, IdSpan } from "./alerts.ts";
import { big, bigOrNull, text } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** Less than this is nothing: no request is paid from it. */
const NOTHING: Nanos = NANOS_PER_USD / 100n;

/** Accounts whose balance has fallen below what they have chosen, or to nothing, and those that are well again. */
export async function balanceFindings(tx: Tx, { after, upTo }: IdSpan): Promise<AlertFinding[]> {
  const rows = await tx.all(
    `select accounts.id as id, accounts.email as email, accounts.balance as balance,
        profiles.low_balance as low_balance, alerts.level as level
      from accounts left join profiles on profiles.account_id = accounts.id
        left join alerts on alerts.kind = 'balance' and alerts.thing_id = accounts.id and alerts.period = ''
      where accounts.id > ? and accounts.id <= ? and accounts.enabled = 1 and (coalesce(alerts.level, 0) > 0) <>
        (accounts.balance < case when profiles.low_balance > ? then profiles.low_balance else ? end)`,
    ...[after, upTo, NOTHING, NOTHING],
  );
  const findings: AlertFinding[] = [];
  for (const row of rows) {
    const isLow = big(row["level"]) === 0n;
    const thingId = text(row["id"]);
    const mark = { kind: "balance", thingId, period: "", level: isLow ? 1 : 0, atMs: 0 } as const;
    const isTold = isLow && (bigOrNull(row["low_balance"]) !== null || (await hadMoney(tx, thingId)));
    findings.push({ ...mark, told: isTold ? toldOf(row) : null });
  }
  return findings;
}

/** An account that has never had anything, or pays by subscription alone, has not run low. */
async function hadMoney(tx: Tx, accountId: string): Promise<boolean> {
  const sql = "select id from ledger where account_id = ? and pocket = 'balance' limit 1";
  return (await tx.all(sql, accountId)).length > 0;
}

function toldOf(row: SqlRow): AlertFinding["told"] {
  const [id, email] = [text(row["id"]), text(row["email"])];
  const data = {
    account: { id, email },
    balance_usd: formatUsd(big(row["balance"])),
    threshold_usd: formatUsd(bigOrNull(row["low_balance"]) ?? 0n),
  };
  return { email, data };
}
