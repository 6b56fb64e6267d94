import type { Id } from "../domain/ids.ts";
import { whole } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** Secrets of webhooks that were the newest before: each goes on signing for a while, so that its receiver can follow. */
export type OldSecret = { sealed: Uint8Array; untilMs: number };

const SIGNS_MS = 86_400_000;
/** Whoever makes one after the other has lost them; each makes every message a line longer. */
const OLD_MAX = 4;

type Retired = { oldId: Id<"whs">; webhookId: string; nowMs: number };

/** The newest becomes an old one; beyond the most that sign, the oldest goes at once. Gives until when it signs. */
export async function retireSecret(tx: Tx, { oldId, webhookId, nowMs }: Retired): Promise<number> {
  const untilMs = nowMs + SIGNS_MS;
  await tx.run(
    `insert into old_webhook_secrets (id, webhook_id, sealed, until_ms)
      select ?, id, secret, ? from webhooks where id = ?`,
    ...[oldId, untilMs, webhookId],
  );
  await tx.run(
    `delete from old_webhook_secrets where webhook_id = ? and id not in
      (select id from old_webhook_secrets where webhook_id = ? order by id desc limit ${OLD_MAX})`,
    ...[webhookId, webhookId],
  );
  return untilMs;
}

/** The newest first. */
export async function oldSecretsOf(tx: Tx, webhookId: string): Promise<OldSecret[]> {
  const sql = "select sealed, until_ms from old_webhook_secrets where webhook_id = ? order by id desc";
  return (await tx.all(sql, webhookId)).flatMap(row => {
    const { sealed } = row;
    return sealed instanceof Uint8Array ? [{ sealed, untilMs: whole(row["until_ms"]) }] : [];
  });
}

/** Whether one signs no longer and is still there. */
export async function hasSpentSecrets(tx: Tx, nowMs: number): Promise<boolean> {
  const found = await tx.all("select id from old_webhook_secrets where until_ms <= ? limit 1", nowMs);
  return found.length > 0;
}

export function forgetSpentSecrets(tx: Tx, nowMs: number): Promise<void> {
  return tx.run("delete from old_webhook_secrets where until_ms <= ?", nowMs);
}

export function forgetSecretsOf(tx: Tx, webhookId: string): Promise<void> {
  return tx.run("delete from old_webhook_secrets where webhook_id = ?", webhookId);
}
