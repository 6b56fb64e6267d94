import type { Upstream } from "../domain/catalogue.ts";
import type { Dialect } from "../domain/usage.ts";

export type PickFor = { model: string; dialect: Dialect; random: () => number };

/** Lowest priority number first; equals share by weight. Null where nobody serves the model in this dialect. */
export function pickUpstream(
  upstreams: readonly Upstream[],
  { model, dialect, random }: PickFor,
): Upstream | null {
  const able = upstreams.filter(upstream => upstream.models.has(model) && upstream.speaks.includes(dialect));
  if (able.length < 2) return able[0] ?? null;
  const first = Math.min(...able.map(upstream => upstream.priority));
  const equals = able.filter(upstream => upstream.priority === first);
  let place = random() * equals.reduce((sum, upstream) => sum + upstream.weight, 0);
  for (const upstream of equals) {
    place -= upstream.weight;
    if (place < 0) return upstream;
  }
  return equals.at(-1) ?? null;
}
