import type { Group } from "../domain/group.ts";
import { emailsOf } from "./account-names.ts";
import type { GroupSpec } from "./apply.ts";
import { applyOne, demandFreeName } from "./apply-one.ts";
import { type By, recordChange } from "./audit.ts";
import { bump } from "./catalogue.ts";
import { setAside } from "./removal.ts";
import { text, toGroup, toPlan, whole } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** A group as its operator sees it. */
export type GroupListing = Omit<Group, "accounts"> & {
  /** The e-mails of those who may use it; null is everybody. */
  accounts: readonly string[] | null;
  /** Those that are not deleted. */
  keys: number;
  /** How many accounts they belong to. */
  holders: number;
};

export async function listGroups(tx: Tx, _args: Record<string, never>): Promise<GroupListing[]> {
  const rows = await tx.all("select * from groups where removed_at_ms is null order by name");
  const counted = await tx.all(
    `select group_id, count(*) as keys, count(distinct account_id) as holders from keys
       where deleted_at_ms is null group by group_id`,
  );
  const counts = new Map(
    counted.map(row => [text(row["group_id"]), { keys: whole(row["keys"]), holders: whole(row["holders"]) }]),
  );
  const listings: GroupListing[] = [];
  for (const group of rows.map(toGroup)) {
    const emails = group.accounts === null ? null : await emailsOf(tx, group.accounts);
    const accounts = emails === null ? null : [...emails.values()].sort();
    listings.push({ ...group, accounts, ...(counts.get(group.id) ?? { keys: 0, holders: 0 }) });
  }
  return listings;
}

export async function createGroup(tx: Tx, { spec, by }: { spec: GroupSpec; by: By }): Promise<void> {
  await demandFreeName(tx, { table: "groups", name: spec.name });
  await applyOne(tx, by, { groups: [spec] });
}

export type GroupEdit = { id: string; change: Partial<Omit<GroupSpec, "id">>; by: By };

/** Changes what is given and leaves the rest; false where there is no such group. */
export async function editGroup(tx: Tx, { id: groupId, change, by }: GroupEdit): Promise<boolean> {
  const group = await groupById(tx, groupId);
  if (group === null) return false;
  const { name = group.name } = change;
  if (name !== group.name) await renameGroup(tx, { group, name, by });
  const kept = { description: null, accounts: null } as const;
  await applyOne(tx, by, { groups: [{ ...group, ...kept, ...change, name }] });
  return true;
}

/** Keys belong to it by its id; plans name it, so they are told. */
async function renameGroup(
  tx: Tx,
  { group, name, by }: { group: Group; name: string; by: By },
): Promise<void> {
  await demandFreeName(tx, { table: "groups", name });
  await tx.run("update groups set name = ? where id = ?", name, group.id);
  for (const plan of await plansNaming(tx, group.name)) {
    const groups = plan.groups.map(one => (one === group.name ? name : one));
    await tx.run("update plans set groups = ? where id = ?", JSON.stringify(groups), plan.id);
  }
  await bump(tx);
  const fields = [["name", group.name, name]] as const;
  await recordChange(tx, by, { noun: "group", name, id: group.id, action: "rename", fields });
}

async function plansNaming(tx: Tx, name: string) {
  const plans = (await tx.all("select * from plans order by name")).map(toPlan);
  return plans.filter(({ groups }) => groups.includes(name));
}

/** One that no key is in and no plan names; false where there is no such group. */
export async function removeGroup(tx: Tx, { id: groupId, by }: { id: string; by: By }): Promise<boolean> {
  const group = await groupById(tx, groupId);
  if (group === null) return false;
  const sql = "select count(*) as keys from keys where group_id = ? and deleted_at_ms is null";
  const [row] = await tx.all(sql, group.id);
  const keys = whole(row?.["keys"]);
  if (keys > 0) {
    const are = keys === 1 ? "One key is" : `${keys} keys are`;
    throw new StoreProblem(`${are} in the group “${group.name}”. Move them to another group, or disable it.`);
  }
  const sold = await tx.all("select * from plans where removed_at_ms is null order by name");
  const plan = sold.map(toPlan).find(({ groups }) => groups.includes(group.name));
  if (plan !== undefined) {
    throw new StoreProblem(
      `The plan “${plan.name}” pays for the group “${group.name}”. Take it out there first.`,
    );
  }
  await setAside(tx, { table: "groups", id: group.id, name: group.name, nowMs: by.nowMs });
  await bump(tx);
  await recordChange(tx, by, { noun: "group", name: group.name, id: group.id, action: "remove", fields: [] });
  return true;
}

async function groupById(tx: Tx, groupId: string): Promise<Group | null> {
  const [row] = await tx.all("select * from groups where id = ? and removed_at_ms is null", groupId);
  return row === undefined ? null : toGroup(row);
}
