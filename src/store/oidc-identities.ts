import type { Id } from "../domain/ids.ts";
import type { Nanos } from "../domain/money.ts";
import { type By, recordChange } from "./audit.ts";
import { accountEntry } from "./audit-entries.ts";
import { canSignIn, makeAccount, register } from "./people.ts";
import { type Person, readPerson, writeProfile } from "./profiles.ts";
import { id, text } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import { listTickets, type Ticket } from "./tickets.ts";
import type { Tx } from "./tx.ts";

/** Somebody of whom the house's sign-in service says who they are. */
export type OidcArrival = {
  issuer: string;
  subject: string;
  /** Verified, or null. */
  email: string | null;
  name: string;
  /** Who began it, where somebody was signed in then. */
  signedInAs: Id<"acc"> | null;
  /** Null: nobody makes an account by themselves. */
  openingBalance: Nanos | null;
  /** For an account that is made. */
  accountId: Id<"acc">;
  ledgerId: Id<"led">;
  /** Whoever comes; the record names them by their account. */
  by: By;
};

export type OidcRefusal =
  | "unverified_email"
  | "no_account"
  | "sign_in_first"
  | "disabled"
  | "other_account"
  | "other_email";

export type OidcOutcome = { person: Person } | { refused: OidcRefusal };

/**
 * Finds the account of an identity, or gives it one. An account that somebody can sign in to already is never handed
 * to whoever brings its e-mail: they sign in first, and connect the identity then.
 */
export async function arriveByOidc(tx: Tx, arrival: OidcArrival): Promise<OidcOutcome> {
  const { signedInAs } = arrival;
  const known = await personOf(tx, arrival);
  if (known !== null) {
    if (!known.account.enabled) return { refused: "disabled" };
    const isOther = signedInAs !== null && signedInAs !== known.account.id;
    return isOther ? { refused: "other_account" } : { person: known };
  }
  const { email } = arrival;
  if (email === null) return { refused: "unverified_email" };
  const holder = await readPerson(tx, { email });
  if (signedInAs !== null) {
    return holder?.account.id === signedInAs ? connect(tx, holder, arrival) : { refused: "other_email" };
  }
  if (holder === null) return newcomer(tx, { ...arrival, email });
  if (!holder.account.enabled) return { refused: "disabled" };
  if (canSignIn(holder)) return { refused: "sign_in_first" };
  return connect(tx, holder, arrival);
}

async function personOf(tx: Tx, { issuer, subject }: OidcArrival): Promise<Person | null> {
  const [row] = await tx.all(
    "select account_id from oidc_identities where issuer = ? and subject = ?",
    issuer,
    subject,
  );
  return row === undefined ? null : readPerson(tx, { id: id("acc", row["account_id"]) });
}

async function newcomer(tx: Tx, arrival: OidcArrival & { email: string }): Promise<OidcOutcome> {
  const invitation = await invitationOf(tx, arrival);
  const { accountId, ledgerId, email, openingBalance, by } = arrival;
  if (invitation !== null) {
    const { balance } = JSON.parse(invitation.payload) as { balance?: string };
    const made = { id: accountId, ledgerId, email, role: invitation.role ?? "holder" } as const;
    const opening = { openingBalance: BigInt(balance ?? "0"), actor: invitation.madeBy };
    await makeAccount(tx, { ...made, ...opening, by, invitedBy: invitation.madeBy });
  } else if (openingBalance !== null) {
    await register(tx, {
      accountId,
      ledgerId,
      email,
      passwordHash: null,
      language: null,
      openingBalance,
      by,
    });
  } else return { refused: "no_account" };
  await writeProfile(tx, { accountId, change: { name: arrival.name } });
  const person = await readPerson(tx, { id: accountId });
  if (person === null) throw new Error("an account that was just made is not there");
  return connect(tx, person, arrival);
}

async function invitationOf(tx: Tx, { email, by }: { email: string; by: By }): Promise<Ticket | null> {
  const open = await listTickets(tx, { kind: "invitation", nowMs: by.nowMs });
  return open.find(invitation => invitation.email === email) ?? null;
}

/** Whoever comes in by an identity needs no invitation any more. */
async function connect(tx: Tx, person: Person, arrival: OidcArrival): Promise<OidcOutcome> {
  const { id: accountId, email } = person.account;
  await tx.run(
    "insert into oidc_identities (issuer, subject, account_id, created_at_ms) values (?, ?, ?, ?)",
    ...[arrival.issuer, arrival.subject, accountId, arrival.by.nowMs],
  );
  await tx.run("delete from tickets where kind = 'invitation' and email = ?", email);
  const fields = [["sign_in_service", "", arrival.issuer]] as const;
  const self = { ...arrival.by, actor: email };
  await recordChange(tx, self, accountEntry(person.account, { action: "connect sign-in service", fields }));
  const connected = await readPerson(tx, { id: accountId });
  return { person: connected ?? person };
}

/** The last way to sign in stays. */
export async function disconnectOidc(
  tx: Tx,
  { accountId, by }: { accountId: Id<"acc">; by: By },
): Promise<void> {
  const person = await readPerson(tx, { id: accountId });
  if (person === null || person.oidcIdentities === 0) return;
  if (person.profile.passwordHash === null && person.passkeys === 0) {
    throw new StoreProblem(
      "The sign-in service is the only way to sign in to this account. Set a password or add a passkey first.",
    );
  }
  const [row] = await tx.all("select issuer from oidc_identities where account_id = ?", accountId);
  await tx.run("delete from oidc_identities where account_id = ?", accountId);
  const fields = [["sign_in_service", text(row?.["issuer"]), ""]] as const;
  await recordChange(tx, by, accountEntry(person.account, { action: "disconnect sign-in service", fields }));
}
