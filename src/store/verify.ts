import { big, text, toWindow } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { KEPT_FROM_SQL } from "./usage-kept.ts";
import { sumFindings } from "./usage-verify.ts";

/** An invariant of the ledger that does not hold, and the row where it does not. */
export type Finding = { invariant: string; row: string; found: string };

type Check = { invariant: string; sql: string };

const sum = (expression: string) => `coalesce(sum(${expression}), 0)`;

/** What rows that are kept no longer cost, by a column of their series. */
const removedBy = (column: string) => `select own.${column} as ${column}, sum(gone.cost) as cost
  from usage_removed as gone join usage_series as own on own.id = gone.series group by own.${column}`;

/** Each query gives the rows that break its invariant, so an empty answer is a clean ledger. */
const checks: readonly Check[] = [
  {
    invariant: "an account's balance is the sum of its ledger lines",
    sql: `select accounts.id as row_id, accounts.balance as have, ${sum("ledger.amount")} as want from accounts
      left join ledger on ledger.account_id = accounts.id and ledger.pocket = 'balance'
      group by accounts.id having accounts.balance <> ${sum("ledger.amount")}`,
  },
  {
    invariant: "what an account holds is the sum of the open holds that its balance pays",
    sql: `select accounts.id as row_id, accounts.held as have, ${sum("usage.hold")} as want from accounts
      left join usage on usage.account_id = accounts.id and usage.state = 'open'
        and coalesce(usage.pocket, 'balance') = 'balance'
      group by accounts.id having accounts.held <> ${sum("usage.hold")}`,
  },
  {
    invariant: "an account's running requests are its open rows",
    sql: `select accounts.id as row_id, accounts.open as have, count(usage.id) as want from accounts
      left join usage on usage.account_id = accounts.id and usage.state = 'open'
      group by accounts.id having accounts.open <> count(usage.id)`,
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
    sql: `select keys.id as row_id, keys.spent as have, coalesce(removed.cost, 0) + ${sum("usage.cost")} as want
      from keys left join usage on usage.key_id = keys.id and usage.state <> 'open'
      left join (${removedBy("key_id")}) as removed on removed.key_id = keys.id
      group by keys.id, keys.spent, removed.cost
      having keys.spent <> coalesce(removed.cost, 0) + ${sum("usage.cost")}`,
  },
  {
    invariant: "each charged row has exactly one ledger line of its cost, from the pocket that it names",
    sql: `select usage.id as row_id, usage.cost as have, -${sum("ledger.amount")} as want from usage
      left join ledger on ledger.account_id = usage.account_id and ledger.id = 'led_' || substr(usage.id, 5)
        and ledger.usage_id = usage.id and ledger.kind = 'charge' and ledger.pocket = usage.pocket
      where usage.state <> 'open' and usage.cost <> 0
      group by usage.id having usage.cost <> -${sum("ledger.amount")} or count(ledger.id) <> 1`,
  },
  {
    // Of rows that are kept no longer only the lines are left: those of an account come to what its rows cost.
    invariant: "each charge line belongs to a resolved row of the same account",
    sql: `select ledger.id as row_id, ledger.amount as have, 0 as want from ledger
      left join usage on usage.id = ledger.usage_id and usage.account_id = ledger.account_id and usage.state <> 'open'
      where ledger.kind = 'charge' and (usage.cost = 0
        or (usage.id is null and coalesce(ledger.usage_id, '') >= ${KEPT_FROM_SQL}))
      union all select account_id, sum(charged), sum(cost) from (
        select ledger.account_id as account_id, -ledger.amount as charged, 0 as cost from ledger
          left join usage on usage.id = ledger.usage_id and usage.account_id = ledger.account_id
            and usage.state <> 'open'
          where ledger.kind = 'charge' and usage.id is null and ledger.usage_id < ${KEPT_FROM_SQL}
        union all select account_id, 0, cost from (${removedBy("account_id")}) as removed) as both_sides
      group by account_id having sum(charged) <> sum(cost)`,
  },
  {
    invariant: "no request is refunded more than it cost, and none that the balance did not pay",
    sql: `select ledger.usage_id as row_id, sum(ledger.amount) as have,
        coalesce(usage.cost, -charge.amount, 0) as want from ledger
      left join usage on usage.id = ledger.usage_id
      left join ledger as charge on charge.account_id = ledger.account_id and charge.kind = 'charge'
        and charge.id = 'led_' || substr(ledger.usage_id, 5)
      where ledger.kind = 'refund'
      group by ledger.usage_id, usage.cost, usage.pocket, charge.amount, charge.pocket
      having sum(ledger.amount) > coalesce(usage.cost, -charge.amount, 0)
        or coalesce(usage.pocket, charge.pocket, '') <> 'balance'`,
  },
  {
    invariant: "each redeemed code has exactly one ledger line of its amount",
    sql: `select codes.id as row_id, codes.amount as have, ${sum("ledger.amount")} as want from codes
      left join ledger on ledger.kind = 'redemption' and ledger.once = 'redemption → ' || codes.id
      group by codes.id having (codes.redeemed_at_ms is null and count(ledger.id) <> 0)
        or (codes.redeemed_at_ms is not null and (count(ledger.id) <> 1 or ${sum("ledger.amount")} <> codes.amount))`,
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
      where keys.quota is not null and keys.spent + keys.held > keys.quota and keys.held > 0
      union all select subscriptions.id, windows.spent + windows.held, plans.quota from windows
      join subscriptions on subscriptions.id = windows.owner_id join plans on plans.id = subscriptions.plan_id
      where windows.period = plans.time_window and windows.spent + windows.held > plans.quota and windows.held > 0`,
  },
];

const FINDINGS_PER_CHECK_MAX = 20;

const WINDOW_INVARIANT = "what a window has spent and holds is what the rows that count in it cost and hold";

const SUMS_INVARIANT = "the sums of the usage log are those of its rows";

/** The windows and the sums are checked beside the queries. */
export const INVARIANTS = checks.length + 2;

export async function verifyLedger(tx: Tx, _args: Record<string, never>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, sql } of checks) {
    const rows = await tx.all(`${sql} limit ${FINDINGS_PER_CHECK_MAX}`);
    findings.push(...rows.map(row => ({ invariant, row: text(row["row_id"]), found: describe(row) })));
  }
  findings.push(...(await windowFindings(tx)).slice(0, FINDINGS_PER_CHECK_MAX));
  const sums = (await sumFindings(tx)).slice(0, FINDINGS_PER_CHECK_MAX);
  findings.push(...sums.map(finding => ({ invariant: SUMS_INVARIANT, ...finding })));
  return findings;
}

const ROWS_PER_PAGE = 5_000;

/** Only rows that something limits name windows, so that most of the usage log is passed over. */
async function windowFindings(tx: Tx): Promise<Finding[]> {
  const counted = new Map<string, { spent: bigint; held: bigint }>();
  for (const row of await tx.all("select * from usage_removed_windows")) {
    const name = `${text(row["owner_id"])}/${text(row["period"])}/${text(row["start_ms"])}`;
    counted.set(name, { spent: big(row["spent"]), held: 0n });
  }
  for (let after = ""; ; ) {
    const rows = await tx.all(
      `select id, state, hold, cost, windows from usage where windows is not null and id > ? order by id limit ?`,
      ...[after, ROWS_PER_PAGE],
    );
    for (const row of rows) count(counted, row);
    after = text(rows.at(-1)?.["id"]);
    if (rows.length < ROWS_PER_PAGE) break;
  }
  const windows = (await tx.all("select * from windows")).map(toWindow);
  return windows.flatMap(({ ownerId, period, startMs, spent, held, clockBack }) => {
    const name = `${ownerId}/${period}/${startMs}`;
    const want = counted.get(name) ?? { spent: 0n, held: 0n };
    // Where the clock was set back, a window has parts that no row of its own tells of.
    const isRight = held === want.held && (clockBack ? spent >= want.spent : spent === want.spent);
    const found = `stored ${spent} and ${held}, expected ${want.spent} and ${want.held}`;
    return isRight ? [] : [{ invariant: WINDOW_INVARIANT, row: name, found }];
  });
}

function count(counted: Map<string, { spent: bigint; held: bigint }>, row: SqlRow): void {
  for (const name of text(row["windows"]).split(",")) {
    const sums = counted.get(name) ?? { spent: 0n, held: 0n };
    if (row["state"] === "open") sums.held += big(row["hold"]);
    else sums.spent += big(row["cost"]);
    counted.set(name, sums);
  }
}

function describe(row: SqlRow): string {
  return `stored ${text(row["have"])}, expected ${text(row["want"])}`;
}
