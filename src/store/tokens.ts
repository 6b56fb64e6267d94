import type { AccountRole } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import type { TokenScope } from "../domain/operator-token.ts";
import { demandAccount } from "./accounts.ts";
import { type By, recordChange } from "./audit.ts";
import { id, text, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** Operator tokens: what a program calls the console's API with, in the name of the operator who made it. */

export type Token = {
  id: Id<"tok">;
  accountId: Id<"acc">;
  name: string;
  preview: string;
  scope: TokenScope;
  createdAtMs: number;
  expiresAtMs: number;
  lastUsedAtMs: number | null;
};

/** With whose it is. */
export type TokenListing = Token & { email: string };

export type NewToken = Omit<Token, "accountId" | "createdAtMs" | "lastUsedAtMs"> & {
  email: string;
  hash: string;
  by: By;
};

const TOKENS_PER_ACCOUNT_MAX = 100;
/** Over since then, a token is forgotten; until then whoever still uses it is told that it has expired. */
const KEPT_MS = 90 * 86_400_000;

export async function createToken(tx: Tx, made: NewToken): Promise<TokenListing> {
  const { nowMs } = made.by;
  const account = await demandAccount(tx, made.email);
  if (account.role !== "operator" || !account.enabled) {
    throw new StoreProblem(
      `Only an operator whose account is enabled can have a token, and ${account.email} is not.`,
    );
  }
  await tx.run("delete from tokens where expires_at_ms < ?", nowMs - KEPT_MS);
  const [row] = await tx.all("select count(*) as count from tokens where account_id = ?", account.id);
  if (whole(row?.["count"]) >= TOKENS_PER_ACCOUNT_MAX) {
    throw new StoreProblem(
      `${account.email} has ${TOKENS_PER_ACCOUNT_MAX} tokens, which is the most: end some that are not used.`,
    );
  }
  const { id: tokenId, hash, name, preview, scope, expiresAtMs } = made;
  await tx.run(
    `insert into tokens (id, hash, account_id, name, preview, scope, created_at_ms, expires_at_ms)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[tokenId, hash, account.id, name, preview, scope, nowMs, expiresAtMs],
  );
  const fields = [
    ["account", "", account.email],
    ["scope", "", scope],
    ["expires_at", "", new Date(expiresAtMs).toISOString()],
  ] as const;
  await recordChange(tx, made.by, { noun: "token", name, id: tokenId, action: "create", fields });
  const whose = { accountId: account.id, email: account.email };
  return { id: tokenId, ...whose, name, preview, scope, createdAtMs: nowMs, expiresAtMs, lastUsedAtMs: null };
}

/** Whose token it is, as their account is now; null where it is not known. */
export type TokenHolder = TokenListing & { role: AccountRole; enabled: boolean };

export async function readToken(tx: Tx, { hash }: { hash: string }): Promise<TokenHolder | null> {
  const [row] = await tx.all(`${TOKENS} where tokens.hash = ?`, hash);
  if (row === undefined) return null;
  const role = text(row["role"]) as AccountRole;
  return { ...toListing(row), role, enabled: whole(row["enabled"]) === 1 };
}

/** Somebody used it. */
export async function seeToken(tx: Tx, seen: { id: Id<"tok">; nowMs: number }): Promise<void> {
  await tx.run("update tokens set last_used_at_ms = ? where id = ?", seen.nowMs, seen.id);
}

export async function listTokens(tx: Tx): Promise<TokenListing[]> {
  return (await tx.all(`${TOKENS} order by tokens.id desc`)).map(toListing);
}

/** From now on nobody gets in by it; null where there is no such token. */
export async function revokeToken(
  tx: Tx,
  { id: tokenId, by }: { id: string; by: By },
): Promise<TokenListing | null> {
  const [row] = await tx.all(`${TOKENS} where tokens.id = ?`, tokenId);
  if (row === undefined) return null;
  const token = toListing(row);
  await tx.run("delete from tokens where id = ?", tokenId);
  const { name, email } = token;
  const fields = [["account", email, ""]] as const;
  await recordChange(tx, by, { noun: "token", name, id: tokenId, action: "delete", fields });
  return token;
}

const TOKENS = `select tokens.*, accounts.email as email, accounts.role as role, accounts.enabled as enabled
  from tokens join accounts on accounts.id = tokens.account_id`;

function toListing(row: SqlRow): TokenListing {
  return {
    id: id("tok", row["id"]),
    accountId: id("acc", row["account_id"]),
    email: text(row["email"]),
    name: text(row["name"]),
    preview: text(row["preview"]),
    scope: text(row["scope"]) as TokenScope,
    createdAtMs: whole(row["created_at_ms"]),
    expiresAtMs: whole(row["expires_at_ms"]),
    lastUsedAtMs: wholeOrNull(row["last_used_at_ms"]),
  };
}
