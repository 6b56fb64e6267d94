import type { ApiKey } from "../domain/api-key.ts";
import { keyRefusal } from "../domain/decide.ts";
import type { Refusal } from "../domain/errors.ts";
import { mayUseGroup } from "../domain/group.ts";
import type { Id } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import type { Nanos } from "../domain/money.ts";
import type { PocketRows } from "../domain/pocket.ts";
import { type SpendWindow, windowKey } from "../domain/spend-window.ts";
import { demandAccount } from "./accounts.ts";
import { type By, recordChange } from "./audit.ts";
import { begun } from "./audit-entries.ts";
import { bump } from "./catalogue.ts";
import { describeKey, keyEntry } from "./keys-audit.ts";
import { demandFreeString, REPLACED_BY_HASH } from "./keys-replaced.ts";
import { LIMIT_CHANGES, LIMIT_COLUMNS, LIMIT_PLACES, limitValues } from "./limits.ts";
import { subscriptionsOf } from "./plans.ts";
import { flag, text, toAccount, toGroup, toKey, toWindow, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlValue, Tx } from "./tx.ts";

const KEYS_PER_QUERY_MAX = 500;

export type KeyLimits = Limits & { quota: Nanos | null; expiresAtMs: number | null };

/** What is kept of a key's string: enough to know it again, and a sealed copy where the operator allows one. */
export type KeySecret = { hash: string; preview: string; sealed: Uint8Array | null };

export type NewKey = KeyLimits &
  KeySecret & {
    id: Id<"key">;
    email: string;
    name: string;
    group: string;
    by: By;
    /** How many keys the account may have that are not deleted; absent for the operator. */
    keysMax?: number;
  };

export type KeyListing = ApiKey & {
  email: string;
  group: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
};

/** A key with all that decides on its requests. */
export type KeyHolder = PocketRows;

export async function createKey(tx: Tx, made: NewKey): Promise<ApiKey> {
  const key = await insertKey(tx, made);
  const fields = begun(describeKey({ ...key, group: made.group }));
  await recordChange(tx, made.by, await keyEntry(tx, key, { action: "create", fields }));
  return key;
}

/** Of which whoever calls keeps the record. */
export async function insertKey(tx: Tx, made: NewKey): Promise<ApiKey> {
  const account = await demandAccount(tx, made.email);
  const [row] = await tx.all("select * from groups where name = ?", made.group);
  // A group that is for others is told exactly as one that does not exist.
  const group = row === undefined ? null : toGroup(row);
  if (group === null || !mayUseGroup(group, account.id)) {
    throw new StoreProblem(`There is no group “${made.group}”.`, { field: "group" });
  }
  if ((await liveKey(tx, { accountId: account.id, name: made.name })) !== null) {
    throw nameTaken(made);
  }
  await demandFreeString(tx, made.hash);
  if (made.keysMax !== undefined) await demandRoom(tx, account.id, made.keysMax);
  await tx.run(
    `insert into keys (id, account_id, group_id, name, hash, sealed, preview, enabled, created_at_ms, expires_at_ms,
       quota, spent, held, open, arrival_ns, token_arrival_ns, ${LIMIT_COLUMNS})
     values (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 0, 0, 0, 0, 0, ${LIMIT_PLACES})`,
    ...[made.id, account.id, group.id, made.name, made.hash, made.sealed, made.preview, made.by.nowMs],
    ...[made.expiresAtMs, made.quota, ...limitValues(made)],
  );
  return demandKey(tx, made.id);
}

async function demandRoom(tx: Tx, accountId: Id<"acc">, keysMax: number): Promise<void> {
  const sql = "select count(*) as keys from keys where account_id = ? and deleted_at_ms is null";
  const [row] = await tx.all(sql, accountId);
  if (whole(row?.["keys"]) < keysMax) return;
  throw new StoreProblem(`An account has at most ${keysMax} keys. Delete one that is not used any more.`);
}

export function nameTaken({ email, name }: { email: string; name: string }): StoreProblem {
  return new StoreProblem(`${email} has a key “${name}” already.`, { field: "name" });
}

export async function liveKey(tx: Tx, named: { accountId: Id<"acc">; name: string }): Promise<ApiKey | null> {
  const sql = "select * from keys where account_id = ? and name = ? and deleted_at_ms is null";
  const [row] = await tx.all(sql, named.accountId, named.name);
  return row === undefined ? null : toKey(row);
}

export type KeyEdit = { id: Id<"key">; groupId: Id<"grp"> } & KeyLimits;

export async function editKey(tx: Tx, edit: KeyEdit): Promise<void> {
  await tx.run(
    `update keys set group_id = ?, quota = ?, expires_at_ms = ?, ${LIMIT_CHANGES} where id = ?`,
    ...[edit.groupId, edit.quota, edit.expiresAtMs, ...limitValues(edit), edit.id],
  );
  await bump(tx);
}

