import type { Plan, Subscription } from "../domain/plan.ts";
import { type SpendWindow, windowKey } from "../domain/spend-window.ts";
import type { PlanSpec } from "./apply.ts";
import { applyOne, demandFreeName } from "./apply-one.ts";
import { type By, recordChange } from "./audit.ts";
import { bump } from "./catalogue.ts";
import { setAside } from "./removal.ts";
import { text, toPlan, toSubscription, toWindow, whole } from "./rows.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** Plans with whoever has them now, and what they have spent of them. */
export type PlanPage = {
  plans: readonly Plan[];
  holders: readonly { subscription: Subscription; email: string }[];
  windows: ReadonlyMap<string, SpendWindow>;
};

const RUNNING = "(subscriptions.until_ms is null or subscriptions.until_ms > ?)";

export async function planPage(tx: Tx, { nowMs }: { nowMs: number }): Promise<PlanPage> {
  const plans = await tx.all("select * from plans where removed_at_ms is null order by name");
  const held = await tx.all(
    `select subscriptions.id as sub_id, subscriptions.account_id as account_id,
       subscriptions.until_ms as until_ms, accounts.email as email, plans.*
       from subscriptions join plans on plans.id = subscriptions.plan_id
       join accounts on accounts.id = subscriptions.account_id where ${RUNNING} order by accounts.email`,
    nowMs,
  );
  const windows = await tx.all(
    `select windows.* from windows join subscriptions on subscriptions.id = windows.owner_id where ${RUNNING}`,
    nowMs,
  );
  return {
    plans: plans.map(toPlan),
    holders: held.map(row => ({ subscription: toSubscription(row), email: text(row["email"]) })),
    windows: new Map(windows.map(toWindow).map(window => [windowKey(window), window])),
  };
}

export async function createPlan(tx: Tx, { spec, by }: { spec: PlanSpec; by: By }): Promise<void> {
  await demandFreeName(tx, { table: "plans", name: spec.name });
  await applyOne(tx, by, { plans: [spec] });
}

export type PlanEdit = { id: string; change: Partial<Omit<PlanSpec, "id">>; by: By };

/** Changes what is given and leaves the rest; false where there is no such plan. */
export async function editPlan(tx: Tx, { id: planId, change, by }: PlanEdit): Promise<boolean> {
  const plan = await planById(tx, planId);
  if (plan === null) return false;
  const { name = plan.name } = change;
  if (name !== plan.name) {
    await demandFreeName(tx, { table: "plans", name });
    await tx.run("update plans set name = ? where id = ?", name, plan.id);
    await bump(tx);
    const fields = [["name", plan.name, name]] as const;
    await recordChange(tx, by, { noun: "plan", name, id: plan.id, action: "rename", fields });
  }
  const { id, groups, quota, period } = plan;
  await applyOne(tx, by, { plans: [{ id, groups, quota, window: period, ...change, name }] });
  return true;
}

/** One that nobody has now; false where there is no such plan. */
export async function removePlan(tx: Tx, { id: planId, by }: { id: string; by: By }): Promise<boolean> {
  const plan = await planById(tx, planId);
  if (plan === null) return false;
  const sql = `select count(*) as holders from subscriptions where plan_id = ? and ${RUNNING}`;
  const [row] = await tx.all(sql, plan.id, by.nowMs);
  const holders = whole(row?.["holders"]);
  if (holders > 0) {
    const have = holders === 1 ? "One account has" : `${holders} accounts have`;
    throw new StoreProblem(`${have} the plan “${plan.name}”. End the subscriptions first.`);
  }
  await setAside(tx, { table: "plans", id: plan.id, name: plan.name, nowMs: by.nowMs });
  await bump(tx);
  await recordChange(tx, by, { noun: "plan", name: plan.name, id: plan.id, action: "remove", fields: [] });
  return true;
}

async function planById(tx: Tx, planId: string): Promise<Plan | null> {
  const [row] = await tx.all("select * from plans where id = ? and removed_at_ms is null", planId);
  return row === undefined ? null : toPlan(row);
}
