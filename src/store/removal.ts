import type { Tx } from "./tx.ts";

type Gone = { table: "groups" | "models" | "plans"; id: string; name: string; nowMs: number };

/**
 * What is removed is not deleted: old keys, receipts and subscriptions still say what it was. It gives its name free by
 * taking one that nothing can be given, because no name ends with white space.
 */
export async function setAside(tx: Tx, { table, id, name, nowMs }: Gone): Promise<void> {
  let left = `${name} (removed) `;
  while ((await tx.all(`select id from ${table} where name = ?`, left)).length > 0) left += " ";
  await tx.run(`update ${table} set name = ?, removed_at_ms = ? where id = ?`, left, nowMs, id);
}
