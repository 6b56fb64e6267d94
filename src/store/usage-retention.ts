import { firstIdAt, idTimeMs } from "../domain/id-time.ts";
import { parseWindows } from "../domain/spend-window.ts";
import { big, text, textOrNull, whole } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { after, LOWEST_ID } from "./usage-filter.ts";
import { KEPT_FROM, keptFrom } from "./usage-kept.ts";
import { DAY_MS, QUANTITIES, SUMS_OF_ROWS, spanStart } from "./usage-sums.ts";

const CLAIM = "usage removed by";
/** Whoever removes rows renews it in half of this; when it is gone, another one may go on. */
const CLAIM_MS = 15_000;

export type RemoveOld = {
  /** Rows that began before are kept no longer. */
  beforeMs: number;
  /** Where the last call ended; null begins at the oldest row. */
  from: string | null;
  limit: number;
  bootId: string;
  nowMs: number;
};

export type Removed = {
  /** False where another process does it, or did a moment ago. */
  isOurs: boolean;
  count: number;
  /** Where the next call goes on; null where there is nothing to do any more, for now. */
  next: string | null;
  /** The row that has to end, or to be summed up, before anything after it is removed. */
  waitsFor: string | null;
};

const NOTHING: Removed = { isOurs: true, count: 0, next: null, waitsFor: null };

/**
 * Removes the oldest rows that have ended and are in sums that are put together: so many of one day at most, oldest
 * first and leaving none out, so that one mark says what is gone. What they came to is added up in the same
 * transaction, and so `verify` stays exact. One process of all does it at a time.
 */
export async function removeOldRows(tx: Tx, asked: RemoveOld): Promise<Removed> {
  if (!(await claim(tx, asked))) return { ...NOTHING, isOurs: false };
  const { beforeMs, from, limit } = asked;
  const end = firstIdAt("req", beforeMs);
  const found = await tx.all(
    `select id, state, series, cost, windows from usage where id >= ? and id < ? order by id limit ?`,
    ...[from ?? LOWEST_ID, end, limit],
  );
  const [first] = found;
  if (first === undefined) {
    await finish(tx, end);
    return NOTHING;
  }
  const dayMs = spanStart(24, idTimeMs(text(first["id"])));
  if (!(await isRolled(tx, dayMs))) return { ...NOTHING, waitsFor: text(first["id"]) };
  const ofDay = found.filter(row => idTimeMs(text(row["id"])) < dayMs + DAY_MS);
  const stop = ofDay.findIndex(row => text(row["state"]) === "open" || row["series"] === null);
  const rows = stop < 0 ? ofDay : ofDay.slice(0, stop);
  const waitsFor = stop < 0 ? null : text(ofDay[stop]?.["id"]);
  const last = rows.at(-1);
  if (last === undefined) return { ...NOTHING, waitsFor };
  await remove(tx, rows, dayMs);
  const next = after(text(last["id"]));
  await moveMark(tx, next);
  return { isOurs: true, count: rows.length, next: waitsFor === null ? next : null, waitsFor };
}

const ADDED = QUANTITIES.map(name => `${name} = usage_removed.${name} + excluded.${name}`).join(", ");

async function remove(tx: Tx, rows: readonly SqlRow[], dayMs: number): Promise<void> {
  const ids = rows.map(row => text(row["id"]));
  const marks = ids.map(() => "?").join(", ");
  await tx.run(
    `insert into usage_removed (start_ms, series, ${QUANTITIES.join(", ")})
      select cast(? as bigint), usage.series, ${SUMS_OF_ROWS} from usage where usage.id in (${marks})
      group by usage.series on conflict (start_ms, series) do update set ${ADDED}`,
    ...[dayMs, ...ids],
  );
  await countInWindows(tx, rows);
  await tx.run(`delete from usage where id in (${marks})`, ...ids);
}

/** Those that have ended are compared with nothing any more. */
async function countInWindows(tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  const spent = new Map<string, bigint>();
  for (const row of rows) {
    const cost = big(row["cost"]);
    if (cost === 0n) continue;
    for (const { ownerId, period, startMs } of parseWindows(textOrNull(row["windows"]))) {
      const name = `${ownerId}/${period}/${startMs}`;
      spent.set(name, (spent.get(name) ?? 0n) + cost);
    }
  }
  for (const [name, amount] of spent) {
    const [window] = parseWindows(name);
    if (window === undefined) continue;
    const { ownerId, period, startMs } = window;
    const running = "select owner_id from windows where owner_id = ? and period = ? and start_ms = ?";
    if ((await tx.all(running, ownerId, period, startMs)).length === 0) continue;
    await tx.run(
      `insert into usage_removed_windows (owner_id, period, start_ms, spent) values (?, ?, ?, ?)
        on conflict (owner_id, period, start_ms) do update set spent = usage_removed_windows.spent + excluded.spent`,
      ...[ownerId, period, startMs, amount],
    );
  }
}

/** The hours of such a day are put together, so that nothing is left that only its rows could tell. */
async function isRolled(tx: Tx, dayMs: number): Promise<boolean> {
  const [day] = await tx.all("select is_rolled from usage_days where start_ms = ?", dayMs);
  return whole(day?.["is_rolled"]) === 1;
}

/** Everything before the end is gone: the mark says so even where the last row was long before it. */
async function finish(tx: Tx, end: string): Promise<void> {
  if ((await keptFrom(tx, {})) === null) return;
  await moveMark(tx, end);
  await tx.run(
    `delete from usage_removed_windows where not exists (select 1 from windows
      where windows.owner_id = usage_removed_windows.owner_id and windows.period = usage_removed_windows.period
        and windows.start_ms = usage_removed_windows.start_ms)`,
  );
}

async function moveMark(tx: Tx, to: string): Promise<void> {
  const mark = await keptFrom(tx, {});
  if (mark === null || mark < to) await put(tx, KEPT_FROM, to);
}

/** False where another process has it. */
async function claim(tx: Tx, { bootId, nowMs }: RemoveOld): Promise<boolean> {
  const [row] = await tx.all("select value from house where name = ?", CLAIM);
  const held = row === undefined ? null : (JSON.parse(text(row["value"])) as { by: string; untilMs: number });
  const leftMs = held === null ? 0 : held.untilMs - nowMs;
  // Further ahead than it can be by right means that a clock was set.
  if (held !== null && held.by !== bootId && leftMs > 0 && leftMs <= CLAIM_MS) return false;
  if (held?.by === bootId && leftMs > CLAIM_MS / 2 && leftMs <= CLAIM_MS) return true;
  await put(tx, CLAIM, JSON.stringify({ by: bootId, untilMs: nowMs + CLAIM_MS }));
  return true;
}

async function put(tx: Tx, name: string, value: string): Promise<void> {
  await tx.run(
    "insert into house (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
    ...[name, value],
  );
}
