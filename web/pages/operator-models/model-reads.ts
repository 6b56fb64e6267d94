import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import type { Answer, Name } from "../../api/client.ts";
import type { operatorModelsSearch } from "../../app/search.ts";
import type { ListPrice } from "./price.ts";

export type Model = Answer<"GET /operator/models">["models"][number];
export type ModelsSearch = ReturnType<typeof operatorModelsSearch>;

/** What is read anew after any change of a model or a price. */
export const MODEL_READS: readonly Name[] = [
  "GET /operator/models",
  "GET /operator/models/{id}/prices",
  "GET /operator/groups",
  "GET /operator/overview",
  "GET /models",
  "GET /groups",
];

/** What needs an operator comes first: models without a price, then by name. */
export function matching(models: readonly Model[], { q = "", only, upstream }: ModelsSearch): Model[] {
  const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter(model => {
    if (only === "unpriced" && model.price !== null) return false;
    if (only === "unserved" && model.upstreams.length > 0) return false;
    if (upstream !== undefined && !model.upstreams.some(({ id }) => id === upstream)) return false;
    const names = [model.name, ...model.upstreams.map(({ name }) => name), ...model.groups];
    const text = names.join(" ").toLowerCase();
    return wanted.every(word => text.includes(word));
  });
  const rank = ({ price }: Model) => (price === null ? 0 : 1);
  return found.toSorted((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
}

export function isNarrowed({ q, only, upstream }: ModelsSearch): boolean {
  return q !== undefined || only !== undefined || upstream !== undefined;
}

export type Suggested = { dated: string; prices: ReadonlyMap<string, ListPrice> };

/** What the shipped catalogue knows of models that have no price. It is asked only where there are such. */
export function useSuggested(models: readonly Model[] | undefined): Suggested | null {
  const unpriced = (models ?? []).filter(({ price, upstreams }) => price === null && upstreams.length > 0);
  const names = unpriced.map(({ name }) => name).sort();
  const compared = useQuery({
    queryKey: ["POST /operator/prices/compare", names],
    queryFn: ({ signal }) => call("POST /operator/prices/compare", { body: {}, signal }),
    enabled: names.length > 0,
    staleTime: 5 * 60_000,
  });
  const data = names.length === 0 ? undefined : compared.data;
  return useMemo(() => {
    if (data === undefined) return null;
    const found = data.changes.filter(({ before }) => before === null);
    return { dated: data.dated, prices: new Map(found.map(({ model, after }) => [model, after])) };
  }, [data]);
}
