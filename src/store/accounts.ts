import type { Account, AccountRole } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import { formatUsd, NANOS_PER_USD, type Nanos } from "../domain/money.ts";
import { type By, recordChange } from "./audit.ts";
import { accountBegun, accountEntry, balanceMoved } from "./audit-entries.ts";
import { bump } from "./catalogue.ts";
import { weakenAccount } from "./last-operator.ts";
import { big, flag, text, textOrNull, toAccount, whole } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** Far below what 64 bits hold in nano-dollars (9.2 thousand million USD), so that no sum of two overflows. */
export const BALANCE_NANOS_MAX: Nanos = 1_000_000_000n * NANOS_PER_USD;
export const BALANCE_MAX_TEXT = "1,000,000,000";
export const ONCE_TAKEN =
  "This idempotency key was used before, for another change: take a new one for each change.";
const ONCE_CHARACTERS_MAX = 200;
const ONCE_PATTERN = /^(?! )[\x20-\x7e]{1,200}(?<! )$/;

export type NewAccount = {
  id: Id<"acc">;
  ledgerId: Id<"led">;
  email: string;
  role: AccountRole;
  openingBalance: Nanos;
  by: By;
};

export async function accountByEmail(tx: Tx, email: string): Promise<Account | null> {
  const [row] = await tx.all("select * from accounts where email = ?", email.toLowerCase());
  return row === undefined ? null : toAccount(row);
}

export async function listAccounts(tx: Tx): Promise<Account[]> {
  return (await tx.all("select * from accounts order by email")).map(toAccount);
}

export async function addAccount(tx: Tx, made: NewAccount): Promise<Account> {
  const { actor, nowMs } = made.by;
  const account = await insertAccount(tx, { ...made, actor, nowMs });
  await recordChange(tx, made.by, accountEntry(account, { action: "create", fields: accountBegun(account) }));
  return account;
}

/** Of which whoever calls keeps the record. The actor is who gives the opening balance. */
export async function insertAccount(
  tx: Tx,
  made: Omit<NewAccount, "by"> & { actor: string; nowMs: number },
): Promise<Account> {
  const { email, ledgerId, openingBalance: amount, actor, nowMs } = made;
  if ((await accountByEmail(tx, email)) !== null) {
    throw new StoreProblem(`There is an account ${email} already.`);
  }
  await tx.run(
    `insert into accounts (id, email, role, enabled, balance, held, created_at_ms) values (?, ?, ?, 1, 0, 0, ?)`,
    ...[made.id, email.toLowerCase(), made.role, nowMs],
  );
  const account = await demandAccount(tx, email);
  if (amount <= 0n) return account;
  const line = { ledgerId, kind: "credit", amount, usageId: null, once: null, actor, nowMs } as const;
  return writeLine(tx, account, { ...line, why: "opening balance" });
}

export type BalanceMove = {
  email: string;
  ledgerId: Id<"led">;
  /** Positive is a credit, negative a debit. */
  amount: Nanos;
  why: string;
  by: By;
  /** What whoever sends it calls it: sent again under the same name, it moves nothing again. */
  once?: string | null;
};

/** `repeated`: it had been done before under the same name, so nothing was done now. */
export type Moved = { account: Account; repeated: boolean };

/** Nothing sets a balance: it changes by ledger lines alone, and a debit takes only what no hold needs. */
export async function moveBalance(tx: Tx, move: BalanceMove): Promise<Moved> {
  const { email, amount } = move;
  if (amount === 0n) throw new StoreProblem("An amount of zero moves nothing.");
  const once = checkedOnce(move.once);
  const account = await lockAccount(tx, { email });
  const kind = amount > 0n ? "credit" : "debit";
  const before = await lineOnce(tx, once);
  if (before !== null) {
    const same = before.accountId === account.id && before.kind === kind && before.amount === amount;
    if (!same) throw new StoreProblem(ONCE_TAKEN);
    return { account, repeated: true };
  }
  const free = account.balance - account.held;
  if (amount < 0n && free < -amount) {
    throw new StoreProblem(`${account.email} has ${formatUsd(free)} USD free, which is less than the debit.`);
  }
  const { ledgerId, why, by } = move;
  const { actor, nowMs } = by;
  const line = { ledgerId, kind, amount, usageId: null, once, why, actor, nowMs } as const;
  const after = await writeLine(tx, account, line);
  await recordChange(tx, by, balanceMoved(kind, { before: account, after, why }));
  return { account: after, repeated: false };
}

export type LineKind = "credit" | "debit" | "charge" | "refund" | "redemption";

/** A change of a balance that is not a charge: charges are settlement's own. */
export type Line = {
  ledgerId: Id<"led">;
  kind: Exclude<LineKind, "charge">;
  amount: Nanos;
  usageId: Id<"req"> | null;
  once: string | null;
  why: string;
  actor: string;
  nowMs: number;
};

