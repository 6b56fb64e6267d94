import { accountByEmail } from "./accounts.ts";
import { type ApplyContext, type KeySpec, noteCreated, noteDifference } from "./apply.ts";
import { createKey, editKey, type KeyLimits, liveKey } from "./keys.ts";
import { limitDifferences, usdOrNone } from "./limits.ts";
import { id, text } from "./rows.ts";

export async function applyKey(context: ApplyContext, spec: KeySpec, at: number): Promise<void> {
  const { tx } = context;
  const problem = (field: string, message: string) =>
    void context.problems.push({ path: ["keys", at, field], message });
  const account = await accountByEmail(tx, spec.email);
  const [group] = await tx.all("select id, name from groups where name = ?", spec.group);
  if (account === null) problem("account", `there is no account ${spec.email}`);
  if (group === undefined) problem("group", `there is no group “${spec.group}”`);
  if (account === null || group === undefined) return;

  const old = await liveKey(tx, { accountId: account.id, name: spec.name });
  const [holder] = await tx.all("select id, deleted_at_ms from keys where hash = ?", spec.secret.hash);
  if (holder !== undefined && text(holder["id"]) !== old?.id) {
    const deleted = holder["deleted_at_ms"] !== null;
    return problem(
      "key",
      deleted ? "this string belonged to a deleted key, which is final" : "this string is taken",
    );
  }
  if (old === null) {
    const { hash, preview, sealed } = spec.secret;
    await createKey(tx, { ...spec, hash, preview, sealed, nowMs: context.spec.nowMs });
    return noteCreated(context, { noun: "key", name: spec.name, id: spec.id });
  }
  if (spec.secret.custom && holder === undefined) {
    return problem(
      "key",
      `the string of “${spec.name}” cannot be changed: delete the key, or give this one another name`,
    );
  }
  const [oldGroup] = await tx.all("select name from groups where id = ?", old.groupId);
  const differs = noteDifference(context, { noun: "key", name: spec.name, id: old.id }, [
    ["group", text(oldGroup?.["name"]), spec.group],
    ...keyDifferences(old, spec),
  ]);
  if (differs) await editKey(tx, { ...spec, id: old.id, groupId: id("grp", group["id"]) });
}

function keyDifferences(old: KeyLimits, spec: KeyLimits): [string, string, string][] {
  const time = (ms: number | null) => (ms === null ? "never" : new Date(ms).toISOString());
  return [
    ["quota", usdOrNone(old.quota), usdOrNone(spec.quota)],
    ...limitDifferences(old, spec),
    ["expires_at", time(old.expiresAtMs), time(spec.expiresAtMs)],
  ];
}
