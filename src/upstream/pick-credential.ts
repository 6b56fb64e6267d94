import type { Credential, Upstream } from "../domain/catalogue.ts";
import type { UpstreamHealth } from "./health.ts";

export type CredentialFor = {
  model: string;
  health: UpstreamHealth | null;
  nowMs: number;
  /** Prompt caches belong to an account, so a conversation stays with its credential while that is well. */
  affinity: number | null;
};

/** Of those that do not rest: by affinity, otherwise the least busy in turn. Where all rest, the first to be back. */
export function pickCredential(upstream: Upstream, asked: CredentialFor): Credential | null {
  const { credentials } = upstream;
  const [first = null] = credentials;
  const { health, affinity } = asked;
  if (credentials.length < 2 || health === null) return first;
  const well = wellOnes(upstream, health, asked);
  return affinity === null ? leastBusy(well, health) : nearest(well, affinity);
}

function wellOnes(
  { id: upstream, credentials }: Upstream,
  health: UpstreamHealth,
  { model, nowMs }: CredentialFor,
): readonly Credential[] {
  let least: Credential | null = null;
  let leastMs = Number.POSITIVE_INFINITY;
  const well = credentials.filter(credential => {
    const rest = health.credentialRest({ upstream, credential: credential.id }, model, nowMs);
    const untilMs = rest?.untilMs ?? 0;
    if (rest !== null && untilMs < leastMs) {
      leastMs = untilMs;
      least = credential;
    }
    return rest === null;
  });
  return well.length > 0 || least === null ? well : [least];
}

function leastBusy(well: readonly Credential[], health: UpstreamHealth): Credential | null {
  const from = health.turn();
  let best: Credential | null = null;
  let bestLoad = Number.POSITIVE_INFINITY;
  for (let at = 0; at < well.length; at++) {
    const credential = well[(from + at) % well.length];
    if (credential === undefined) continue;
    const load = health.running(credential.id);
    if (load >= bestLoad) continue;
    bestLoad = load;
    best = credential;
  }
  return best;
}

/** Each has its own lot for an affinity, so that one that comes or goes moves only its own conversations. */
function nearest(well: readonly Credential[], affinity: number): Credential | null {
  let best: Credential | null = null;
  let bestLot = -1;
  for (const credential of well) {
    const lot = Bun.hash.xxHash32(credential.id, affinity);
    if (lot <= bestLot) continue;
    bestLot = lot;
    best = credential;
  }
  return best;
}
