import { createHash } from "node:crypto";
import { text } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** The row by which the database knows its master secret again. */
export const SECRET_MARK = "secret_mark";
const AUDITED = "audited ";

/**
 * With the first entry of the audit the mark of the secret is replaced by its hash, from which nobody finds the way back.
 * So a database whose audit was taken away whole cannot be made to look like one that has never had any.
 */
export function auditedMark(mark: string): string {
  return AUDITED + createHash("sha256").update(mark).digest("hex");
}

export function isMarkOf(known: string, mark: string): boolean {
  return known === mark || known === auditedMark(mark);
}

export async function isAudited(tx: Tx): Promise<boolean> {
  return (await readMark(tx))?.startsWith(AUDITED) === true;
}

export async function markAudited(tx: Tx): Promise<void> {
  const mark = await readMark(tx);
  if (mark === null || mark.startsWith(AUDITED)) return;
  await tx.run("update house set value = ? where name = ?", auditedMark(mark), SECRET_MARK);
}

async function readMark(tx: Tx): Promise<string | null> {
  const [row] = await tx.all("select value from house where name = ?", SECRET_MARK);
  return row === undefined ? null : text(row["value"]);
}
