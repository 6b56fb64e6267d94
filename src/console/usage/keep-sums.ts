import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { Store } from "../../store/store.ts";
import { type Keeper, type Keeping, keep } from "../keeper.ts";

export type KeepSums = Clock & { store: Pick<Store, "run">; log: Log; everyMs?: number; pageRows?: number };

const EVERY_MS = 60_000;
const PAGE_ROWS = 1_000;
/** Admissions come first: a page of old rows takes the writer for some tens of milliseconds. */
const REST_MS = 50;
const ROWS_PER_LINE = 100_000;

/**
 * Sums up what an older version has left, the newest first, and puts together the days that are over. Both can be
 * stopped anywhere and be done by several processes at once.
 */
export function keepSums({ store, log, nowMs, everyMs = EVERY_MS, pageRows = PAGE_ROWS }: KeepSums): Keeper {
  async function sumUp({ isStopped, rest }: Keeping): Promise<void> {
    let done = 0;
    while (!isStopped()) {
      const { count } = await store.run("usage.sum_up", { limit: pageRows });
      done += count;
      if (count > 0 && done % ROWS_PER_LINE < pageRows) log("info", "usage.summing_up", { rows: done });
      if (count < pageRows) break;
      await rest(REST_MS);
    }
    if (done > 0) log("info", "usage.summed_up", { rows: done });
  }

  async function rollDays({ isStopped, rest }: Keeping): Promise<void> {
    while (!isStopped()) {
      const { dayMs } = await store.run("usage.roll_day", { nowMs: nowMs() });
      if (dayMs === null) return;
      await rest(REST_MS);
    }
  }

  async function round(keeping: Keeping): Promise<number> {
    await sumUp(keeping);
    await rollDays(keeping);
    return everyMs;
  }

  return keep({ round, onFailure: why => log("warn", "usage.sums_waiting", { why }), restMs: everyMs });
}
