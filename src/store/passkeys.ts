import type { Id } from "../domain/ids.ts";
import { type By, recordChange } from "./audit.ts";
import { type Person, readPerson } from "./profiles.ts";
import { id, text, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import { useTicket as spendTicket } from "./tickets.ts";
import type { SqlRow, Tx } from "./tx.ts";

export const PASSKEYS_MAX = 20;

export type Passkey = {
  id: Id<"pkey">;
  accountId: Id<"acc">;
  credentialId: string;
  name: string;
  publicKey: Uint8Array;
  counter: number;
  transports: readonly string[];
  createdAtMs: number;
  lastUsedAtMs: number | null;
};

export type NewPasskey = Omit<Passkey, "createdAtMs" | "lastUsedAtMs"> & {
  ticketHash: string;
  by: By;
};

/** False where the ticket has run out. */
export async function addPasskey(tx: Tx, made: NewPasskey): Promise<boolean> {
  const { nowMs } = made.by;
  const ticket = await spendTicket(tx, { hash: made.ticketHash, kinds: ["passkey_add"], nowMs });
  if (ticket === null || ticket.accountId !== made.accountId) return false;
  const [known] = await tx.all("select id from passkeys where credential_id = ?", made.credentialId);
  if (known !== undefined) throw new StoreProblem("This passkey is kept already.");
  if ((await passkeysOf(tx, made)).length >= PASSKEYS_MAX) {
    throw new StoreProblem(
      `An account has at most ${PASSKEYS_MAX} passkeys. Remove one that is not used first.`,
    );
  }
  await tx.run(
    `insert into passkeys (id, account_id, credential_id, name, public_key, counter, transports, created_at_ms)
      values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[made.id, made.accountId, made.credentialId, made.name, made.publicKey, made.counter],
    ...[JSON.stringify(made.transports), nowMs],
  );
  await recordPasskey(tx, made.by, { passkey: made, action: "create" });
  return true;
}

export async function passkeysOf(tx: Tx, of: { accountId: Id<"acc"> }): Promise<Passkey[]> {
  return (await tx.all("select * from passkeys where account_id = ? order by id", of.accountId)).map(
    toPasskey,
  );
}

/** With whose it is. */
export type FoundPasskey = { passkey: Passkey; person: Person };

export async function findPasskey(tx: Tx, by: { credentialId: string }): Promise<FoundPasskey | null> {
  const [row] = await tx.all("select * from passkeys where credential_id = ?", by.credentialId);
  if (row === undefined) return null;
  const passkey = toPasskey(row);
  const person = await readPerson(tx, { id: passkey.accountId });
  return person === null ? null : { passkey, person };
}

export type PasskeyUse = {
  credentialId: string;
  /** As the authenticator says; zero where it does not count. */
  counter: number;
  ticketHash: string;
  ticketKind: "passkey_sign_in" | "passkey_confirm";
  nowMs: number;
};

/**
 * `ticket`: the challenge has run out or was answered. `copied`: the count does not go up, so there are two of what
 * should be one.
 */
export type PasskeyOutcome = "good" | "ticket" | "copied" | "gone";

export async function provePasskey(tx: Tx, use: PasskeyUse): Promise<PasskeyOutcome> {
  const { credentialId, counter, nowMs } = use;
  const ticket = await spendTicket(tx, { hash: use.ticketHash, kinds: [use.ticketKind], nowMs });
  if (ticket === null) return "ticket";
  const [row] = await tx.all("select * from passkeys where credential_id = ?", credentialId);
  if (row === undefined) return "gone";
  const passkey = toPasskey(row);
  if (ticket.accountId !== null && ticket.accountId !== passkey.accountId) return "gone";
  const counts = counter > 0 || passkey.counter > 0;
  if (counts && counter <= passkey.counter) return "copied";
  await tx.run(
    "update passkeys set counter = ?, last_used_at_ms = ? where id = ?",
    counter,
    nowMs,
    passkey.id,
  );
  return "good";
}

/** False where the account has no such passkey. The last way to sign in stays. */
export async function removePasskey(
  tx: Tx,
  change: { id: string; accountId: Id<"acc">; by: By },
): Promise<boolean> {
  const { accountId } = change;
  const kept = await passkeysOf(tx, { accountId });
  const passkey = kept.find(one => one.id === change.id);
  if (passkey === undefined) return false;
  if (kept.length === 1 && !(await hasAnotherWay(tx, accountId))) {
    throw new StoreProblem(
      "This passkey is the only way to sign in to this account. Set a password or add another passkey first.",
    );
  }
  await tx.run("delete from passkeys where id = ? and account_id = ?", change.id, accountId);
  await recordPasskey(tx, change.by, { passkey, action: "remove" });
  return true;
}

async function recordPasskey(
  tx: Tx,
  by: By,
  { passkey, action }: { passkey: Pick<Passkey, "id" | "accountId" | "name">; action: "create" | "remove" },
): Promise<void> {
  const { id: passkeyId, accountId, name } = passkey;
  const email = (await readPerson(tx, { id: accountId }))?.account.email ?? "";
  const account = action === "create" ? (["account", "", email] as const) : (["account", email, ""] as const);
  await recordChange(tx, by, { noun: "passkey", name, id: passkeyId, action, fields: [account] });
}

async function hasAnotherWay(tx: Tx, accountId: Id<"acc">): Promise<boolean> {
  const person = await readPerson(tx, { id: accountId });
  return person !== null && (person.profile.passwordHash !== null || person.oidcIdentities > 0);
}

function toPasskey(row: SqlRow): Passkey {
  const publicKey = row["public_key"];
  if (!(publicKey instanceof Uint8Array)) throw new Error("a passkey without its key");
  return {
    id: id("pkey", row["id"]),
    accountId: id("acc", row["account_id"]),
    credentialId: text(row["credential_id"]),
    name: text(row["name"]),
    publicKey,
    counter: whole(row["counter"]),
    transports: JSON.parse(text(row["transports"])) as string[],
    createdAtMs: whole(row["created_at_ms"]),
    lastUsedAtMs: wholeOrNull(row["last_used_at_ms"]),
  };
}
