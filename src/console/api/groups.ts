import type { Catalogue } from "../../domain/catalogue.ts";
import type { Group } from "../../domain/group.ts";
import { formatUsd, type Nanos } from "../../domain/money.ts";
import { subscriptionsFor } from "../../domain/plan.ts";
import { subscriptionState } from "../../domain/pocket.ts";
import { usableModels } from "../../domain/usable-models.ts";
import type { AccountPockets } from "../../store/keys-pockets.ts";
import type { Calls } from "../contract/contract.ts";
import { offeredGroups } from "./groups-offered.ts";
import { effectivePrice, multiplierText } from "./groups-prices.ts";
import type { Handlers } from "./visit.ts";

type GroupView = Calls["GET /groups"]["answer"]["groups"][number];

export const groupHandlers = {
  "GET /groups": async visit => {
    const { groups, pockets } = await offeredGroups(visit);
    const catalogue = visit.desk.catalogue();
    return { groups: groups.map(group => view(group, { catalogue, pockets, nowMs: visit.nowMs })) };
  },
} satisfies Pick<Handlers, "GET /groups">;

type Seen = { catalogue: Catalogue; pockets: AccountPockets; nowMs: number };

function view(group: Group, { catalogue, pockets, nowMs }: Seen): GroupView {
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    enabled: group.enabled,
    multiplier: multiplierText(group.multiplier),
    billing: group.billing,
    pockets: pocketsOf(group, pockets, nowMs),
    models: usableModels(catalogue, group).flatMap(({ name, price }) =>
      price === null ? [] : { name, price: effectivePrice(price, group.multiplier) },
    ),
  };
}

/** In the order in which admission asks them. */
function pocketsOf(group: Group, pockets: AccountPockets, nowMs: number): GroupView["pockets"] {
  const { account, subscriptions, windows } = pockets;
  const live =
    group.billing === "balance" ? [] : subscriptionsFor(subscriptions, { group: group.name, nowMs });
  const subscribed = live.map(one => {
    const { left } = subscriptionState(one, { windows, nowMs });
    return { name: one.plan.name, kind: "subscription" as const, left_usd: free(left) };
  });
  if (group.billing === "subscription") return subscribed;
  const left_usd = free(account.balance - account.held);
  return [...subscribed, { name: "balance", kind: "balance" as const, left_usd }];
}

function free(left: Nanos): string {
  return formatUsd(left > 0n ? left : 0n);
}
