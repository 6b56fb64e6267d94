import { type SettingKey, settingKey, settingName, settings } from "../domain/settings.ts";
import {
  conflicts,
  hasOidc,
  houseSettings,
  type SettingSources,
  type SettingTexts,
  settingText,
} from "../domain/settings-house.ts";
import { readLogo } from "../domain/settings-logo.ts";
import { type By, type Recorded, recordChange, recordChanges } from "./audit.ts";
import { bump } from "./catalogue.ts";
import { operatorCanSignIn } from "./last-operator.ts";
import { text, whole } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** As it stands in the database: a secret is sealed, and its value is empty. */
export type StoredSetting = { name: string; value: string; sealed: Uint8Array | null };

export async function readStored(tx: Tx, _args: Record<string, never>): Promise<StoredSetting[]> {
  const rows = await tx.all("select name, value, sealed from settings order by name");
  return rows.map(row => {
    const sealed = row["sealed"];
    return {
      name: text(row["name"]),
      value: text(row["value"]),
      sealed: sealed instanceof Uint8Array ? sealed : null,
    };
  });
}

/** A new value, sealed where it is a secret; without either it is as it began. */
export type SettingChange = { key: SettingKey; value: string | null; sealed: Uint8Array | null };

export type SettingsChange = {
  changes: readonly SettingChange[];
  /** By the environment; of a secret it is enough that there is one. */
  fixed: SettingTexts;
  by: By;
};

/** What is wrong with a setting, after its name. */
export type SettingProblem = { key: SettingKey; problem: string };

/** What stands for a secret where only its being there counts. */
export const SECRET_IS_SET = "set";
const SECRET_IS_NOT_SET = "not set";

/** All or none: what does not hold together with the rest, as it is now, is named and nothing is changed. */
export async function changeSettings(
  tx: Tx,
  { changes, fixed, by }: SettingsChange,
): Promise<readonly SettingProblem[]> {
  const before: SettingSources = { fixed, stored: textsOf(await readStored(tx, {})) };
  const real = changes.filter(change => isReal(change, before.stored));
  if (real.length === 0) return [];
  const after: SettingSources = { fixed, stored: changed(before.stored, real) };
  const problems = [...conflicting(after, real), ...(await lockedOut(tx, before, after))];
  if (problems.length > 0) return problems;
  for (const change of real) await write(tx, change, by.nowMs);
  await recordChanges(
    tx,
    by,
    real.map(({ key, value }) => entry(key, { isReset: value === null, before, after })),
  );
  await bump(tx);
  return [];
}

function textsOf(rows: readonly StoredSetting[]): SettingTexts {
  const found = rows.flatMap(({ name, value, sealed }): [SettingKey, string][] => {
    const key = settingKey(name);
    if (key === null) return [];
    return [[key, sealed === null ? value : SECRET_IS_SET]];
  });
  return Object.fromEntries(found);
}

/** A secret that is given is a new one: nobody here could tell it from the old. */
function isReal({ key, value, sealed }: SettingChange, stored: SettingTexts): boolean {
  return sealed !== null || (value ?? undefined) !== stored[key];
}

function changed(stored: SettingTexts, changes: readonly SettingChange[]): SettingTexts {
  const texts: Partial<Record<SettingKey, string>> = { ...stored };
  for (const { key, value, sealed } of changes) {
    if (value === null) delete texts[key];
    else texts[key] = sealed === null ? value : SECRET_IS_SET;
  }
  return texts;
}

/** What was wrong before and is not touched is not this change's fault. */
function conflicting(after: SettingSources, changes: readonly SettingChange[]): SettingProblem[] {
  const touched = new Set(changes.map(({ key }) => key));
  return conflicts(houseSettings(after).settings)
    .filter(({ at, because }) => [at, ...because].some(key => touched.has(key)))
    .map(({ at, problem }) => ({ key: at, problem: problem(settingName) }));
}

const OPERATORS_STAY = "would leave no operator who can sign in: let one of them set a password first";

/** A house that had an operator who can sign in has one afterwards. */
async function lockedOut(tx: Tx, before: SettingSources, after: SettingSources): Promise<SettingProblem[]> {
  const [was, will] = [waysOf(before), waysOf(after)];
  const isEnded = (was.passkeys && !will.passkeys) || (was.oidc && !will.oidc);
  if (!isEnded || !(await operatorCanSignIn(tx, was)) || (await operatorCanSignIn(tx, will))) return [];
  const key = was.passkeys && !will.passkeys ? "passkeys" : "oidcIssuer";
  return [{ key, problem: OPERATORS_STAY }];
}

function waysOf(sources: SettingSources): { passkeys: boolean; oidc: boolean } {
  const { settings: house } = houseSettings(sources);
  return { passkeys: house.passkeys, oidc: hasOidc(house) };
}

async function write(tx: Tx, { key, value, sealed }: SettingChange, nowMs: number): Promise<void> {
  const name = settingName(key);
  if (value === null) return tx.run("delete from settings where name = ?", name);
  await tx.run(
    `insert into settings (name, value, sealed, changed_at_ms) values (?, ?, ?, ?)
      on conflict (name) do update set value = excluded.value, sealed = excluded.sealed,
        changed_at_ms = excluded.changed_at_ms`,
    ...[name, sealed === null ? value : "", sealed, nowMs],
  );
}

type Change = { isReset: boolean; before: SettingSources; after: SettingSources };

function entry(key: SettingKey, { isReset, before, after }: Change): Recorded {
  const [old, next] = [told(key, before), told(key, after)];
  const isNewSecret = settings[key].secret === true && old === next;
  const fields =
    old !== next || isNewSecret
      ? ([["value", old, isNewSecret ? `${next} (a new one)` : next]] as const)
      : ([["from", isReset ? "console" : "default", isReset ? "default" : "console"]] as const);
  return { noun: "setting", name: settingName(key), id: null, action: isReset ? "reset" : "update", fields };
}

/** As a person reads it: a secret and a picture are told of, not shown. */
function told(key: SettingKey, sources: SettingSources): string {
  const value = settingText(key, sources);
  if (settings[key].secret === true) return value === null ? SECRET_IS_NOT_SET : SECRET_IS_SET;
  if (key !== "logo" || value === null) return value ?? "";
  const read = readLogo(value);
  if ("problem" in read) return "a picture";
  const { type, width, height, hash } = read.logo;
  return `${type}, ${width} × ${height}, ${hash}`;
}

export async function countCopies(tx: Tx, _args: Record<string, never>): Promise<number> {
  const [row] = await tx.all("select count(*) as copies from keys where sealed is not null");
  return whole(row?.["copies"]);
}

export type Forgetting = { after: string; limit: number; by: By };

/** Some at a time, by rising id; null where there were no more. */
export async function forgetCopies(
  tx: Tx,
  { after, limit, by }: Forgetting,
): Promise<{ last: string; count: number } | null> {
  const rows = await tx.all(
    "select id from keys where id > ? and sealed is not null order by id limit ?",
    ...[after, limit],
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  await tx.run(
    "update keys set sealed = null where id > ? and id <= ? and sealed is not null",
    ...[after, text(last["id"])],
  );
  await recordChange(tx, by, {
    ...{ noun: "setting", name: "sealed_copies", id: null, action: "remove copies" },
    fields: [["copies", String(rows.length), "0"]],
  });
  return { last: text(last["id"]), count: rows.length };
}
