import type { Account } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import type { Nanos } from "../domain/money.ts";
import { type By, recordChange } from "./audit.ts";
import { accountEntry, changed, SECRET_AFTER, SECRET_BEFORE } from "./audit-entries.ts";
import { usdOrNone } from "./limits.ts";
import { bigOrNull, text, textOrNull, toAccount, whole, wholeOrNull } from "./rows.ts";
import { endSessions } from "./sessions.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";

export type Language = "en" | "zh";
export type Theme = "system" | "light" | "dark";

/** Who an account holder is to the console. */
export type Profile = {
  name: string;
  passwordHash: string | null;
  /** The sealed secret of the authenticator app, where two-factor is on. */
  totp: Uint8Array | null;
  /** The last step of it that was used, so that a code works once. */
  totpStep: number | null;
  /** Hashes of those that are left. */
  recoveryCodes: readonly string[];
  language: Language | null;
  theme: Theme;
  lowBalance: Nanos | null;
};

export type Person = {
  account: Account;
  createdAtMs: number;
  /** As it is without a row where they have not been in the console yet. */
  profile: Profile;
  passkeys: number;
  oidcIdentities: number;
};

const PERSON = `select accounts.*, profiles.name as profile_name, profiles.password_hash as password_hash,
    profiles.totp as totp, profiles.totp_step as totp_step, profiles.recovery_codes as recovery_codes,
    profiles.language as language, profiles.theme as theme, profiles.low_balance as low_balance,
    (select count(*) from passkeys where passkeys.account_id = accounts.id) as passkeys,
    (select count(*) from oidc_identities where oidc_identities.account_id = accounts.id) as oidc_identities
  from accounts left join profiles on profiles.account_id = accounts.id`;

export async function readPerson(tx: Tx, by: { email: string } | { id: Id<"acc"> }): Promise<Person | null> {
  const [row] =
    "email" in by
      ? await tx.all(`${PERSON} where accounts.email = ?`, by.email.toLowerCase())
      : await tx.all(`${PERSON} where accounts.id = ?`, by.id);
  return row === undefined ? null : toPerson(row);
}

/** Who wants to sign in, and whether they have been signed in from there before. */
export async function personAtTheDoor(
  tx: Tx,
  at: { email: string; address: string },
): Promise<{ person: Person | null; isKnownAddress: boolean }> {
  const person = await readPerson(tx, at);
  const [row] = await tx.all(
    "select count(*) as count from sessions where account_id = ? and address = ?",
    person?.account.id ?? "",
    at.address,
  );
  return { person, isKnownAddress: whole(row?.["count"]) > 0 };
}

export type ProfileChange = { accountId: Id<"acc">; change: Partial<Profile> };

const COLUMNS: Record<keyof Profile, string> = {
  name: "name",
  passwordHash: "password_hash",
  totp: "totp",
  totpStep: "totp_step",
  recoveryCodes: "recovery_codes",
  language: "language",
  theme: "theme",
  lowBalance: "low_balance",
};

/** What they say of themselves and how they want the console; what it looks like to them is nobody's concern. */
export async function changeProfile(
  tx: Tx,
  { accountId, change, by }: ProfileChange & { by: By },
): Promise<void> {
  const before = await readPerson(tx, { id: accountId });
  await writeProfile(tx, { accountId, change });
  if (before === null) return;
  const { account, profile } = before;
  const after = { ...profile, ...change };
  const fields = changed([
    ["name", profile.name, after.name],
    ["low_balance", usdOrNone(profile.lowBalance), usdOrNone(after.lowBalance)],
  ]);
  if (fields.length > 0) await recordChange(tx, by, accountEntry(account, { action: "update", fields }));
}

/** What is not named stays as it is; of which whoever calls keeps the record. */
export async function writeProfile(tx: Tx, { accountId, change }: ProfileChange): Promise<void> {
  await tx.run(
    `insert into profiles (account_id, name, recovery_codes, theme) values (?, '', '[]', 'system')
      on conflict (account_id) do nothing`,
    accountId,
  );
  for (const [field, value] of Object.entries(change) as [keyof Profile, Profile[keyof Profile]][]) {
    if (value === undefined) continue;
    const column = COLUMNS[field];
    await tx.run(`update profiles set ${column} = ? where account_id = ?`, stored(value), accountId);
  }
}

function stored(value: Profile[keyof Profile]): SqlValue {
  if (value === null || value instanceof Uint8Array) return value;
  return typeof value === "object" ? JSON.stringify(value) : value;
}

export type PasswordChange = {
  accountId: Id<"acc">;
  passwordHash: string;
  /** Every other one is over. */
  keepSession: Id<"ses"> | null;
  nowMs: number;
};

export async function setPassword(
  tx: Tx,
  { by, ...change }: Omit<PasswordChange, "nowMs"> & { by: By },
): Promise<void> {
  const before = await readPerson(tx, { id: change.accountId });
  await writePassword(tx, { ...change, nowMs: by.nowMs });
  if (before === null) return;
  const isFirst = before.profile.passwordHash === null;
  const fields = [["password", isFirst ? "" : SECRET_BEFORE, SECRET_AFTER]] as const;
  await recordChange(tx, by, accountEntry(before.account, { action: "set password", fields }));
}

export async function writePassword(tx: Tx, change: PasswordChange): Promise<void> {
  const { accountId, passwordHash, keepSession, nowMs } = change;
  await writeProfile(tx, { accountId, change: { passwordHash } });
  await endSessions(tx, { accountId, except: keepSession, nowMs });
}

/** False where that step, or a later one, was used before: a code works once. */
export async function takeTotpStep(
  tx: Tx,
  { accountId, step }: { accountId: Id<"acc">; step: number },
): Promise<boolean> {
  const person = await readPerson(tx, { id: accountId });
  const last = person?.profile.totpStep ?? null;
  if (person === null || (last !== null && last >= step)) return false;
  await writeProfile(tx, { accountId, change: { totpStep: step } });
  return true;
}

/** False where there is no such code, or no longer. */
export async function takeRecoveryCode(
  tx: Tx,
  { accountId, hash }: { accountId: Id<"acc">; hash: string },
): Promise<boolean> {
  const left = (await readPerson(tx, { id: accountId }))?.profile.recoveryCodes ?? [];
  if (!left.includes(hash)) return false;
  const recoveryCodes = left.filter(code => code !== hash);
  await writeProfile(tx, { accountId, change: { recoveryCodes } });
  return true;
}

export function toPerson(row: SqlRow): Person {
  const totp = row["totp"];
  return {
    account: toAccount(row),
    createdAtMs: whole(row["created_at_ms"]),
    profile: {
      name: text(row["profile_name"]),
      passwordHash: textOrNull(row["password_hash"]),
      totp: totp instanceof Uint8Array ? totp : null,
      totpStep: wholeOrNull(row["totp_step"]),
      recoveryCodes: JSON.parse(textOrNull(row["recovery_codes"]) ?? "[]") as string[],
      language: textOrNull(row["language"]) as Language | null,
      theme: (textOrNull(row["theme"]) ?? "system") as Theme,
      lowBalance: bigOrNull(row["low_balance"]),
    },
    passkeys: whole(row["passkeys"]),
    oidcIdentities: whole(row["oidc_identities"]),
  };
}
