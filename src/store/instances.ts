import type { Id } from "../domain/ids.ts";
import { id, text, whole } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** A running gateway process. The start time tells a process from a later one with the same number. */
export type Instance = {
  bootId: Id<"boot">;
  host: string;
  pid: number;
  pidStarted: string;
  seenAtMs: number;
};

export async function heartbeat(tx: Tx, instance: Instance): Promise<void> {
  await tx.run(
    `insert into instances (boot_id, host, pid, pid_started, seen_at_ms) values (?, ?, ?, ?, ?)
       on conflict (boot_id) do update set seen_at_ms = excluded.seen_at_ms`,
    ...[instance.bootId, instance.host, instance.pid, instance.pidStarted, instance.seenAtMs],
  );
}

export async function forgetInstance(tx: Tx, gone: { bootId: Id<"boot"> }): Promise<void> {
  await tx.run("delete from instances where boot_id = ?", gone.bootId);
}

export async function listInstances(tx: Tx): Promise<Instance[]> {
  const rows = await tx.all("select * from instances order by boot_id");
  return rows.map(row => ({
    bootId: id("boot", row["boot_id"]),
    host: text(row["host"]),
    pid: whole(row["pid"]),
    pidStarted: text(row["pid_started"]),
    seenAtMs: whole(row["seen_at_ms"]),
  }));
}

/** Boots that left open holds behind, whether or not they are still listed. */
export async function bootsWithHolds(tx: Tx): Promise<Id<"boot">[]> {
  const rows = await tx.all("select distinct boot_id from usage where state = 'open'");
  return rows.map(row => id("boot", row["boot_id"]));
}
