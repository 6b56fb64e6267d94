import type { Catalogue } from "./catalogue.ts";
import { type Group, groupHasModel } from "./group.ts";
import type { Model } from "./model.ts";

/** What a key of this group can call now: in the group, priced, and served by someone. */
export function usableModels(catalogue: Catalogue, group: Pick<Group, "models">): Model[] {
  const served = servedNames(catalogue);
  return [...catalogue.models.values()].filter(
    model => model.price !== null && served.has(model.name) && groupHasModel(group, model.name),
  );
}

export function servedNames({ upstreams }: Pick<Catalogue, "upstreams">): ReadonlySet<string> {
  return new Set(upstreams.flatMap(({ isPaused, models }) => (isPaused ? [] : [...models.keys()])));
}