/** Takes an account that `lockAccount` gave, and gives it as it is afterwards. */
export async function writeLine(tx: Tx, account: Account, line: Line): Promise<Account> {
  const { amount, why } = line;
  if (why.trim() === "")
    throw new StoreProblem("A change of a balance needs a reason, because the ledger keeps it.");
  if (amount > BALANCE_NANOS_MAX - account.balance) {
    throw new StoreProblem(
      `${account.email} would have more than ${BALANCE_MAX_TEXT} USD, which is the most.`,
    );
  }
  await tx.run("update accounts set balance = balance + ? where id = ?", amount, account.id);
  await tx.run(
    `insert into ledger (id, account_id, kind, amount, usage_id, once, actor, why, created_at_ms)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[line.ledgerId, account.id, line.kind, amount, line.usageId, line.once],
    ...[line.actor, why, line.nowMs],
  );
  return { ...account, balance: account.balance + amount };
}

/** Admissions run beside the jobs: nobody else may change the balance between the look at it and its change. */
export async function lockAccount(tx: Tx, by: { email: string } | { id: string }): Promise<Account> {
  const [column, value] = "email" in by ? ["email", by.email.toLowerCase()] : ["id", by.id];
  const [row] = await tx.all(`select * from accounts where ${column} = ?${tx.forUpdate}`, value);
  if (row === undefined) throw new StoreProblem(`There is no account ${value}.`);
  return toAccount(row);
}

/** The name under which a change is sent, or null where it has none. */
export function checkedOnce(once: string | null | undefined): string | null {
  if (once === null || once === undefined) return null;
  if (ONCE_PATTERN.test(once)) return once;
  throw new StoreProblem(
    `An idempotency key has 1 to ${ONCE_CHARACTERS_MAX} printable ASCII characters, and no space at either end.`,
  );
}

export type LineBefore = { accountId: string; kind: string; amount: Nanos; usageId: string | null };

/** What was done before under this name. */
export async function lineOnce(tx: Tx, once: string | null): Promise<LineBefore | null> {
  if (once === null) return null;
  const [row] = await tx.all("select account_id, kind, amount, usage_id from ledger where once = ?", once);
  if (row === undefined) return null;
  const [accountId, kind, usageId] = [
    text(row["account_id"]),
    text(row["kind"]),
    textOrNull(row["usage_id"]),
  ];
  return { accountId, kind, amount: big(row["amount"]), usageId };
}

export type LedgerEntry = {
  id: string;
  kind: LineKind;
  amount: Nanos;
  /** What paid or was paid: the balance, or a subscription by its id. */
  pocket: string;
  requestId: string | null;
  actor: string;
  why: string;
  createdAtMs: number;
};

export const LEDGER_PAGE_MAX = 1000;

/**
 * Newest first, by id: a walk along the table's own order, however long the ledger is. A charge stands at the time at
 * which its request began.
 */
export async function ledgerPage(
  tx: Tx,
  page: { email: string; beforeId: string | null; limit: number },
): Promise<LedgerEntry[]> {
  const account = await demandAccount(tx, page.email);
  const before = page.beforeId === null ? "" : "and id < ?";
  const rows = await tx.all(
    `select * from ledger where account_id = ? ${before} order by id desc limit ?`,
    ...[account.id, ...(page.beforeId === null ? [] : [page.beforeId])],
    Math.min(page.limit, LEDGER_PAGE_MAX),
  );
  return rows.map(row => ({
    id: text(row["id"]),
    kind: text(row["kind"]) as LineKind,
    amount: big(row["amount"]),
    pocket: text(row["pocket"]),
    requestId: textOrNull(row["usage_id"]),
    actor: text(row["actor"]),
    why: text(row["why"]),
    createdAtMs: whole(row["created_at_ms"]),
  }));
}

export async function enableAccount(
  tx: Tx,
  { email, enabled, by }: { email: string; enabled: boolean; by: By },
): Promise<Account> {
  const account = await demandAccount(tx, email);
  if (account.enabled === enabled) return account;
  const write = () => tx.run("update accounts set enabled = ? where id = ?", flag(enabled), account.id);
  if (enabled) await write();
  else {
    await weakenAccount(tx, account, write);
    // Enabled again, whoever was signed in signs in anew.
    await tx.run("update sessions set expires_at_ms = 0 where account_id = ?", account.id);
  }
  await bump(tx);
  const fields = [["enabled", String(account.enabled), String(enabled)]] as const;
  await recordChange(tx, by, accountEntry(account, { action: enabled ? "enable" : "disable", fields }));
  return { ...account, enabled };
}

export async function demandAccount(tx: Tx, email: string): Promise<Account> {
  const account = await accountByEmail(tx, email);
  if (account === null) throw new StoreProblem(`There is no account ${email}.`);
  return account;
}
