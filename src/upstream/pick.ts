import type { Credential, Upstream } from "../domain/catalogue.ts";
import { type Dialect, dialectOf, type Operation } from "../domain/usage.ts";
import type { Standing, UpstreamHealth } from "./health.ts";
import { pickCredential } from "./pick-credential.ts";

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
export type Pick = { upstream: Upstream; dialect: Dialect; credential: Credential | null };
/** Before one of its credentials is chosen. */
type Candidate = Omit<Pick, "credential">;

/** Where an upstream does not speak the client's dialect: which of its own loses least, best first. */
const NEXT_BEST: Record<Dialect, readonly Dialect[]> = {
  chat: ["chat", "responses", "messages"],
  responses: ["responses", "messages", "chat"],
  messages: ["messages", "responses", "chat"],
};

/**
 * Of those who are well: lowest priority number first; of equals those that speak the client's dialect. Where none is
 * well, the one whose rest ends first is asked all the same, since it may be well by now; one that asked for its rest comes
 * last, and not at all for a second try. Who has as many requests as it takes is passed over, well or not. Null where
 * there is nobody. One that the operator paused is not there.
 */
export function pickUpstream(upstreams: readonly Upstream[], asked: PickFor): Pick | null {
  const chosen = choose(upstreams, asked);
  if (chosen === null) return null;
  const { upstream, dialect } = chosen;
  return { upstream, dialect, credential: pickCredential(upstream, asked) };
}

/** Where nobody was picked: whether somebody would have been, had it not as many requests as it takes. */
export function isOnlyFull(upstreams: readonly Upstream[], { model, health }: PickFor): boolean {
  return upstreams.some(
    upstream => upstream.models.has(model) && !upstream.isPaused && health?.isFull(upstream) === true,
  );
}

function choose(upstreams: readonly Upstream[], asked: PickFor): Candidate | null {
  const { model, operation, health, nowMs, tried } = asked;
  const wanted = dialectOf(operation);
  const isConversation = operation === wanted;
  let equals: Candidate[] = [];
  let best = 0;
  let tired: Tired | null = null;
  for (const upstream of upstreams) {
    if (upstream.isPaused || !upstream.models.has(model)) continue;
    if (isAmong(tried, upstream)) continue;
    const dialect = spoken(upstream, wanted, isConversation);
    if (dialect === null) continue;
    if (health?.isFull(upstream) === true) continue;
    const rest = health?.restOf(upstream, model, nowMs) ?? null;
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

function isAmong(upstreams: readonly Upstream[], { id }: Upstream): boolean {
  for (let at = 0; at < upstreams.length; at++) if (upstreams[at]?.id === id) return true;
  return false;
}

type Tired = { pick: Candidate; rest: Standing };

function lessTired(one: Tired | null, other: Tired): Tired {
  if (one === null) return other;
  if (one.rest.isAskedFor !== other.rest.isAskedFor) return one.rest.isAskedFor ? other : one;
  return (other.rest.untilMs ?? 0) < (one.rest.untilMs ?? 0) ? other : one;
}

/** What is no conversation is not translated: it goes to whoever speaks OpenAI's style. */
function spoken({ speaks }: Upstream, wanted: Dialect, isConversation: boolean): Dialect | null {
  if (speaks.includes(wanted)) return wanted;
  if (!isConversation) return speaks.includes("responses") ? wanted : null;
  for (const dialect of NEXT_BEST[wanted]) if (speaks.includes(dialect)) return dialect;
  return null;
}

/** By affinity where there is one; otherwise two are drawn by weight, and the less busy of them is taken. */
function among(equals: readonly Candidate[], { affinity, random, health }: PickFor): Candidate {
  if (affinity !== null) return nearest(equals, affinity);
  const first = byWeight(equals, random);
  if (health === null) return first;
  const second = byWeight(equals, random);
  const load = ({ upstream }: Candidate) => health.running(upstream.id) / Math.max(1, upstream.weight);
  return load(second) < load(first) ? second : first;
}

/**
 * Each upstream has its own lot for an affinity, and the luckiest is taken: so shares follow the weights, and one that
 * comes or goes moves only its own conversations.
 */
function nearest(equals: readonly Candidate[], affinity: number): Candidate {
  let best = equals[0] as Candidate;
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

function byWeight(equals: readonly Candidate[], random: () => number): Candidate {
  let place = random() * equals.reduce((sum, { upstream }) => sum + upstream.weight, 0);
  for (const pick of equals) {
    place -= pick.upstream.weight;
    if (place < 0) return pick;
  }
  return equals.at(-1) as Candidate;
}
