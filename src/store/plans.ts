import type { Subscription } from "../domain/plan.ts";
import { toSubscription } from "./rows.ts";
import type { Tx } from "./tx.ts";

export const SUBSCRIPTIONS = `select subscriptions.id as sub_id, subscriptions.account_id as account_id,
    subscriptions.until_ms as until_ms, plans.* from subscriptions join plans on plans.id = subscriptions.plan_id`;

export const SUBSCRIPTIONS_OF_ACCOUNT = `${SUBSCRIPTIONS} where subscriptions.account_id = ?`;

export async function subscriptionsOf(tx: Tx, accountId: string): Promise<Subscription[]> {
  return (await tx.all(SUBSCRIPTIONS_OF_ACCOUNT, accountId)).map(toSubscription);
}