export async function enableKey(
  tx: Tx,
  { id, enabled, by }: { id: string; enabled: boolean; by: By },
): Promise<ApiKey> {
  const key = await demandKey(tx, id);
  if (key.deletedAtMs !== null) throw new StoreProblem(`The key ${key.id} is deleted, which is final.`);
  if (key.enabled === enabled) return key;
  await tx.run("update keys set enabled = ? where id = ?", flag(enabled), key.id);
  await bump(tx);
  const fields = [["enabled", String(key.enabled), String(enabled)]] as const;
  await recordChange(tx, by, await keyEntry(tx, key, { action: enabled ? "enable" : "disable", fields }));
  return { ...key, enabled };
}

/** The row stays, so that its usage stays attributed to it; the sealed copy goes. */
export async function deleteKey(tx: Tx, { id, by }: { id: string; by: By }): Promise<ApiKey> {
  const key = await demandKey(tx, id);
  if (key.deletedAtMs !== null) return key;
  await tx.run("update keys set deleted_at_ms = ?, sealed = null where id = ?", by.nowMs, key.id);
  await bump(tx);
  await recordChange(tx, by, await keyEntry(tx, key, { action: "delete", fields: [] }));
  return { ...key, deletedAtMs: by.nowMs };
}

export async function listKeys(tx: Tx, filter: { email: string | null }): Promise<KeyListing[]> {
  const where = filter.email === null ? "" : "where accounts.email = ?";
  const params: SqlValue[] = filter.email === null ? [] : [filter.email.toLowerCase()];
  const rows = await tx.all(
    `select keys.*, accounts.email as email, groups.name as group_name from keys
       join accounts on accounts.id = keys.account_id join groups on groups.id = keys.group_id
       ${where} order by keys.id`,
    ...params,
  );
  return rows.map(row => ({
    ...toKey(row),
    email: text(row["email"]),
    group: text(row["group_name"]),
    createdAtMs: Number(row["created_at_ms"]),
    lastUsedAtMs: wholeOrNull(row["last_used_at_ms"]),
  }));
}

export async function keyHolder(tx: Tx, lookup: { hash: string }): Promise<KeyHolder | null> {
  const [present] = await tx.all("select * from keys where hash = ?", lookup.hash);
  const [replaced] = present === undefined ? await tx.all(REPLACED_BY_HASH, lookup.hash) : [];
  const keyRow = present ?? replaced;
  if (keyRow === undefined) return null;
  const key = toKey(keyRow);
  const [account] = await tx.all("select * from accounts where id = ?", key.accountId);
  const [group] = await tx.all("select * from groups where id = ?", key.groupId);
  if (account === undefined || group === undefined) throw new Error("a key without account or group");
  const subscriptions = await subscriptionsOf(tx, key.accountId);
  const windows = new Map<string, SpendWindow>();
  for (const ownerId of [key.id, key.accountId, ...subscriptions.map(({ id }) => id)]) {
    const rows = await tx.all("select * from windows where owner_id = ?", ownerId);
    for (const window of rows.map(toWindow)) windows.set(windowKey(window), window);
  }
  const holder = { key, account: toAccount(account), group: toGroup(group), subscriptions, windows };
  return replaced === undefined ? holder : { ...holder, stringUntilMs: whole(replaced["until_ms"]) };
}

export type StoppedKey = { id: Id<"key">; refusal: Refusal };

/** Of the keys that have requests running, those that may run no longer, and why. */
export async function stoppedKeys(
  tx: Tx,
  running: { ids: readonly Id<"key">[]; nowMs: number },
): Promise<StoppedKey[]> {
  const stopped: StoppedKey[] = [];
  for (let from = 0; from < running.ids.length; from += KEYS_PER_QUERY_MAX) {
    const ids = running.ids.slice(from, from + KEYS_PER_QUERY_MAX);
    const keys = await tx.all(`select * from keys where id in (${ids.map(() => "?").join(", ")})`, ...ids);
    for (const key of keys.map(toKey)) {
      const [account] = await tx.all("select * from accounts where id = ?", key.accountId);
      const refused =
        account === undefined ? null : keyRefusal({ key, account: toAccount(account) }, running.nowMs);
      if (refused !== null) stopped.push({ id: key.id, refusal: refused });
    }
  }
  return stopped;
}

export async function demandKey(tx: Tx, keyId: string): Promise<ApiKey> {
  const [row] = await tx.all("select * from keys where id = ?", keyId);
  if (row === undefined) throw new StoreProblem(`There is no key ${keyId}.`);
  return toKey(row);
}
