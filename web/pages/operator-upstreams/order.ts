import type { Upstream } from "./upstream-reads.ts";

/** Who is asked first, by id: those of one tier share its turn by their weights. */
export type Tiers = readonly (readonly string[])[];

type Ordered = Pick<Upstream, "id" | "priority">;

export function tiersOf(upstreams: readonly Ordered[]): string[][] {
  const tiers: string[][] = [];
  let last: number | null = null;
  for (const { id, priority } of upstreams) {
    const tier = tiers.at(-1);
    if (tier !== undefined && priority === last) tier.push(id);
    else tiers.push([id]);
    last = priority;
  }
  return tiers;
}

export function without(tiers: Tiers, id: string): string[][] {
  return tiers.map(tier => tier.filter(other => other !== id)).filter(tier => tier.length > 0);
}

/**
 * Where somebody can stand among the others: at 2k alone before their tier k, at 2k + 1 within it, and at the end alone
 * after all of them.
 */
export function placeOf(tiers: Tiers, id: string): number {
  const own = tiers.findIndex(tier => tier.includes(id));
  return (tiers[own]?.length ?? 0) > 1 ? 2 * own + 1 : 2 * own;
}

export function lastPlace(tiers: Tiers, id: string): number {
  return 2 * without(tiers, id).length;
}

export function movedTo(tiers: Tiers, id: string, place: number): string[][] {
  const others = without(tiers, id);
  const at = Math.floor(place / 2);
  if (place % 2 === 0) return [...others.slice(0, at), [id], ...others.slice(at)];
  return others.map((tier, index) => (index === at ? [...tier, id] : tier));
}

export function isSame(a: Tiers, b: Tiers): boolean {
  const text = (tiers: Tiers) => JSON.stringify(tiers.map(tier => tier.toSorted()));
  return text(a) === text(b);
}

/** The list as it will be once the server has it: within a tier by name, as the server sorts them. */
export function inOrder<T extends Ordered & { name: string }>(rows: readonly T[], tiers: Tiers): T[] {
  const byId = new Map(rows.map(row => [row.id, row]));
  return tiers.flatMap((tier, priority) =>
    tier
      .flatMap(id => byId.get(id) ?? [])
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(row => ({ ...row, priority })),
  );
}

export type Box = { top: number; bottom: number };

/** How much of a tier's height, at either end, means beside it and not within it. */
const EDGE = 0.28;
const EDGE_MOST = 18;

/** The place that a pointer at this height means, given where the others' tiers stand. */
export function placeAt(y: number, boxes: readonly Box[]): number {
  for (const [at, { top, bottom }] of boxes.entries()) {
    const edge = Math.min(EDGE_MOST, (bottom - top) * EDGE);
    if (y < top + edge) return 2 * at;
    if (y <= bottom - edge) return 2 * at + 1;
  }
  return 2 * boxes.length;
}
