import type { Account } from "../domain/account.ts";
import type { Id } from "../domain/ids.ts";
import { writeAccountLimits } from "./account-limits.ts";
import { accountByEmail, insertAccount } from "./accounts.ts";
import { type AccountSpec, type ApplyContext, noteDifference, type SubscriptionSpec } from "./apply.ts";
import { accountBegun } from "./audit-entries.ts";
import { weakenAccount } from "./last-operator.ts";
import { limitDifferences } from "./limits.ts";
import { text, wholeOrNull } from "./rows.ts";

export async function applyAccount(context: ApplyContext, spec: AccountSpec, at: number): Promise<void> {
  const old = await accountByEmail(context.tx, spec.email);
  if (old === null) await createAccount(context, spec);
  else await editAccount(context, spec, old);
  if (spec.subscriptions === null) return;
  const holder = { accountId: old?.id ?? spec.id, email: spec.email };
  for (const [place, subscription] of spec.subscriptions.entries()) {
    const path = ["accounts", at, "subscriptions", place, "plan"];
    await applySubscription(context, { ...holder, ...subscription }, path);
  }
  await endOthers(context, holder, new Set(spec.subscriptions.map(({ plan }) => plan)));
}

async function createAccount(context: ApplyContext, spec: AccountSpec): Promise<void> {
  const { actor, nowMs } = context.spec.by;
  const { id, ledgerId, email, role, balance, limits } = spec;
  const made = { id, ledgerId, email, role, openingBalance: balance, actor, nowMs };
  const account = await insertAccount(context.tx, made);
  if (limits !== null) await writeAccountLimits(context.tx, { id, limits });
  const fields = accountBegun({ ...account, ...(limits ?? {}) });
  context.changes.push({ noun: "account", name: account.email, id, action: "create", fields });
}

/** The balance is an opening balance: credited once, when the account is made, and never looked at again. */
async function editAccount(context: ApplyContext, spec: AccountSpec, old: Account): Promise<void> {
  const limits = spec.limits ?? old;
  const differs = noteDifference(context, { noun: "account", name: spec.email, id: old.id }, [
    ["role", old.role, spec.role],
    ...limitDifferences(old, limits),
  ]);
  if (!differs) return;
  const { tx } = context;
  const write = () => tx.run("update accounts set role = ? where id = ?", spec.role, old.id);
  await (spec.role === "operator" ? write() : weakenAccount(tx, old, write));
  await writeAccountLimits(context.tx, { id: old.id, limits });
}

type Holder = { accountId: Id<"acc">; email: string };

async function applySubscription(
  context: ApplyContext,
  spec: Holder & SubscriptionSpec,
  path: (string | number)[],
): Promise<void> {
  const { tx } = context;
  const [plan] = await tx.all("select id from plans where name = ?", spec.plan);
  if (plan === undefined) {
    context.problems.push({ path, message: `there is no plan “${spec.plan}”` });
    return;
  }
  const planId = text(plan["id"]);
  const find = "select until_ms from subscriptions where account_id = ? and plan_id = ?";
  const [row] = await tx.all(find, spec.accountId, planId);
  const before = row === undefined ? "none" : day(wholeOrNull(row["until_ms"]));
  const thing = { noun: "account", name: spec.email, id: spec.accountId } as const;
  if (!noteDifference(context, thing, [[`subscription ${spec.plan}`, before, day(spec.untilMs)]])) return;
  await tx.run(
    `insert into subscriptions (id, account_id, plan_id, until_ms) values (?, ?, ?, ?)
       on conflict (account_id, plan_id) do update set until_ms = excluded.until_ms`,
    ...[spec.subscriptionId, spec.accountId, planId, spec.untilMs],
  );
}

/** The row stays, with what was spent of it: to subscribe again must not fill a period that has been used up. */
async function endOthers(context: ApplyContext, holder: Holder, plans: ReadonlySet<string>): Promise<void> {
  const { tx } = context;
  const { nowMs } = context.spec.by;
  const rows = await tx.all(
    `select subscriptions.id as id, subscriptions.until_ms as until_ms, plans.name as plan from subscriptions
       join plans on plans.id = subscriptions.plan_id
       where account_id = ? and (until_ms is null or until_ms > ?) order by plans.name`,
    ...[holder.accountId, nowMs],
  );
  for (const row of rows) {
    const plan = text(row["plan"]);
    if (plans.has(plan)) continue;
    const change = [`subscription ${plan}`, day(wholeOrNull(row["until_ms"])), "ended"] as const;
    noteDifference(context, { noun: "account", name: holder.email, id: holder.accountId }, [change]);
    await tx.run("update subscriptions set until_ms = ? where id = ?", nowMs, text(row["id"]));
  }
}

function day(ms: number | null): string {
  return ms === null ? "without end" : `until ${new Date(ms).toISOString()}`;
}
