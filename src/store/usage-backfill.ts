import { MULTIPLIER_ONE } from "../domain/money.ts";
import type { UsageState } from "../domain/usage.ts";
import { big, bigOrNull, id, text, textOrNull, wholeOrNull } from "./rows.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";
import { toUsage } from "./usage.ts";
import { QUANTITIES, type Series, type Sum, SumBook } from "./usage-sums.ts";

export type SummedUp = { count: number };

/**
 * Sums up rows that ended under an older version, the newest first: a page of them in one transaction. A row that has
 * its series is in the sums and one that has none is not, so that it can be stopped and begun again at any moment.
 */
export async function sumUpOldRows(tx: Tx, { limit }: { limit: number }): Promise<SummedUp> {
  const find = `select id, account_id from usage where series is null and state <> 'open' order by id desc limit ?`;
  const found = await tx.all(find, limit);
  if (found.length === 0) return { count: 0 };
  // As admissions do: whoever adds to the sums of an account holds its row.
  for (const accountId of [...new Set(found.map(row => text(row["account_id"])))].sort())
    await tx.all(`select id from accounts where id = ?${tx.forUpdate}`, accountId);
  const book = new SumBook();
  let count = 0;
  for (const row of await readAgain(tx, found)) {
    const ended = endedOf(row);
    const series = book.add(ended);
    const sql = "update usage set series = ?, our_cost = ? where id = ?";
    await tx.run(sql, series, ended.ourCost, text(row["id"]));
    count += 1;
  }
  await addSums(tx, book);
  return { count };
}

export async function addSums(tx: Tx, book: Pick<SumBook, "series" | "days" | "sums">): Promise<void> {
  for (const series of book.series.values()) await addSeries(tx, series);
  for (const sum of book.sums()) await addSum(tx, sum);
  for (const day of [...book.days].sort((a, b) => a - b)) await tx.run(NOTE_DAY, day);
}

const NOTE_DAY = `insert into usage_days (start_ms, is_rolled) values (?, 0)
  on conflict (start_ms) do update set is_rolled = 0`;

/** Another process may have summed them up before their accounts were ours. */
function readAgain(tx: Tx, found: readonly SqlRow[]): Promise<SqlRow[]> {
  const ids: SqlValue[] = found.map(row => text(row["id"]));
  const marks = ids.map(() => "?").join(", ");
  return tx.all(`select * from usage where series is null and state <> 'open' and id in (${marks})`, ...ids);
}

function endedOf(row: SqlRow): Parameters<SumBook["add"]>[0] {
  return {
    id: id("req", row["id"]),
    accountId: text(row["account_id"]),
    keyId: text(row["key_id"]),
    model: text(row["model"]),
    tool: text(row["tool"]),
    upstream: textOrNull(row["upstream"]),
    state: text(row["state"]) as UsageState,
    reason: textOrNull(row["reason"]),
    usage: toUsage(row),
    cost: big(row["cost"]),
    ourCost: bigOrNull(row["our_cost"]) ?? oldOurCost(row),
  };
}

/** An older version did not write it down: what was charged, without the group's multiplier. */
function oldOurCost(row: SqlRow): bigint {
  const multiplier = BigInt(wholeOrNull(row["multiplier"]) ?? 0);
  return multiplier === 0n ? 0n : (big(row["cost"]) * BigInt(MULTIPLIER_ONE)) / multiplier;
}

async function addSeries(tx: Tx, series: Series): Promise<void> {
  const { id: name, accountId, keyId, model, tool, upstream, outcome, reason } = series;
  await tx.run(
    `insert into usage_series (id, account_id, key_id, model, tool, upstream, outcome, reason)
      values (?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (id) do nothing`,
    ...[name, accountId, keyId, model, tool, upstream, outcome, reason],
  );
}

const ADD_SUM = `insert into usage_sums (series, span, start_ms, ${QUANTITIES.join(", ")})
  values (?, ?, ?, ${QUANTITIES.map(() => "?").join(", ")}) on conflict (series, span, start_ms)
  do update set ${QUANTITIES.map(name => `${name} = usage_sums.${name} + excluded.${name}`).join(", ")}`;

async function addSum(tx: Tx, sum: Sum): Promise<void> {
  const { series, span, startMs, requests, input, cacheRead, cacheWrite, output, reasoning } = sum;
  await tx.run(
    ADD_SUM,
    ...[series, span, startMs, requests, input, cacheRead, cacheWrite, output, reasoning],
    ...[sum.cost, sum.ourCost],
  );
}
