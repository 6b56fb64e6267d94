import type { Catalogue } from "../../domain/catalogue.ts";
import { type Group, groupHasModel } from "../../domain/group.ts";
import type { Model } from "../../domain/model.ts";
import { servedNames } from "../../domain/usable-models.ts";
import type { Dialect } from "../../domain/usage.ts";
import type { Calls } from "../contract/contract.ts";
import { offeredGroups } from "./groups-offered.ts";
import { effectivePrice, multiplierText } from "./groups-prices.ts";
import type { Handlers } from "./visit.ts";

type ModelView = Calls["GET /models"]["answer"]["models"][number];

const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];

export const modelHandlers = {
  "GET /models": async visit => {
    const { groups } = await offeredGroups(visit);
    const catalogue = visit.desk.catalogue();
    const open = groups.filter(({ enabled }) => enabled);
    const served = servedNames(catalogue);
    const models = [...catalogue.models.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { models: models.flatMap(model => view(model, { catalogue, groups: open, served })) };
  },
} satisfies Pick<Handlers, "GET /models">;

type Seen = { catalogue: Catalogue; groups: readonly Group[]; served: ReadonlySet<string> };

/** None where no group of the account has it, or it has no price: then it cannot be called. */
function view(model: Model, { catalogue, groups, served }: Seen): ModelView[] {
  const { name, price } = model;
  const having = groups.filter(group => groupHasModel(group, name));
  if (price === null || having.length === 0) return [];
  return [
    {
      name,
      native_dialects: nativeDialects(catalogue, name),
      context_tokens: model.contextTokens,
      max_output_tokens: model.outputTokensMax,
      is_served: served.has(name),
      groups: having.map(group => ({
        id: group.id,
        name: group.name,
        multiplier: multiplierText(group.multiplier),
        price: effectivePrice(price, group.multiplier),
      })),
    },
  ];
}

function nativeDialects({ upstreams }: Catalogue, name: string): Dialect[] {
  const spoken = new Set(
    upstreams.filter(upstream => upstream.models.has(name)).flatMap(upstream => upstream.speaks),
  );
  return DIALECTS.filter(dialect => spoken.has(dialect));
}
