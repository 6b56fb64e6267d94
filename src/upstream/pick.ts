import type { Upstream } from "../domain/catalogue.ts";
import { type Dialect, dialectOf, type Operation } from "../domain/usage.ts";

export type PickFor = { model: string; operation: Operation; random: () => number };
export type Pick = { upstream: Upstream; dialect: Dialect };

/** Where an upstream does not speak the client's dialect: which of its own loses least, best first. */
const NEXT_BEST: Record<Dialect, readonly Dialect[]> = {
  chat: ["chat", "responses", "messages"],
  responses: ["responses", "messages", "chat"],
  messages: ["messages", "responses", "chat"],
};

/**
 * Lowest priority number first; of equals those that speak the client's dialect, and of these by weight. Null where
 * nobody serves the model.
 */
export function pickUpstream(
  upstreams: readonly Upstream[],
  { model, operation, random }: PickFor,
): Pick | null {
  const wanted = dialectOf(operation);
  const isConversation = operation === wanted;
  let equals: Pick[] = [];
  let best = 0;
  for (const upstream of upstreams) {
    if (!upstream.models.has(model)) continue;
    const dialect = spoken(upstream, wanted, isConversation);
    if (dialect === null) continue;
    const place = 2 * upstream.priority + (dialect === wanted ? 0 : 1);
    if (equals.length === 0 || place < best) {
      equals = [];
      best = place;
    }
    if (place === best) equals.push({ upstream, dialect });
  }
  const [only = null] = equals;
  return equals.length < 2 ? only : byWeight(equals, random);
}

/** What is no conversation is not translated: it goes to whoever speaks OpenAI's style. */
function spoken({ speaks }: Upstream, wanted: Dialect, isConversation: boolean): Dialect | null {
  if (speaks.includes(wanted)) return wanted;
  if (!isConversation) return speaks.includes("responses") ? wanted : null;
  return NEXT_BEST[wanted].find(dialect => speaks.includes(dialect)) ?? null;
}

function byWeight(equals: readonly Pick[], random: () => number): Pick | null {
  let place = random() * equals.reduce((sum, { upstream }) => sum + upstream.weight, 0);
  for (const pick of equals) {
    place -= pick.upstream.weight;
    if (place < 0) return pick;
  }
  return equals.at(-1) ?? null;
}
