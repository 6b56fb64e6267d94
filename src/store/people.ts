import type { AccountRole } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import { insertAccount } from "./accounts.ts";
import { type By, recordChange } from "./audit.ts";
import {
  accountBegun,
  accountEntry,
  begun,
  type Field,
  SECRET_AFTER,
  SECRET_BEFORE,
} from "./audit-entries.ts";
import { operatorCanSignIn } from "./last-operator.ts";
import { type Language, type Person, readPerson, writePassword, writeProfile } from "./profiles.ts";
import { big, id, text, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import { endTicket, listTickets, makeTicket, type NewTicket, type Ticket, useTicket } from "./tickets.ts";
import type { Tx } from "./tx.ts";

/** How people come in: the first operator by the set-up link, others by invitation, and back by a reset. */

export const LINK_KINDS = ["setup", "invitation", "reset"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export type PersonListing = {
  id: Id<"acc">;
  email: string;
  role: AccountRole;
  enabled: boolean;
  balance: Nanos;
  createdAtMs: number;
  lastSeenAtMs: number | null;
};

export async function listPeople(tx: Tx): Promise<PersonListing[]> {
  const rows = await tx.all(
    `select accounts.id as id, email, role, enabled, balance, created_at_ms,
      (select max(seen_at_ms) from sessions where sessions.account_id = accounts.id) as last_seen_at_ms
      from accounts order by email`,
  );
  return rows.map(row => ({
    id: id("acc", row["id"]),
    email: text(row["email"]),
    role: text(row["role"]) as AccountRole,
    enabled: whole(row["enabled"]) === 1,
    balance: big(row["balance"]),
    createdAtMs: whole(row["created_at_ms"]),
    lastSeenAtMs: wholeOrNull(row["last_seen_at_ms"]),
  }));
}

/** Whether there is no operator yet who could sign in. */
export async function needsSetup(tx: Tx): Promise<boolean> {
  return !(await operatorCanSignIn(tx));
}

/** A fresh set-up link while one is needed; those before it work no longer. Null where none is needed. */
export async function renewSetup(tx: Tx, ticket: NewTicket): Promise<{ expiresAtMs: number } | null> {
  await tx.run("delete from tickets where kind = 'setup'");
  if (!(await needsSetup(tx))) return null;
  await makeTicket(tx, ticket);
  return { expiresAtMs: ticket.expiresAtMs };
}

/** The newest invitation of an e-mail is the one that works. */
export async function invite(
  tx: Tx,
  { by, ...ticket }: NewTicket & { email: string; role: AccountRole; by: By },
): Promise<Ticket> {
  const email = ticket.email.toLowerCase();
  const known = await readPerson(tx, { email });
  if (known !== null) checkInvitable(known, ticket.role);
  await tx.run("delete from tickets where kind = 'invitation' and email = ?", email);
  await makeTicket(tx, { ...ticket, email, accountId: known?.account.id ?? null });
  const { balance } = JSON.parse(ticket.payload) as { balance?: string };
  await recordChange(tx, by, {
    ...{ noun: "invitation", name: email, id: ticket.id, action: "create" },
    fields: begun([
      ["role", ticket.role],
      ["balance", balance === undefined ? "" : formatUsd(BigInt(balance))],
      ["expires_at", new Date(ticket.expiresAtMs).toISOString()],
    ]),
  });
  return { ...ticket, email, createdAtMs: ticket.nowMs };
}

/** False where there is no such invitation, or no longer. */
export async function takeBackInvitation(
  tx: Tx,
  { id: ticketId, by }: { id: string; by: By },
): Promise<boolean> {
  const { nowMs } = by;
  const open = await listTickets(tx, { kind: "invitation", nowMs });
  const taken = open.find(one => one.id === ticketId);
  if (taken === undefined) return false;
  await endTicket(tx, { id: ticketId, kind: "invitation", nowMs });
  const name = taken.email ?? "";
  await recordChange(tx, by, { noun: "invitation", name, id: ticketId, action: "remove", fields: [] });
  return true;
}

function checkInvitable(known: Person, role: AccountRole): void {
  const { account } = known;
  if (canSignIn(known)) {
    throw new StoreProblem(
      `${account.email} has an account here and can sign in; make a reset link if the password is lost.`,
    );
  }
  if (!account.enabled) throw new StoreProblem(`The account ${account.email} is disabled; enable it first.`);
  if (account.role !== role) {
    throw new StoreProblem(
      `${account.email} has an account here already, as ${account.role}; invite as that, or change its role first.`,
    );
  }
}

export function canSignIn({ profile, passkeys, oidcIdentities }: Person): boolean {
  return profile.passwordHash !== null || passkeys > 0 || oidcIdentities > 0;
}

/** `own`: it takes the place of those of the same maker alone. */
export type NewReset = NewTicket & { accountId: Id<"acc">; replaces?: "all" | "own"; by: By };

/** The newest reset link of an account is the one that works. */
export async function makeReset(
  tx: Tx,
  { by, replaces = "all", ...ticket }: NewReset,
): Promise<Ticket | null> {
  const known = await readPerson(tx, { id: ticket.accountId });
  if (known === null) return null;
  const { account } = known;
  if (!account.enabled) throw new StoreProblem(`The account ${account.email} is disabled; enable it first.`);
  const makers = replaces === "own" ? [ticket.madeBy] : [];
  await tx.run(
    `delete from tickets where kind = 'reset' and account_id = ? ${makers.length === 0 ? "" : "and made_by = ?"}`,
    ...[account.id, ...makers],
  );
  const whole = { ...ticket, email: account.email, role: account.role };
  await makeTicket(tx, whole);
  const { endsTwoFactor } = JSON.parse(ticket.payload) as { endsTwoFactor?: true };
  const fields = begun([
    ["expires_at", new Date(ticket.expiresAtMs).toISOString()],
    ["ends_two_factor", endsTwoFactor === true ? "true" : ""],
  ]);
  await recordChange(tx, by, accountEntry(account, { action: "make reset link", fields }));
  return { ...whole, createdAtMs: ticket.nowMs };
}

export type LinkUse = {
  hash: string;
  /** What whoever uses it chose, where the link leaves it to them. */
  email: string | null;
  passwordHash: string;
  language: Language | null;
  accountId: Id<"acc">;
  ledgerId: Id<"led">;
  /** Whoever uses it; the record names them by the account that they get. */
  by: By;
};

/**
 * Uses a link, once: the account is made or found, and its password set. Null where the link does not work; where it
 * throws, the link stays unused.
 */
export async function useLink(tx: Tx, use: LinkUse): Promise<Person | null> {
  const { hash, by, passwordHash, language } = use;
  const { nowMs } = by;
  const ticket = await useTicket(tx, { hash, kinds: LINK_KINDS, nowMs });
  if (ticket === null) return null;
  const accountId = await accountOf(tx, ticket, use);
  if (accountId === null) return null;
  const before = await readPerson(tx, { id: accountId });
  await writePassword(tx, { accountId, passwordHash, keepSession: null, nowMs });
  const { endsTwoFactor } = JSON.parse(ticket.payload) as { endsTwoFactor?: true };
  const change = endsTwoFactor === true ? { totp: null, totpStep: null, recoveryCodes: [] } : {};
  await writeProfile(tx, { accountId, change: { ...change, ...(language === null ? {} : { language }) } });
  if (before === null) throw new Error("an account that was just made is not there");
  const isOff = endsTwoFactor === true && before.profile.totp !== null;
  const fields: Field[] = [
    ["link", "", ticket.kind],
    ["password", before.profile.passwordHash === null ? "" : SECRET_BEFORE, SECRET_AFTER],
    ...(isOff ? ([["two_factor", "on", "off"]] as const) : []),
  ];
  const self = { ...by, actor: before.account.email };
  await recordChange(tx, self, accountEntry(before.account, { action: "use link", fields }));
  return readPerson(tx, { id: accountId });
}

async function accountOf(tx: Tx, ticket: Ticket, use: LinkUse): Promise<Id<"acc"> | null> {
  if (ticket.kind === "reset") return resetAccount(tx, ticket);
  const isSetup = ticket.kind === "setup";
  if (isSetup && !(await needsSetup(tx))) return null;
  const email = (ticket.email ?? use.email ?? "").toLowerCase();
  const known = await readPerson(tx, { email });
  const role = ticket.role ?? "holder";
  if (known === null) return newAccount(tx, { ticket, email, role, use });
  if (isSetup && known.account.role !== "operator") {
    throw new StoreProblem(`${email} has an account here that is not an operator's; choose another e-mail.`);
  }
  if (!known.account.enabled || canSignIn(known)) {
    throw new StoreProblem(`${email} has an account here already: sign in with it, or ask for a reset link.`);
  }
  return known.account.id;
}

/** With the link that is used, every other one of the account ends: one change of the password is enough. */
async function resetAccount(tx: Tx, { accountId }: Ticket): Promise<Id<"acc"> | null> {
  const known = accountId === null ? null : await readPerson(tx, { id: accountId });
  if (known?.account.enabled !== true) return null;
  await tx.run(
    "delete from tickets where kind = 'reset' and account_id = ? and used_at_ms is null",
    known.account.id,
  );
  return known.account.id;
}

type Newcomer = { ticket: Ticket; email: string; role: AccountRole; use: LinkUse };

async function newAccount(tx: Tx, { ticket, email, role, use }: Newcomer): Promise<Id<"acc">> {
  const { balance } = JSON.parse(ticket.payload) as { balance?: string };
  const { accountId, ledgerId, by } = use;
  const openingBalance = BigInt(balance ?? "0");
  const made = { id: accountId, ledgerId, email, role, openingBalance };
  await makeAccount(tx, { ...made, actor: ticket.madeBy, by, invitedBy: ticket.madeBy });
  return accountId;
}

export type Registration = {
  accountId: Id<"acc">;
  ledgerId: Id<"led">;
  email: string;
  /** Null for whoever comes by the house's sign-in service. */
  passwordHash: string | null;
  language: Language | null;
  openingBalance: Nanos;
  /** Whoever comes; the record names them by the account that they get. */
  by: By;
};

/** Throws where the e-mail is taken: an account never changes hands by a registration. */
export async function register(tx: Tx, made: Registration): Promise<Person> {
  const { accountId, ledgerId, email, openingBalance, by, passwordHash, language } = made;
  const account = { id: accountId, ledgerId, email, role: "holder", openingBalance } as const;
  await makeAccount(tx, { ...account, actor: "registration", by, invitedBy: null });
  await writeProfile(tx, { accountId, change: { passwordHash, language } });
  const person = await readPerson(tx, { id: accountId });
  if (person === null) throw new Error("an account that was just made is not there");
  return person;
}

type Arrival = Omit<Parameters<typeof insertAccount>[1], "nowMs"> & { by: By; invitedBy: string | null };

/** An account that whoever gets it makes, by a link or by themselves. */
export async function makeAccount(tx: Tx, { by, invitedBy, ...made }: Arrival): Promise<void> {
  const account = await insertAccount(tx, { ...made, nowMs: by.nowMs });
  const fields = [...accountBegun(account), ...begun([["invited_by", invitedBy ?? ""]])];
  await recordChange(
    tx,
    { ...by, actor: account.email },
    accountEntry(account, { action: "create", fields }),
  );
}
