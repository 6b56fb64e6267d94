import type { Answer } from "../../api/client.ts";

export type Row = Answer<"GET /usage">["rows"][number];
/** The part of the log that was fetched: without a gap, newest first; older ones begin below `next`. */
export type Log<R extends Row = Row> = { rows: R[]; next: string | null; kept_from?: string | null };

/** So many of the newest are looked at again each time: a request may end after one that began later. */
const OVERLAP_ROWS = 20;
/** A request that still runs is followed while it stands among these. */
const FOLLOWED_ROWS = 150;
/** More than is ever followed, so that following leaves no gap. */
export const LIVE_LIMIT = 200;

/** After which row the newest are asked for again; null: from the newest on. */
export function liveCursor({ rows }: Log): string | null {
  const oldest = rows.slice(0, FOLLOWED_ROWS).findLastIndex(({ outcome }) => outcome === "running");
  return rows[Math.max(OVERLAP_ROWS, oldest + 1)]?.id ?? null;
}

/** Puts what came after the cursor in place of what was known of it. What has not changed stays the very same. */
export function mergeLive<R extends Row>(log: Log<R>, cursor: string | null, fresh: Log<R>): Log<R> {
  const merged = joined(log, cursor, fresh);
  const known = new Map(log.rows.map(row => [row.id, row]));
  const rows = merged.rows.map(row => {
    const before = known.get(row.id);
    return before !== undefined && (before === row || isEqual(before, row)) ? before : row;
  });
  const isSame = rows.length === log.rows.length && rows.every((row, at) => row === log.rows[at]);
  return isSame && merged.next === log.next ? log : { ...merged, rows };
}

function isEqual(one: Row, other: Row): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function joined<R extends Row>(log: Log<R>, cursor: string | null, fresh: Log<R>): Log<R> {
  if (fresh.next === null) {
    const older = cursor === null ? [] : log.rows.filter(({ id }) => id <= cursor);
    return { ...fresh, rows: folded([...fresh.rows, ...older]), next: cursor === null ? null : log.next };
  }
  const { next } = fresh;
  const [newest] = log.rows;
  // More has come than was asked for: what lies between is not known.
  if (newest === undefined || newest.id < next) return fresh;
  return {
    ...fresh,
    rows: folded([...fresh.rows, ...log.rows.filter(({ id }) => id < next)]),
    next: log.next,
  };
}

export function appendOlder<R extends Row>(log: Log<R>, older: Log<R>): Log<R> {
  return { ...older, rows: folded([...log.rows, ...older.rows]) };
}

/** Identical refusals that meet at a seam become one line, as the server makes them within a page. */
function folded<R extends Row>(rows: readonly R[]): R[] {
  const lines: R[] = [];
  for (const row of rows) {
    const last = lines.at(-1);
    if (last === undefined || !isSameRefusal(last, row)) lines.push(row);
    else {
      const count = (last.repeated?.count ?? 1) + (row.repeated?.count ?? 1);
      lines[lines.length - 1] = { ...last, repeated: { count, since: row.repeated?.since ?? row.at } };
    }
  }
  return lines;
}

function isSameRefusal(one: Row, other: Row): boolean {
  return (
    one.id !== other.id &&
    one.state === "refused" &&
    other.state === "refused" &&
    one.key.id === other.key.id &&
    one.model === other.model &&
    one.reason === other.reason &&
    one.tool === other.tool
  );
}

/**
 * What is shown while somebody reads: the rows that were there when they began stay in their places, with what has
 * become of them since; `fresh` says how many wait above.
 */
export function shownRows<R extends Row>(
  log: Log<R>,
  held: readonly R[] | null,
): { rows: readonly R[]; fresh: number } {
  const top = held?.[0];
  const bottom = held?.at(-1);
  if (held === null || top === undefined || bottom === undefined) return { rows: log.rows, fresh: 0 };
  const now = new Map(log.rows.map(row => [row.id, row]));
  const older = log.rows.filter(({ id }) => id < bottom.id);
  return {
    rows: [...held.map(row => now.get(row.id) ?? row), ...older],
    fresh: log.rows.filter(({ id }) => id > top.id).length,
  };
}
