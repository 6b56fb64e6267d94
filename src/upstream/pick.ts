import type { Upstream } from "../domain/catalogue.ts";
import { type Dialect, dialectOf, type Operation } from "../domain/usage.ts";
import type { Standing, UpstreamHealth } from "./health.ts";

export type PickFor = {
  model: string;
  operation: Operation;
  random: () => number;
  /** Those that rest are passed over. Null looks at none of this. */
  health: UpstreamHealth | null;
  nowMs: number;
  /** Requests with the same one go to the same upstream while it is well, for what it keeps of their prompt. */
  affinity: number | null;
  tried: readonly Upstream[];
};
export type Pick = { upstream: Upstream; dialect: Dialect };

/** Where an upstream does not speak the client's dialect: which of its own loses least, best first. */
const NEXT_BEST: Record<Dialect, readonly Dialect[]> = {
  chat: ["chat", "responses", "messages"],
  responses: ["responses", "messages", "chat"],
  messages: ["messages", "responses", "chat"],
};

/**
 * Of those who are well: lowest priority number first; of equals those that speak the client's dialect. Where none is
 * well, the one whose rest ends first is asked all the same, since it may be well by now; one that asked for its rest comes
 * last, and not at all for a second try. Null where there is nobody.
 */
export function pickUpstream(upstreams: readonly Upstream[], asked: PickFor): Pick | null {
  const { model, operation, health, nowMs, tried } = asked;
  const wanted = dialectOf(operation);
  const isConversation = operation === wanted;
  let equals: Pick[] = [];
  let best = 0;
  let tired: Tired | null = null;
  for (const upstream of upstreams) {
    if (!upstream.models.has(model) || tried.some(({ id }) => id === upstream.id)) continue;
    const dialect = spoken(upstream, wanted, isConversation);
    if (dialect === null) continue;
    const rest = health?.rest(upstream.id, model, nowMs) ?? null;
    if (rest !== null) {
      if (tried.length === 0 || !rest.isAskedFor)
        tired = lessTired(tired, { pick: { upstream, dialect }, rest });
      continue;
    }
    const place = 2 * upstream.priority + (dialect === wanted ? 0 : 1);
    if (equals.length === 0 || place < best) {
      equals = [];
      best = place;
    }
    if (place === best) equals.push({ upstream, dialect });
  }
  const [only] = equals;
  if (only !== undefined) return equals.length < 2 ? only : among(equals, asked);
  return tired?.pick ?? null;
}

type Tired = { pick: Pick; rest: Standing };

function lessTired(one: Tired | null, other: Tired): Tired {
  if (one === null) return other;
  if (one.rest.isAskedFor !== other.rest.isAskedFor) return one.rest.isAskedFor ? other : one;
  return (other.rest.untilMs ?? 0) < (one.rest.untilMs ?? 0) ? other : one;
}

/** What is no conversation is not translated: it goes to whoever speaks OpenAI's style. */
function spoken({ speaks }: Upstream, wanted: Dialect, isConversation: boolean): Dialect | null {
  if (speaks.includes(wanted)) return wanted;
  if (!isConversation) return speaks.includes("responses") ? wanted : null;
  return NEXT_BEST[wanted].find(dialect => speaks.includes(dialect)) ?? null;
}

/** By affinity where there is one; otherwise two are drawn by weight, and the less busy of them is taken. */
function among(equals: readonly Pick[], { affinity, random, health }: PickFor): Pick {
  if (affinity !== null) return nearest(equals, affinity);
  const first = byWeight(equals, random);
  if (health === null) return first;
  const second = byWeight(equals, random);
  const load = ({ upstream }: Pick) => health.running(upstream.id) / Math.max(1, upstream.weight);
  return load(second) < load(first) ? second : first;
}

/**
 * Each upstream has its own lot for an affinity, and the luckiest is taken: so shares follow the weights, and one that
 * comes or goes moves only its own conversations.
 */
function nearest(equals: readonly Pick[], affinity: number): Pick {
  let best = equals[0] as Pick;
  let bestLot = Number.POSITIVE_INFINITY;
  for (const pick of equals) {
    const { id, weight } = pick.upstream;
    const draw = (Bun.hash.xxHash32(id, affinity) + 1) / (2 ** 32 + 1);
    const lot = -Math.log(draw) / Math.max(weight, Number.MIN_VALUE);
    if (lot >= bestLot) continue;
    bestLot = lot;
    best = pick;
  }
  return best;
}

function byWeight(equals: readonly Pick[], random: () => number): Pick {
  let place = random() * equals.reduce((sum, { upstream }) => sum + upstream.weight, 0);
  for (const pick of equals) {
    place -= pick.upstream.weight;
    if (place < 0) return pick;
  }
  return equals.at(-1) as Pick;
}
