import type { ApiKey } from "../domain/api-key.ts";
import { type Billing, type Group, mayUseGroup } from "../domain/group.ts";
import type { Id } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import type { Nanos } from "../domain/money.ts";
import { type By, recordChange } from "./audit.ts";
import { changed, paired } from "./audit-entries.ts";
import { editKey, liveKey, nameTaken } from "./keys.ts";
import { describeKey, groupName, keyEntry } from "./keys-audit.ts";
import { id, text, toGroup, toKey, whole, wholeOrNull } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";

/** A key as its holder sees it. */
export type HeldKey = ApiKey & {
  group: Pick<Group, "id" | "name" | "enabled" | "multiplier" | "billing">;
  createdAtMs: number;
  /** Of the newest request, a refused one too. */
  lastUsed: { atMs: number; tool: string; address: string } | null;
  isSealed: boolean;
  /** Until when a string from before the last rotation works; null where none does. */
  oldStringUntilMs: number | null;
};

type Whose = { accountId: Id<"acc">; nowMs: number };

/** One step in the index of the key's usage, however many rows there are; a join would let PostgreSQL read them all. */
function newest(column: string): string {
  return `(select usage.${column} from usage where usage.key_id = keys.id order by usage.id desc limit 1)`;
}

const HELD_KEYS = `select keys.*, groups.name as group_name, groups.enabled as group_enabled,
    groups.multiplier as group_multiplier, groups.billing as group_billing,
    ${newest("started_at_ms")} as used_at_ms, ${newest("tool")} as used_tool, ${newest("address")} as used_address,
    (select max(until_ms) from replaced_strings
      where replaced_strings.key_id = keys.id and replaced_strings.until_ms > ?) as old_until_ms
  from keys join groups on groups.id = keys.group_id where keys.account_id = ?`;

/** A script that makes and deletes keys must not make the page of its holder slow. */
const DELETED_KEYS_MAX = 200;

/** All, and of those that are deleted the newest, by age. */
export async function keysOfAccount(tx: Tx, { accountId, nowMs }: Whose): Promise<HeldKey[]> {
  const sql = `${HELD_KEYS} and (keys.deleted_at_ms is null or keys.id in
    (select id from keys where account_id = ? and deleted_at_ms is not null order by id desc limit ?))
    order by keys.id`;
  return (await tx.all(sql, nowMs, accountId, accountId, DELETED_KEYS_MAX)).map(toHeldKey);
}

/** Null for somebody else's key, as for one that does not exist. */
export async function keyOfAccount(tx: Tx, whose: Whose & { id: string }): Promise<HeldKey | null> {
  const [row] = await tx.all(`${HELD_KEYS} and keys.id = ?`, whose.nowMs, whose.accountId, whose.id);
  return row === undefined ? null : toHeldKey(row);
}

/** The sealed copy of its string, with what it is bound to. */
export async function sealedCopy(
  tx: Tx,
  whose: { accountId: Id<"acc">; id: string },
): Promise<{ hash: string; sealed: Uint8Array | null } | null> {
  const sql = "select hash, sealed from keys where id = ? and account_id = ?";
  const [row] = await tx.all(sql, whose.id, whose.accountId);
  if (row === undefined) return null;
  const sealed = row["sealed"];
  return { hash: text(row["hash"]), sealed: sealed instanceof Uint8Array ? sealed : null };
}

export type KeyChange = {
  id: string;
  accountId: Id<"acc">;
  email: string;
  name?: string;
  groupId?: Id<"grp">;
  quota?: Nanos | null;
  expiresAtMs?: number | null;
  limits: Partial<Limits>;
  by: By;
};

/** Changes what is given and leaves the rest; false where the account has no such key. */
export async function changeKey(tx: Tx, change: KeyChange): Promise<boolean> {
  const sql = `select * from keys where id = ? and account_id = ?${tx.forUpdate}`;
  const [row] = await tx.all(sql, change.id, change.accountId);
  if (row === undefined) return false;
  const key = toKey(row);
  if (key.deletedAtMs !== null) throw new StoreProblem(`The key “${key.name}” is deleted, which is final.`);
  const { name = key.name, groupId = key.groupId, quota = key.quota, expiresAtMs = key.expiresAtMs } = change;
  if (groupId !== key.groupId) await demandGroup(tx, { groupId, accountId: key.accountId });
  if (name !== key.name) await rename(tx, { key, name, email: change.email });
  const after = { ...key, ...change.limits, id: key.id, groupId, quota, expiresAtMs };
  await editKey(tx, after);
  const described = paired(
    describeKey({ ...key, group: await groupName(tx, key.groupId) }),
    describeKey({ ...after, group: await groupName(tx, groupId) }),
  );
  const fields = changed([["name", key.name, name], ...described]);
  if (fields.length === 0) return true;
  await recordChange(tx, change.by, await keyEntry(tx, { ...key, name }, { action: "update", fields }));
  return true;
}

async function rename(tx: Tx, { key, name, email }: { key: ApiKey; name: string; email: string }) {
  if ((await liveKey(tx, { accountId: key.accountId, name })) !== null) throw nameTaken({ email, name });
  await tx.run("update keys set name = ? where id = ?", name, key.id);
}

async function demandGroup(
  tx: Tx,
  { groupId, accountId }: { groupId: Id<"grp">; accountId: Id<"acc"> },
): Promise<void> {
  const [row] = await tx.all("select * from groups where id = ?", groupId);
  if (row !== undefined && mayUseGroup(toGroup(row), accountId)) return;
  throw new StoreProblem("This group is no longer there.", { field: "group" });
}

function toHeldKey(row: SqlRow): HeldKey {
  return {
    ...toKey(row),
    group: {
      id: id("grp", row["group_id"]),
      name: text(row["group_name"]),
      enabled: whole(row["group_enabled"]) === 1,
      multiplier: whole(row["group_multiplier"]),
      billing: text(row["group_billing"]) as Billing,
    },
    createdAtMs: whole(row["created_at_ms"]),
    lastUsed: lastUsed(row["used_at_ms"], row),
    isSealed: row["sealed"] !== null,
    oldStringUntilMs: wholeOrNull(row["old_until_ms"]),
  };
}

function lastUsed(atMs: SqlValue | undefined, row: SqlRow): HeldKey["lastUsed"] {
  if (atMs === null || atMs === undefined) return null;
  return { atMs: whole(atMs), tool: text(row["used_tool"]), address: text(row["used_address"]) };
}
