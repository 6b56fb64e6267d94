import type { AccountRole } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import { id, text, textOrNull, whole } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** Whatever works once and for a while. Its token is with whoever may use it; here is the hash. */
export type Ticket = {
  id: Id<"tkt">;
  /** What it is good for: `setup`, `invitation`, `reset`, `second_factor` … */
  kind: string;
  accountId: Id<"acc"> | null;
  email: string | null;
  role: AccountRole | null;
  /** JSON, of the kind's own form. */
  payload: string;
  madeBy: string;
  createdAtMs: number;
  expiresAtMs: number;
};

export type NewTicket = Omit<Ticket, "createdAtMs"> & { hash: string; nowMs: number };

export async function makeTicket(tx: Tx, made: NewTicket): Promise<void> {
  await tx.run("delete from tickets where kind = ? and expires_at_ms < ?", made.kind, made.nowMs);
  await tx.run(
    `insert into tickets (id, hash, kind, account_id, email, role, payload, made_by, created_at_ms, expires_at_ms)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[made.id, made.hash, made.kind, made.accountId, made.email, made.role, made.payload, made.madeBy],
    ...[made.nowMs, made.expiresAtMs],
  );
}

export type TicketLook = { hash: string; kinds: readonly string[]; nowMs: number };

/** Null where there is none of these kinds that still works. It stays unused. */
export async function lookAtTicket(tx: Tx, look: TicketLook): Promise<Ticket | null> {
  const [row] = await tx.all(
    "select * from tickets where hash = ? and used_at_ms is null and expires_at_ms > ?",
    look.hash,
    look.nowMs,
  );
  if (row === undefined) return null;
  const ticket = toTicket(row);
  return look.kinds.includes(ticket.kind) ? ticket : null;
}

/** As above, and from now on it works no more: of two that come at once, one gets it. */
export async function useTicket(tx: Tx, look: TicketLook): Promise<Ticket | null> {
  const ticket = await lookAtTicket(tx, look);
  if (ticket !== null) await tx.run("update tickets set used_at_ms = ? where id = ?", look.nowMs, ticket.id);
  return ticket;
}

/** Those that still work, newest first. */
export async function listTickets(
  tx: Tx,
  { kind, nowMs }: { kind: string; nowMs: number },
): Promise<Ticket[]> {
  const rows = await tx.all(
    "select * from tickets where kind = ? and used_at_ms is null and expires_at_ms > ? order by id desc",
    kind,
    nowMs,
  );
  return rows.map(toTicket);
}

export type TicketEnd = { id: string; kind: string; nowMs: number };

/** False where there is none that still works. */
export async function endTicket(tx: Tx, end: TicketEnd): Promise<boolean> {
  const found = await tx.all(
    "select id from tickets where id = ? and kind = ? and used_at_ms is null and expires_at_ms > ?",
    ...[end.id, end.kind, end.nowMs],
  );
  if (found.length === 0) return false;
  await tx.run("delete from tickets where id = ?", end.id);
  return true;
}

function toTicket(row: SqlRow): Ticket {
  const account = textOrNull(row["account_id"]);
  return {
    id: id("tkt", row["id"]),
    kind: text(row["kind"]),
    accountId: account === null ? null : id("acc", account),
    email: textOrNull(row["email"]),
    role: textOrNull(row["role"]) as AccountRole | null,
    payload: text(row["payload"]),
    madeBy: text(row["made_by"]),
    createdAtMs: whole(row["created_at_ms"]),
    expiresAtMs: whole(row["expires_at_ms"]),
  };
}
