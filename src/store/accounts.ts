import type { Account, AccountRole } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import { bump } from "./catalogue.ts";
import { flag, toAccount } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

export type NewAccount = {
  id: Id<"acc">;
  ledgerId: Id<"led">;
  email: string;
  role: AccountRole;
  openingBalance: Nanos;
  actor: string;
  nowMs: number;
};

export async function accountByEmail(tx: Tx, email: string): Promise<Account | null> {
  const [row] = await tx.all("select * from accounts where email = ?", email.toLowerCase());
  return row === undefined ? null : toAccount(row);
}

export async function listAccounts(tx: Tx): Promise<Account[]> {
  return (await tx.all("select * from accounts order by email")).map(toAccount);
}

export async function addAccount(tx: Tx, made: NewAccount): Promise<Account> {
  if ((await accountByEmail(tx, made.email)) !== null) {
    throw new StoreProblem(`There is an account ${made.email} already.`);
  }
  await tx.run(
    `insert into accounts (id, email, role, enabled, balance, held, created_at_ms) values (?, ?, ?, 1, 0, 0, ?)`,
    made.id,
    made.email.toLowerCase(),
    made.role,
    made.nowMs,
  );
  if (made.openingBalance > 0n) {
    const { email, ledgerId, actor, nowMs } = made;
    await moveBalance(tx, {
      email,
      ledgerId,
      amount: made.openingBalance,
      why: "opening balance",
      actor,
      nowMs,
    });
  }
  return demandAccount(tx, made.email);
}

export type BalanceMove = {
  email: string;
  ledgerId: Id<"led">;
  /** Positive is a credit, negative a debit. */
  amount: Nanos;
  why: string;
  actor: string;
  nowMs: number;
};

/** Nothing sets a balance: it changes by ledger lines alone, and a debit takes only what no hold needs. */
export async function moveBalance(tx: Tx, move: BalanceMove): Promise<Account> {
  const account = await demandAccount(tx, move.email);
  if (move.amount === 0n) throw new StoreProblem("An amount of zero moves nothing.");
  const free = account.balance - account.held;
  if (move.amount < 0n && free < -move.amount) {
    throw new StoreProblem(`${account.email} has ${formatUsd(free)} USD free, which is less than the debit.`);
  }
  await tx.run("update accounts set balance = balance + ? where id = ?", move.amount, account.id);
  await tx.run(
    `insert into ledger (id, account_id, kind, amount, usage_id, actor, why, created_at_ms)
      values (?, ?, ?, ?, null, ?, ?, ?)`,
    move.ledgerId,
    account.id,
    move.amount > 0n ? "credit" : "debit",
    move.amount,
    move.actor,
    move.why,
    move.nowMs,
  );
  return demandAccount(tx, move.email);
}

export async function enableAccount(tx: Tx, change: { email: string; enabled: boolean }): Promise<Account> {
  const account = await demandAccount(tx, change.email);
  await tx.run("update accounts set enabled = ? where id = ?", flag(change.enabled), account.id);
  await bump(tx);
  return { ...account, enabled: change.enabled };
}

export async function demandAccount(tx: Tx, email: string): Promise<Account> {
  const account = await accountByEmail(tx, email);
  if (account === null) throw new StoreProblem(`There is no account ${email}.`);
  return account;
}
