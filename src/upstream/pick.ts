import type { Upstream } from "../domain/catalogue.ts";
import type { Dialect } from "../domain/usage.ts";

export type PickFor = { model: string; dialect: Dialect; random: () => number };

/** Lowest priority number first; equals share by weight. Null where nobody serves the model in this dialect. */
export function pickUpstream(
  upstreams: readonly Upstream[],
  { model, dialect, random }: PickFor,
): Upstream | null {
  let equals: Upstream[] = [];
  for (const upstream of upstreams) {
    if (!upstream.models.has(model) || !upstream.speaks.includes(dialect)) continue;
    const first = equals[0]?.priority ?? upstream.priority;
    if (upstream.priority < first) equals = [];
    if (upstream.priority <= first) equals.push(upstream);
  }
  const [only = null] = equals;
  return equals.length < 2 ? only : byWeight(equals, random);
}

function byWeight(equals: readonly Upstream[], random: () => number): Upstream | null {
  let place = random() * equals.reduce((sum, upstream) => sum + upstream.weight, 0);
  for (const upstream of equals) {
    place -= upstream.weight;
    if (place < 0) return upstream;
  }
  return equals.at(-1) ?? null;
}
