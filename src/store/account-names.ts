import type { Id } from "../domain/ids.ts";
import { id, text } from "./rows.ts";
import type { Tx } from "./tx.ts";

const PER_QUERY_MAX = 500;

/** E-mails by the ids of their accounts; an account that is not there has none. */
export async function emailsOf(tx: Tx, ids: Iterable<string>): Promise<Map<string, string>> {
  const rows = await inParts(tx, { column: "id", values: [...ids] });
  return new Map(rows.map(row => [row.id, row.email]));
}

/** Ids by their e-mails, in small letters. */
export async function accountsOf(tx: Tx, emails: Iterable<string>): Promise<Map<string, Id<"acc">>> {
  const values = [...emails].map(email => email.toLowerCase());
  const rows = await inParts(tx, { column: "email", values });
  return new Map(rows.map(row => [row.email, row.id]));
}

type Named = { id: Id<"acc">; email: string };

async function inParts(
  tx: Tx,
  { column, values }: { column: "id" | "email"; values: readonly string[] },
): Promise<Named[]> {
  const found: Named[] = [];
  for (let from = 0; from < values.length; from += PER_QUERY_MAX) {
    const some = values.slice(from, from + PER_QUERY_MAX);
    const places = some.map(() => "?").join(", ");
    const rows = await tx.all(`select id, email from accounts where ${column} in (${places})`, ...some);
    found.push(...rows.map(row => ({ id: id("acc", row["id"]), email: text(row["email"]) })));
  }
  return found;
}
