import { text } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** An invariant of the ledger that does not hold, and the row where it does not. */
export type Finding = { invariant: string; row: string; found: string };

type Check = { invariant: string; sql: string };

const sum = (expression: string) => `coalesce(sum(${expression}), 0)`;

/** Each query gives the rows that break its invariant, so an empty answer is a clean ledger. */
const checks: readonly Check[] = [
  {
    invariant: "an account's balance is the sum of its ledger lines",
    sql: `select accounts.id as row_id, accounts.balance as have, ${sum("ledger.amount")} as want from accounts
      left join ledger on ledger.account_id = accounts.id group by accounts.id having accounts.balance <> ${sum("ledger.amount")}`,
  },
  {
    invariant: "what an account holds is the sum of its open holds",
    sql: `select accounts.id as row_id, accounts.held as have, ${sum("usage.hold")} as want from accounts
      left join usage on usage.account_id = accounts.id and usage.state = 'open'
      group by accounts.id having accounts.held <> ${sum("usage.hold")}`,
  },
  {
    invariant: "what a key holds is the sum of its open holds",
    sql: `select keys.id as row_id, keys.held as have, ${sum("usage.hold")} as want from keys
      left join usage on usage.key_id = keys.id and usage.state = 'open'
      group by keys.id having keys.held <> ${sum("usage.hold")}`,
  },
  {
    invariant: "a key's running requests are its open rows",
    sql: `select keys.id as row_id, keys.open as have, count(usage.id) as want from keys
      left join usage on usage.key_id = keys.id and usage.state = 'open'
      group by keys.id having keys.open <> count(usage.id)`,
  },
  {
    invariant: "what a key spent is the cost of its resolved rows",
    sql: `select keys.id as row_id, keys.spent as have, ${sum("usage.cost")} as want from keys
      left join usage on usage.key_id = keys.id and usage.state <> 'open'
      group by keys.id having keys.spent <> ${sum("usage.cost")}`,
  },
  {
    invariant: "each charged row has exactly one ledger line of its cost",
    sql: `select usage.id as row_id, usage.cost as have, -${sum("ledger.amount")} as want from usage
      left join ledger on ledger.account_id = usage.account_id and ledger.id = 'led_' || substr(usage.id, 5)
        and ledger.usage_id = usage.id
      where usage.state <> 'open' and usage.cost <> 0
      group by usage.id having usage.cost <> -${sum("ledger.amount")} or count(ledger.id) <> 1`,
  },
  {
    invariant: "each charge line belongs to a resolved row of the same account",
    sql: `select ledger.id as row_id, ledger.amount as have, 0 as want from ledger
      left join usage on usage.id = ledger.usage_id and usage.account_id = ledger.account_id and usage.state <> 'open'
      where ledger.kind = 'charge' and (usage.id is null or usage.cost = 0)`,
  },
  {
    invariant: "no row costs more than was held for it, or less than nothing",
    sql: `select id as row_id, cost as have, hold as want from usage where cost > hold or cost < 0 or hold < 0`,
  },
  {
    invariant: "a voided or refused row costs nothing",
    sql: `select id as row_id, cost as have, 0 as want from usage where state in ('voided', 'refused') and cost <> 0`,
  },
  {
    invariant: "no pocket is overspent",
    sql: `select id as row_id, balance as have, held as want from accounts where balance < held
      union all select keys.id, keys.spent + keys.held, keys.quota from keys
      where keys.quota is not null and keys.spent + keys.held > keys.quota and keys.held > 0`,
  },
];

const FINDINGS_PER_CHECK_MAX = 20;

export const INVARIANTS = checks.length;

export async function verifyLedger(tx: Tx, _args: Record<string, never>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, sql } of checks) {
    const rows = await tx.all(`${sql} limit ${FINDINGS_PER_CHECK_MAX}`);
    findings.push(...rows.map(row => ({ invariant, row: text(row["row_id"]), found: describe(row) })));
  }
  return findings;
}

function describe(row: SqlRow): string {
  return `stored ${text(row["have"])}, expected ${text(row["want"])}`;
}
