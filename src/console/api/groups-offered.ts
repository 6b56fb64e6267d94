import type { Catalogue } from "../../domain/catalogue.ts";
import { type Group, mayUseGroup } from "../../domain/group.ts";
import { subscriptionsFor } from "../../domain/plan.ts";
import type { AccountPockets } from "../../store/keys-pockets.ts";
import type { SignedIn } from "./visit.ts";

/** The groups as an account has them, with what pays for each. */
export type Offer = { groups: readonly Group[]; pockets: AccountPockets };

/** Those that a key of the account could work in, and those that one of its keys is in already; by name. */
export async function offeredGroups(visit: SignedIn): Promise<Offer> {
  const { desk, visitor, nowMs } = visit;
  const accountId = visitor.id;
  const [pockets, keys] = await Promise.all([
    desk.store.report("account.pockets", { accountId }),
    desk.store.report("keys.of_account", { accountId, nowMs }),
  ]);
  const used = new Set<string>(keys.flatMap(key => (key.deletedAtMs === null ? key.groupId : [])));
  const groups = allGroups(desk.catalogue()).filter(
    group => used.has(group.id) || mayJoin(group, pockets, nowMs),
  );
  return { groups, pockets };
}

/** Whether a new key may be put into it: it is on, and somebody would pay. */
export function mayJoin(group: Group, pockets: AccountPockets, nowMs: number): boolean {
  if (!group.enabled || !mayUseGroup(group, pockets.account.id)) return false;
  if (group.billing !== "subscription") return true;
  return subscriptionsFor(pockets.subscriptions, { group: group.name, nowMs }).length > 0;
}

function allGroups({ groups }: Catalogue): Group[] {
  return [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
