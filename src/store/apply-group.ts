import { createHash } from "node:crypto";
import type { Group } from "../domain/group.ts";
import type { Id } from "../domain/ids.ts";
import { accountsOf, emailsOf } from "./account-names.ts";
import { type ApplyContext, type GroupSpec, noteCreated, noteDifference } from "./apply.ts";
import { changed, paired } from "./audit-entries.ts";
import { describeLimits, LIMIT_CHANGES, LIMIT_COLUMNS, LIMIT_PLACES, limitValues } from "./limits.ts";
import { flag, toGroup } from "./rows.ts";
import type { Tx } from "./tx.ts";

const LISTED_MAX = 50;

export async function applyGroup(context: ApplyContext, spec: GroupSpec): Promise<void> {
  const { tx } = context;
  const [row] = await tx.all("select * from groups where name = ?", spec.name);
  const old = row === undefined ? null : toGroup(row);
  const description = spec.description ?? old?.description ?? "";
  const values = [
    ...[flag(spec.enabled), spec.multiplier, JSON.stringify(spec.models), spec.billing, description],
    ...limitValues(spec.limits),
  ];
  const described = describeGroup({ ...spec, description });
  if (old === null) {
    await tx.run(
      `insert into groups (enabled, multiplier, models, billing, description, ${LIMIT_COLUMNS}, id, name)
         values (?, ?, ?, ?, ?, ${LIMIT_PLACES}, ?, ?)`,
      ...values,
      ...[spec.id, spec.name],
    );
    return noteCreated(context, { noun: "group", name: spec.name, id: spec.id }, described);
  }
  const thing = { noun: "group", name: spec.name, id: old.id } as const;
  if (!noteDifference(context, thing, paired(describeGroup(old), described))) return;
  await tx.run(
    `update groups set enabled = ?, multiplier = ?, models = ?, billing = ?, description = ?, ${LIMIT_CHANGES}
       where id = ?`,
    ...values,
    old.id,
  );
}

/** As the apply file names them; who may use it stands apart, since the accounts come after the groups. */
function describeGroup(group: Omit<Group, "id" | "name" | "accounts">): [string, string][] {
  return [
    ["description", group.description],
    ["enabled", String(group.enabled)],
    ["multiplier", String(group.multiplier / 10_000)],
    ["models", group.models.join(", ")],
    ["billing", group.billing],
    ...describeLimits(group.limits),
  ];
}

/** Who may use it; runs when all accounts of the file are there. */
export async function applyGroupAccess(context: ApplyContext, spec: GroupSpec, at: number): Promise<void> {
  const { tx } = context;
  if (spec.accounts === null) return;
  const [row] = await tx.all("select * from groups where name = ?", spec.name);
  if (row === undefined) return;
  const group = toGroup(row);
  const chosen = spec.accounts === "all" ? null : await accountIds(context, spec.accounts, at);
  const field = ["accounts", await described(tx, group.accounts), await described(tx, chosen)] as const;
  if (changed([field]).length === 0) return;
  noteMore(context, group, field);
  await tx.run(
    "update groups set accounts = ? where id = ?",
    chosen === null ? null : JSON.stringify([...chosen]),
    group.id,
  );
}

async function accountIds(
  context: ApplyContext,
  emails: readonly string[],
  at: number,
): Promise<ReadonlySet<Id<"acc">>> {
  const known = await accountsOf(context.tx, emails);
  for (const [place, email] of emails.entries()) {
    if (known.has(email.toLowerCase())) continue;
    const path = ["groups", at, "accounts", place];
    context.problems.push({ path, message: `there is no account ${email}` });
  }
  return new Set(known.values());
}

/** As a person reads who may use a group; of many, enough to tell them from others. */
async function described(tx: Tx, ids: ReadonlySet<Id<"acc">> | null): Promise<string> {
  if (ids === null) return "all";
  const emails = [...(await emailsOf(tx, ids)).values()].sort();
  if (emails.length === 0) return "nobody";
  if (emails.length <= LISTED_MAX) return emails.join(", ");
  const digest = createHash("sha256").update(emails.join(" ")).digest("hex").slice(0, 8);
  const listed = emails.slice(0, LISTED_MAX).join(", ");
  return `${listed} and ${emails.length - LISTED_MAX} more (${digest})`;
}

/** One change of a group is told once, whatever it is made of. */
function noteMore(
  context: ApplyContext,
  group: Pick<Group, "id" | "name">,
  field: readonly [string, string, string],
): void {
  const at = context.changes.findIndex(
    ({ noun, id: changedId }) => noun === "group" && changedId === group.id,
  );
  const noted = context.changes[at];
  if (noted === undefined) {
    noteDifference(context, { noun: "group", name: group.name, id: group.id }, [field]);
    return;
  }
  const [name, before, after] = field;
  const told = noted.action === "create" ? ([name, "", after] as const) : ([name, before, after] as const);
  context.changes[at] = { ...noted, fields: [...noted.fields, told] };
}
