import type { Id } from "../domain/ids.ts";
import { type By, recordChange } from "./audit.ts";
import { SECRET_AFTER, SECRET_BEFORE } from "./audit-entries.ts";
import type { KeySecret } from "./keys.ts";
import { keyEntry } from "./keys-audit.ts";
import { id } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** The strings that keys had before they were rotated. Looked at only where no key has the string now. */
export const REPLACED_BY_HASH = `select keys.*, replaced_strings.until_ms as until_ms from replaced_strings
    join keys on keys.id = replaced_strings.key_id where replaced_strings.hash = ?`;

export type Rotation = KeySecret & {
  id: Id<"key">;
  accountId: Id<"acc"> | null;
  by: By;
  /** When the string that it had stops working. */
  untilMs: number;
};

/**
 * Gives a key another string. What it had before works until then and no longer, those of earlier rotations too: whoever
 * says that the old string dies means every old one. Null where there is no such key in the account.
 */
export async function rotateKey(tx: Tx, rotation: Rotation): Promise<{ name: string } | null> {
  const { hash, preview, sealed, by, untilMs } = rotation;
  const [row] = await tx.all(`select * from keys where id = ?${tx.forUpdate}`, rotation.id);
  if (row === undefined) return null;
  if (rotation.accountId !== null && id("acc", row["account_id"]) !== rotation.accountId) return null;
  const name = String(row["name"]);
  if (row["deleted_at_ms"] !== null) {
    throw new StoreProblem(`The key “${name}” is deleted, which is final.`);
  }
  await demandFreeString(tx, hash);
  await tx.run(
    "update replaced_strings set until_ms = ? where key_id = ? and until_ms > ?",
    ...[untilMs, rotation.id, untilMs],
  );
  await tx.run(
    "insert into replaced_strings (hash, key_id, replaced_at_ms, until_ms) values (?, ?, ?, ?)",
    ...[row["hash"] ?? "", rotation.id, by.nowMs, untilMs],
  );
  await tx.run(
    "update keys set hash = ?, preview = ?, sealed = ? where id = ?",
    ...[hash, preview, sealed, rotation.id],
  );
  const fields = [
    ["string", SECRET_BEFORE, SECRET_AFTER],
    ["old_string_until", "", new Date(untilMs).toISOString()],
  ] as const;
  const key = { id: rotation.id, name };
  await recordChange(tx, by, await keyEntry(tx, key, { action: "rotate", fields }));
  return { name };
}

export async function isReplaced(tx: Tx, hash: string): Promise<boolean> {
  return (await tx.all("select key_id from replaced_strings where hash = ?", hash)).length > 0;
}

/** A string is one key's for good, also when it has been rotated away. */
export async function demandFreeString(tx: Tx, hash: string): Promise<void> {
  const taken = await tx.all(
    "select id from keys where hash = ? union all select key_id from replaced_strings where hash = ?",
    ...[hash, hash],
  );
  if (taken.length === 0) return;
  throw new StoreProblem("This custom key cannot be used: choose another string.", { field: "custom_key" });
}
