import { formatUsd } from "../domain/money.ts";
import type { Plan } from "../domain/plan.ts";
import { type ApplyContext, noteCreated, noteDifference, type PlanSpec } from "./apply.ts";
import { paired } from "./audit-entries.ts";
import { toPlan } from "./rows.ts";

export async function applyPlan(context: ApplyContext, spec: PlanSpec, at: number): Promise<void> {
  const { tx } = context;
  for (const [place, name] of spec.groups.entries()) {
    const [group] = await tx.all("select id from groups where name = ?", name);
    if (group !== undefined) continue;
    context.problems.push({ path: ["plans", at, "groups", place], message: `there is no group “${name}”` });
  }
  const [row] = await tx.all("select * from plans where name = ?", spec.name);
  const values = [JSON.stringify(spec.groups), spec.quota, spec.window];
  const described = describePlan({ groups: spec.groups, quota: spec.quota, period: spec.window });
  if (row === undefined) {
    const sql = "insert into plans (groups, quota, time_window, id, name) values (?, ?, ?, ?, ?)";
    await tx.run(sql, ...values, spec.id, spec.name);
    return noteCreated(context, { noun: "plan", name: spec.name, id: spec.id }, described);
  }
  const old = toPlan(row);
  const thing = { noun: "plan", name: spec.name, id: old.id } as const;
  if (!noteDifference(context, thing, paired(describePlan(old), described))) return;
  const sql = "update plans set groups = ?, quota = ?, time_window = ? where id = ?";
  await tx.run(sql, ...values, old.id);
}

/** As the apply file names them. */
function describePlan({ groups, quota, period }: Omit<Plan, "id" | "name">): [string, string][] {
  return [
    ["groups", groups.join(", ")],
    ["quota", formatUsd(quota)],
    ["window", period],
  ];
}
