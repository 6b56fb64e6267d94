import { notify } from "./notices.ts";
import { whole } from "./rows.ts";
import type { SqlValue, Tx } from "./tx.ts";

/** What an alert is about: a balance, or one of the things that bound what is spent. */
export type AlertKind = "balance" | "key_quota" | "key_limit" | "account_limit" | "subscription";

/** How far one has gone, as it was told last. */
export type AlertMark = {
  kind: AlertKind;
  thingId: string;
  period: string;
  level: number;
  /** The start of the period that it is about; 0 where it has none. */
  atMs: number;
};

/** A mark that has to change. */
export type AlertFinding = AlertMark & {
  /** What is told; null where it is only noted, because it is well again or was never otherwise. */
  told: { email: string; data: Readonly<Record<string, unknown>> } | null;
};

export type TellAlerts = {
  findings: readonly AlertFinding[];
  /** Whether holders hear of a low balance by e-mail. */
  mails: boolean;
  nowMs: number;
};

/** The marks and what is told of them, in one transaction: each level is told once, whoever else finds it out. */
export async function tellAlerts(tx: Tx, { findings, mails, nowMs }: TellAlerts): Promise<void> {
  for (const finding of findings) {
    const { kind, thingId, told } = finding;
    if (!(await moveMark(tx, finding)) || told === null) continue;
    const isBalance = kind === "balance";
    await notify(tx, {
      event: isBalance ? "balance.low" : "spend.alert",
      ...{ about: thingId, data: told.data, atMs: nowMs },
      ...(isBalance && mails ? { mailTo: told.email } : {}),
    });
  }
}

/** False where it stands so already. A mark of a later period is not taken back by whoever is behind. */
async function moveMark(tx: Tx, { kind, thingId, period, level, atMs }: AlertMark): Promise<boolean> {
  const key: SqlValue[] = [kind, thingId, period];
  const [row] = await tx.all(
    "select level, at_ms from alerts where kind = ? and thing_id = ? and period = ?",
    ...key,
  );
  if (row !== undefined && whole(row["at_ms"]) > atMs) return false;
  if (row !== undefined && whole(row["at_ms"]) === atMs && whole(row["level"]) === level) return false;
  await tx.run(
    `insert into alerts (kind, thing_id, period, level, at_ms) values (?, ?, ?, ?, ?)
      on conflict (kind, thing_id, period) do update set level = excluded.level, at_ms = excluded.at_ms`,
    ...[...key, level, atMs],
  );
  return true;
}

const SWEEP: readonly SqlValue[] = ["sweep", "", ""];

/** One instance looks for alerts at a time; true for whoever does so now. */
export async function claimSweep(
  tx: Tx,
  { nowMs, everyMs }: { nowMs: number; everyMs: number },
): Promise<boolean> {
  const sql = "select at_ms from alerts where kind = ? and thing_id = ? and period = ?";
  const [row] = await tx.all(sql, ...SWEEP);
  const sinceMs = nowMs - whole(row?.["at_ms"]);
  // One that is ahead of us by more than its turn had a clock that was wrong.
  if (row !== undefined && sinceMs < everyMs && sinceMs > -everyMs) return false;
  await tx.run(
    `insert into alerts (kind, thing_id, period, level, at_ms) values (?, ?, ?, 0, ?)
      on conflict (kind, thing_id, period) do update set at_ms = excluded.at_ms`,
    ...[...SWEEP, nowMs],
  );
  return true;
}

/** Rows by their ids: after the first, up to the last. */
export type IdSpan = { after: string; upTo: string };

/** How far a limit is used up, as far as it is told: 0, 80 or 100 percent. */
export function levelOf(spent: bigint, limit: bigint): number {
  if (limit <= 0n) return 0;
  // A last thousandth pays for no request, so nobody would ever hear that nothing is left.
  if (spent >= limit - limit / 1_000n) return 100;
  return spent >= limit - limit / 5n ? 80 : 0;
}
