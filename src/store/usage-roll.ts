import { whole } from "./rows.ts";
import type { Tx } from "./tx.ts";
import { DAY_MS, QUANTITIES, ROLLED_AFTER_MS, spanStart } from "./usage-sums.ts";

const SUMS = QUANTITIES.map(name => `sum(sums.${name})`).join(", ");
/** What a day is put together by: for each account, and for the whole house (''), which operators ask about. */
export const GRAINS = [
  { grain: "key", column: "key_id", whose: "usage_series.account_id" },
  { grain: "model", column: "model", whose: "usage_series.account_id" },
  { grain: "key", column: "key_id", whose: "''" },
  { grain: "model", column: "model", whose: "''" },
  { grain: "account", column: "account_id", whose: "''" },
  { grain: "upstream", column: "upstream", whose: "''" },
] as const;

export type Rolled = { dayMs: number | null };

/**
 * Puts the sums of one day that is over together from its hours: for each series, for each key and model of an
 * account, and for each key, model, account and upstream of the house. It replaces what was there, so that a day can be done again. Null where there is nothing to do.
 */
export async function rollDay(tx: Tx, { nowMs }: { nowMs: number }): Promise<Rolled> {
  const before = spanStart(24, nowMs - ROLLED_AFTER_MS);
  // Whoever adds to a day so late holds this row, until what it has added can be seen.
  const [day] = await tx.all(
    `select start_ms from usage_days where is_rolled = 0 and start_ms < ? order by start_ms desc limit 1${tx.forUpdate}`,
    before,
  );
  if (day === undefined) return { dayMs: null };
  const dayMs = whole(day["start_ms"]);
  await rollSeries(tx, dayMs);
  await tx.run("delete from usage_rolled where start_ms = ?", dayMs);
  for (const grain of GRAINS) await rollGrain(tx, grain, dayMs);
  await rollOutcomes(tx, dayMs);
  await tx.run("update usage_days set is_rolled = 1 where start_ms = ?", dayMs);
  return { dayMs };
}

const COLUMNS = `account_id, grain, outcome, start_ms, name, refused, failed, ${QUANTITIES.join(", ")}`;

async function rollGrain(
  tx: Tx,
  { grain, column, whose }: (typeof GRAINS)[number],
  dayMs: number,
): Promise<void> {
  const own = whose === "''" ? "" : `${whose}, `;
  await tx.run(
    `insert into usage_rolled (${COLUMNS})
      select ${whose}, ?, usage_series.outcome, sums.start_ms, usage_series.${column},
        ${of("refused")}, ${of("failed")}, ${SUMS}
      from usage_sums as sums join usage_series on usage_series.id = sums.series
      where sums.span = 24 and sums.start_ms = ?
      group by ${own}usage_series.outcome, sums.start_ms, usage_series.${column}`,
    ...[grain, dayMs],
  );
}

/** All outcomes together. */
async function rollOutcomes(tx: Tx, dayMs: number): Promise<void> {
  await tx.run(
    `insert into usage_rolled (${COLUMNS})
      select sums.account_id, sums.grain, '', sums.start_ms, sums.name, sum(sums.refused), sum(sums.failed), ${SUMS}
      from usage_rolled as sums where sums.start_ms = ?
      group by sums.account_id, sums.grain, sums.start_ms, sums.name`,
    dayMs,
  );
}

function of(outcome: string): string {
  return `sum(case when usage_series.outcome = '${outcome}' then sums.requests else 0 end)`;
}

async function rollSeries(tx: Tx, dayMs: number): Promise<void> {
  await tx.run("delete from usage_sums where span = 24 and start_ms = ?", dayMs);
  await tx.run(
    `insert into usage_sums (series, span, start_ms, ${QUANTITIES.join(", ")})
      select sums.series, 24, min(sums.start_ms - sums.start_ms % ${DAY_MS}), ${SUMS} from usage_sums as sums
      where sums.span = 1 and sums.start_ms >= ? and sums.start_ms < ? group by sums.series`,
    ...[dayMs, dayMs + DAY_MS],
  );
}
