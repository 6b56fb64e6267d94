import type { AccountRole } from "../domain/account.ts";
import type { UpstreamKind } from "../domain/catalogue.ts";
import type { Billing } from "../domain/group.ts";
import type { Id } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import type { Price } from "../domain/model.ts";
import type { BasisPoints, Nanos } from "../domain/money.ts";
import type { Period } from "../domain/spend-window.ts";
import type { Dialect } from "../domain/usage.ts";
import { applyAccount } from "./apply-account.ts";
import { applyModel, applyUpstream } from "./apply-catalogue.ts";
import { applyGroup, applyGroupAccess } from "./apply-group.ts";
import { applyKey } from "./apply-key.ts";
import { applyPlan } from "./apply-plan.ts";
import { type By, type Recorded, recordChanges } from "./audit.ts";
import { begun, changed, type Field } from "./audit-entries.ts";
import { bump } from "./catalogue.ts";
import type { CredentialSpec } from "./credentials.ts";
import type { KeyLimits, KeySecret } from "./keys.ts";
import { keyEntry } from "./keys-audit.ts";
import type { Tx } from "./tx.ts";

/** What an installation should have. Names identify; what is not named is left as it is. */
export type ApplySpec = {
  upstreams: readonly UpstreamSpec[];
  models: readonly ModelSpec[];
  groups: readonly GroupSpec[];
  plans: readonly PlanSpec[];
  accounts: readonly AccountSpec[];
  keys: readonly KeySpec[];
  by: By;
  dryRun: boolean;
};

export type UpstreamSpec = {
  id: Id<"ups">;
  name: string;
  kind: UpstreamKind;
  baseUrl: string | null;
  speaks: readonly Dialect[];
  /** All that it has from now on; null: they stay as they are. */
  credentials: readonly CredentialSpec[] | null;
  priority: number;
  weight: number;
  concurrencyMax: number | null;
  probeMinutes: number | null;
  /** Null: it stays as it is. */
  isPaused: boolean | null;
  /** Null: it stays as it is. */
  cost: BasisPoints | null;
  models: readonly (readonly [string, string])[];
};
export type ModelSpec = {
  id: Id<"mdl">;
  name: string;
  contextTokens: number | null;
  outputTokensMax: number | null;
  price: Price | null;
};
export type GroupSpec = {
  id: Id<"grp">;
  name: string;
  enabled: boolean;
  multiplier: BasisPoints;
  models: readonly string[];
  billing: Billing;
  limits: Limits;
  /** Null: it stays as it is. */
  description: string | null;
  /** The e-mails of those who may use it; null: it stays as it is. */
  accounts: readonly string[] | "all" | null;
};
export type PlanSpec = {
  id: Id<"pln">;
  name: string;
  groups: readonly string[];
  quota: Nanos;
  window: Period;
};
export type AccountSpec = {
  id: Id<"acc">;
  ledgerId: Id<"led">;
  email: string;
  role: AccountRole;
  balance: Nanos;
  /** Null: they stay as they are. */
  limits: Limits | null;
  /** All that the account has; others end. Null: they stay as they are. */
  subscriptions: readonly SubscriptionSpec[] | null;
};
/** The id is used only for a new one. */
export type SubscriptionSpec = { subscriptionId: Id<"sub">; plan: string; untilMs: number | null };
export type KeySpec = KeyLimits & {
  id: Id<"key">;
  email: string;
  name: string;
  group: string;
  /** `custom`: the string was given, so it must be the one in place; otherwise it is used only for a new key. */
  secret: KeySecret & { custom: boolean };
};

export type ChangeNoun = "upstream" | "model" | "group" | "plan" | "account" | "key";
export type Change = {
  noun: ChangeNoun;
  name: string;
  action: "create" | "update";
  /** Field, before, after, as a person reads them; secrets never. */
  fields: readonly Field[];
  id: string;
};

/** Where in the file a problem is, so that its line can be named. */
export type ApplyProblem = { path: readonly (string | number)[]; message: string };

export type ApplyResult = { changes: Change[]; problems: ApplyProblem[] };

export type ApplyContext = { tx: Tx; spec: ApplySpec; changes: Change[]; problems: ApplyProblem[] };

/** All of it or, where there is any problem or it is a dry run, none of it: the caller rolls back when told to. */
export async function applySpec(tx: Tx, spec: ApplySpec): Promise<ApplyResult & { rollback: boolean }> {
  const context: ApplyContext = { tx, spec, changes: [], problems: [] };
  for (const [at, upstream] of spec.upstreams.entries()) await applyUpstream(context, upstream, at);
  for (const model of spec.models) await applyModel(context, model);
  for (const group of spec.groups) await applyGroup(context, group);
  for (const [at, plan] of spec.plans.entries()) await applyPlan(context, plan, at);
  for (const [at, account] of spec.accounts.entries()) await applyAccount(context, account, at);
  for (const [at, group] of spec.groups.entries()) await applyGroupAccess(context, group, at);
  for (const [at, key] of spec.keys.entries()) await applyKey(context, key, at);
  const { changes, problems } = context;
  const rollback = spec.dryRun || problems.length > 0;
  if (rollback) return { changes, problems, rollback };
  if (changes.length > 0) await bump(tx);
  await recordNoted(tx, spec.by, changes);
  return { changes, problems, rollback };
}

/** The same entries as whoever makes these changes one by one. */
export async function recordNoted(tx: Tx, by: By, changes: readonly Change[]): Promise<void> {
  const recorded: Recorded[] = [];
  for (const change of changes) {
    const { noun, id, ...told } = change;
    recorded.push(noun === "key" ? await keyEntry(tx, { ...told, id: id as Id<"key"> }, told) : change);
  }
  await recordChanges(tx, by, recorded);
}

type Thing = { noun: ChangeNoun; name: string; id: string };

/** Notes what differs; true where anything does. */
export function noteDifference(context: ApplyContext, thing: Thing, fields: readonly Field[]): boolean {
  const different = changed(fields);
  if (different.length > 0) context.changes.push({ ...thing, action: "update", fields: different });
  return different.length > 0;
}

/** With what it begins with, as it would be told of a change to it. */
export function noteCreated(
  context: ApplyContext,
  thing: Thing,
  fields: readonly (readonly [string, string])[],
): void {
  context.changes.push({ ...thing, action: "create", fields: begun(fields) });
}
