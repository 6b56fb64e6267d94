import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { HouseSettings } from "../../domain/settings.ts";
import type { Store } from "../../store/store.ts";
import type { Removed, RemoveOld } from "../../store/usage-retention.ts";
import { DAY_MS, spanStart } from "../../store/usage-sums.ts";
import { type Keeper, type Keeping, keep } from "../keeper.ts";

export type KeepRetention = Clock & {
  store: Pick<Store, "run">;
  log: Log;
  bootId: string;
  settings: () => Pick<HouseSettings, "usageDays">;
  onRemoved: (count: number) => void;
  everyMs?: number;
  chunkRows?: number;
};

const EVERY_MS = 60_000;
/** Where a row has to end first, or its day to be put together, or another process is at it. */
const WAIT_MS = 5_000;
/** Admissions wait while a chunk is removed: this many take a few milliseconds. */
const CHUNK_ROWS = 100;
/** A chunk that took a while, because the house is busy, is followed by so many times that of rest. */
const RESTS_PER_CHUNK = 9;
const REST_MS_MIN = 20;
const ROWS_PER_LINE = 100_000;

/** Rows are kept for so many whole days at least, in UTC; null where they are kept for ever. */
export function keptSince(usageDays: number, nowMs: number): number | null {
  return usageDays === 0 ? null : spanStart(24, nowMs - usageDays * DAY_MS);
}

/**
 * Removes rows of the usage log that are older than they are kept, a little at a time. It can be stopped anywhere, and
 * be run by several processes: the database lets one of them do it.
 */
export function keepRetention(options: KeepRetention): Keeper {
  const { store, log, bootId, settings, onRemoved, nowMs } = options;
  const { everyMs = EVERY_MS, chunkRows: limit = CHUNK_ROWS } = options;

  let waited: string | null = null;
  let isOurs = true;
  async function removeOld({ isStopped, rest }: Keeping): Promise<void> {
    let [done, told] = [0, 0];
    for (let from: string | null = null; !isStopped(); ) {
      const beforeMs = keptSince(settings().usageDays, nowMs());
      if (beforeMs === null) break;
      const begun = performance.now();
      const asked: RemoveOld = { beforeMs, from, limit, bootId, nowMs: nowMs() };
      const removed: Removed = await store.run("usage.remove_old", asked);
      const { count, next, waitsFor } = removed;
      isOurs = removed.isOurs;
      done += count;
      if (count > 0) onRemoved(count);
      if (waitsFor !== null && waitsFor !== waited) log("info", "usage.removal_waits", { for: waitsFor });
      waited = waitsFor;
      if (next === null) break;
      if (done - told >= ROWS_PER_LINE) {
        log("info", "usage.removing", { rows: done });
        told = done;
      }
      from = next;
      await rest(Math.max(REST_MS_MIN, RESTS_PER_CHUNK * (performance.now() - begun)));
    }
    if (done > 0) log("info", "usage.removed", { rows: done });
  }

  async function round(keeping: Keeping): Promise<number> {
    await removeOld(keeping);
    return waited === null && isOurs ? everyMs : Math.min(everyMs, WAIT_MS);
  }

  return keep({
    round,
    onFailure: why => log("warn", "usage.removal_failed", { why }),
    restMs: Math.min(everyMs, WAIT_MS),
  });
}
