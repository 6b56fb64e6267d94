import { accountByEmail, addAccount } from "./accounts.ts";
import { type AccountSpec, type ApplyContext, noteCreated, noteDifference } from "./apply.ts";
import { text, wholeOrNull } from "./rows.ts";

export async function applyAccount(context: ApplyContext, spec: AccountSpec, at: number): Promise<void> {
  const { tx } = context;
  const { actor, nowMs } = context.spec;
  const old = await accountByEmail(tx, spec.email);
  if (old === null) {
    const { id, ledgerId, email, role, balance } = spec;
    await addAccount(tx, { id, ledgerId, email, role, openingBalance: balance, actor, nowMs });
    noteCreated(context, { noun: "account", name: spec.email, id: spec.id });
  } else {
    // The balance is an opening balance: credited once, when the account is made, and never looked at again.
    const thing = { noun: "account", name: spec.email, id: old.id } as const;
    if (noteDifference(context, thing, [["role", old.role, spec.role]])) {
      await tx.run("update accounts set role = ? where id = ?", spec.role, old.id);
    }
  }
  for (const [place, subscription] of spec.subscriptions.entries()) {
    await applySubscription(context, { accountId: old?.id ?? spec.id, email: spec.email, ...subscription }, [
      ...["accounts", at, "subscriptions", place, "plan"],
    ]);
  }
}

type Subscribed = { accountId: string; email: string; plan: string; untilMs: number | null };

async function applySubscription(
  context: ApplyContext,
  spec: Subscribed,
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
    `insert into subscriptions (account_id, plan_id, until_ms) values (?, ?, ?)
       on conflict (account_id, plan_id) do update set until_ms = excluded.until_ms`,
    ...[spec.accountId, planId, spec.untilMs],
  );
}

function day(ms: number | null): string {
  return ms === null ? "without end" : `until ${new Date(ms).toISOString()}`;
}
