import type { AccountRole } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import { id, text, whole } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** Over since then, a session is forgotten; until then it tells when its account was last here. */
const KEPT_MS = 90 * 86_400_000;
const PER_ACCOUNT_MAX = 200;

export type Session = {
  id: Id<"ses">;
  accountId: Id<"acc">;
  signedInAtMs: number;
  /** When whoever is there last proved it. */
  provedAtMs: number;
  seenAtMs: number;
  expiresAtMs: number;
  address: string;
  agent: string;
};

export type NewSession = Omit<Session, "signedInAtMs" | "provedAtMs" | "seenAtMs"> & {
  hash: string;
  /** Where it was proved before it is opened, to somebody who vouches for it. */
  provedAtMs?: number;
  /** The session that this browser had before: over from now on. */
  replaces: string | null;
  nowMs: number;
};

/** Whose session it is, as their account is now. */
export type SessionHolder = Session & { email: string; role: AccountRole };

export async function openSession(tx: Tx, made: NewSession): Promise<void> {
  const { nowMs, accountId } = made;
  if (made.replaces !== null) {
    await tx.run("update sessions set expires_at_ms = ? where hash = ?", nowMs, made.replaces);
  }
  await tx.run("delete from sessions where account_id = ? and expires_at_ms < ?", accountId, nowMs - KEPT_MS);
  await tx.run(
    `delete from sessions where account_id = ? and id not in
      (select id from sessions where account_id = ? order by id desc limit ?)`,
    ...[accountId, accountId, PER_ACCOUNT_MAX - 1],
  );
  await tx.run(
    `insert into sessions (id, hash, account_id, signed_in_at_ms, proved_at_ms, seen_at_ms, expires_at_ms, address, agent)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[made.id, made.hash, accountId, nowMs, made.provedAtMs ?? nowMs, nowMs],
    ...[made.expiresAtMs, made.address, made.agent],
  );
}

/** Null where it is unknown or over, or its account is disabled. */
export async function readSession(
  tx: Tx,
  { hash, nowMs }: { hash: string; nowMs: number },
): Promise<SessionHolder | null> {
  const [row] = await tx.all(
    `select sessions.*, accounts.email as email, accounts.role as role from sessions
      join accounts on accounts.id = sessions.account_id
      where sessions.hash = ? and sessions.expires_at_ms > ? and accounts.enabled = 1`,
    hash,
    nowMs,
  );
  if (row === undefined) return null;
  return { ...toSession(row), email: text(row["email"]), role: text(row["role"]) as AccountRole };
}

export type Sighting = { id: Id<"ses">; expiresAtMs: number; address: string; nowMs: number };

/** Somebody used it: it lives longer. One that is over stays so. */
export async function seeSession(tx: Tx, seen: Sighting): Promise<void> {
  await tx.run(
    "update sessions set seen_at_ms = ?, expires_at_ms = ?, address = ? where id = ? and expires_at_ms > ?",
    ...[seen.nowMs, seen.expiresAtMs, seen.address, seen.id, seen.nowMs],
  );
}

/** Whoever is there has proved it again. */
export async function proveSession(
  tx: Tx,
  { id: sessionId, nowMs }: { id: Id<"ses">; nowMs: number },
): Promise<void> {
  await tx.run("update sessions set proved_at_ms = ? where id = ?", nowMs, sessionId);
}

export type SessionEnd = { accountId: Id<"acc">; id: string; nowMs: number };

/** False where this account has no such session, or it is over already. */
export async function endSession(tx: Tx, end: SessionEnd): Promise<boolean> {
  const { accountId, id: sessionId, nowMs } = end;
  const found = await tx.all(
    "select id from sessions where id = ? and account_id = ? and expires_at_ms > ?",
    ...[sessionId, accountId, nowMs],
  );
  if (found.length === 0) return false;
  await tx.run("update sessions set expires_at_ms = ? where id = ?", nowMs, sessionId);
  return true;
}

export type SessionsEnd = { accountId: Id<"acc">; except: Id<"ses"> | null; nowMs: number };

export async function endSessions(tx: Tx, end: SessionsEnd): Promise<void> {
  await tx.run(
    "update sessions set expires_at_ms = ? where account_id = ? and id <> ? and expires_at_ms > ?",
    ...[end.nowMs, end.accountId, end.except ?? "", end.nowMs],
  );
}

/** Those that are not over, the one that was seen last first. */
export async function listSessions(
  tx: Tx,
  { accountId, nowMs }: { accountId: Id<"acc">; nowMs: number },
): Promise<Session[]> {
  const rows = await tx.all(
    "select * from sessions where account_id = ? and expires_at_ms > ? order by seen_at_ms desc, id desc",
    accountId,
    nowMs,
  );
  return rows.map(toSession);
}

function toSession(row: SqlRow): Session {
  return {
    id: id("ses", row["id"]),
    accountId: id("acc", row["account_id"]),
    signedInAtMs: whole(row["signed_in_at_ms"]),
    provedAtMs: whole(row["proved_at_ms"]),
    seenAtMs: whole(row["seen_at_ms"]),
    expiresAtMs: whole(row["expires_at_ms"]),
    address: text(row["address"]),
    agent: text(row["agent"]),
  };
}
