import type { Answer } from "../../api/client.ts";
import { compareMoney } from "../../format/money.ts";

export type Model = Answer<"GET /models">["models"][number];
export type Offer = Model["groups"][number];

export type Filter = { q?: string | undefined; group?: string | undefined };

/** Every word of the search is in the model's name or in that of one of its groups. */
export function matching(models: readonly Model[], { q, group }: Filter): Model[] {
  const wanted = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(model => {
    if (group !== undefined && !model.groups.some(({ id }) => id === group)) return false;
    const text = [model.name, ...model.groups.map(({ name }) => name)].join(" ").toLowerCase();
    return wanted.every(word => text.includes(word));
  });
}

/** Those asked for, the cheapest first. */
export function offersOf(model: Model, group: string | undefined): Offer[] {
  const asked = model.groups.filter(({ id }) => group === undefined || id === group);
  return asked.toSorted((a, b) => compareMoney(a.price.input, b.price.input) || (a.name < b.name ? -1 : 1));
}

/** Charged by the call alone. */
export function isPerCall({ price }: Offer): boolean {
  const isNothing = (usd: string) => compareMoney(usd, "0") === 0;
  return isNothing(price.input) && isNothing(price.output) && !isNothing(price.request);
}
