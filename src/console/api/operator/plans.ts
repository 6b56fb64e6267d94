import { formatUsd } from "../../../domain/money.ts";
import type { Plan } from "../../../domain/plan.ts";
import { subscriptionState } from "../../../domain/pocket.ts";
import type { PlanSpec } from "../../../store/apply.ts";
import type { PlanPage } from "../../../store/plans-admin.ts";
import type { Calls } from "../../contract/contract.ts";
import { byOf } from "../../control.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { given, notThere, readOne } from "./catalogue-form.ts";

type PlanView = Calls["POST /operator/plans"]["answer"];
type PlanGiven = Calls["PATCH /operator/plans/{id}"]["body"];

export const planHandlers = {
  "GET /operator/plans": async visit => ({ plans: await listed(visit) }),

  "POST /operator/plans": async (visit, { body }) => {
    const spec = readPlan(visit, body);
    await visit.desk.store.run("plan.create", { spec, by: byOf(visit.control) });
    return viewOf(visit, plan => plan.name === spec.name);
  },

  "PATCH /operator/plans/{id}": async (visit, { params, body }) => {
    const { id } = params;
    const read = readPlan(visit, body);
    const change = given({
      name: body.name,
      groups: body.groups,
      quota: body.quota_usd === undefined ? undefined : read.quota,
      window: body.window,
    }) as Partial<Omit<PlanSpec, "id">>;
    const isThere = await visit.desk.store.run("plan.edit", { id, change, by: byOf(visit.control) });
    if (!isThere) throw notThere("plan");
    return viewOf(visit, plan => plan.id === id);
  },

  "DELETE /operator/plans/{id}": async ({ desk, control }, { params }) => {
    if (!(await desk.store.run("plan.remove", { id: params.id, by: byOf(control) }))) throw notThere("plan");
    return { done: true };
  },
} satisfies Pick<
  Handlers,
  | "GET /operator/plans"
  | "POST /operator/plans"
  | "PATCH /operator/plans/{id}"
  | "DELETE /operator/plans/{id}"
>;

/** What is not given is read as anything that is right, and not used. */
function readPlan({ control }: SignedIn, fields: PlanGiven): PlanSpec {
  const { name = "any", groups = [], quota_usd: quota = "0", window = "day" } = fields;
  return readOne(control, "plans", { name, groups, quota, window });
}

async function listed({ desk, nowMs }: SignedIn): Promise<PlanView[]> {
  const page = await desk.store.report("plans.page", { nowMs });
  return page.plans.map(plan => planView(plan, page, nowMs));
}

async function viewOf(visit: SignedIn, isMeant: (plan: PlanView) => boolean): Promise<PlanView> {
  const plan = (await listed(visit)).find(isMeant);
  if (plan === undefined) throw notThere("plan");
  return plan;
}

function planView(plan: Plan, { holders, windows }: PlanPage, nowMs: number): PlanView {
  const own = holders.filter(({ subscription }) => subscription.plan.id === plan.id);
  return {
    id: plan.id,
    name: plan.name,
    groups: [...plan.groups],
    quota_usd: formatUsd(plan.quota),
    window: plan.period,
    holders: own.map(({ subscription, email }) => ({
      account: subscription.accountId,
      email,
      subscription: subscription.id,
      until: subscription.untilMs === null ? null : new Date(subscription.untilMs).toISOString(),
      left_usd: formatUsd(subscriptionState(subscription, { windows, nowMs }).left),
    })),
  };
}
