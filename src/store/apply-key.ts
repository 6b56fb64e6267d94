import { mayUseGroup } from "../domain/group.ts";
import { accountByEmail } from "./accounts.ts";
import { type ApplyContext, type KeySpec, noteCreated, noteDifference } from "./apply.ts";
import { paired } from "./audit-entries.ts";
import { editKey, insertKey, liveKey } from "./keys.ts";
import { describeKey, groupName } from "./keys-audit.ts";
import { isReplaced } from "./keys-replaced.ts";
import { text, toGroup } from "./rows.ts";

export async function applyKey(context: ApplyContext, spec: KeySpec, at: number): Promise<void> {
  const { tx } = context;
  const problem = (field: string, message: string) =>
    void context.problems.push({ path: ["keys", at, field], message });
  const account = await accountByEmail(tx, spec.email);
  const [row] = await tx.all("select * from groups where name = ?", spec.group);
  const group = row === undefined ? null : toGroup(row);
  if (account === null) problem("account", `there is no account ${spec.email}`);
  if (group === null) problem("group", `there is no group “${spec.group}”`);
  if (account === null || group === null) return;
  if (!mayUseGroup(group, account.id)) {
    return problem("group", `the group “${spec.group}” is not for ${spec.email}: add it to its accounts`);
  }

  const old = await liveKey(tx, { accountId: account.id, name: spec.name });
  const [holder] = await tx.all("select id, deleted_at_ms from keys where hash = ?", spec.secret.hash);
  if (holder !== undefined && text(holder["id"]) !== old?.id) {
    const deleted = holder["deleted_at_ms"] !== null;
    return problem(
      "key",
      deleted ? "this string belonged to a deleted key, which is final" : "this string is taken",
    );
  }
  const isRotatedAway = holder === undefined && (await isReplaced(tx, spec.secret.hash));
  if (isRotatedAway && (old === null || spec.secret.custom)) {
    return problem(
      "key",
      "this string has been replaced by rotation, which is final: take it out of the file",
    );
  }
  const thing = { noun: "key", name: spec.name, id: old?.id ?? spec.id } as const;
  if (old === null) {
    const { hash, preview, sealed } = spec.secret;
    await insertKey(tx, { ...spec, hash, preview, sealed, by: context.spec.by });
    return noteCreated(context, thing, describeKey(spec));
  }
  if (spec.secret.custom && holder === undefined) {
    return problem(
      "key",
      `the string of “${spec.name}” cannot be changed: delete the key, or give this one another name`,
    );
  }
  const before = describeKey({ ...old, group: await groupName(tx, old.groupId) });
  const differs = noteDifference(context, thing, paired(before, describeKey(spec)));
  if (differs) await editKey(tx, { ...spec, id: old.id, groupId: group.id });
}
