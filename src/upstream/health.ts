import type { Upstream } from "../domain/catalogue.ts";
import type { Id } from "../domain/ids.ts";
import { type Failure, type Standing, Standings } from "./standings.ts";

export type { Failure, Standing } from "./standings.ts";

/** Where a request goes: an upstream, for a model, with one of its credentials. */
export type Place = {
  upstream: Id<"ups">;
  model: string;
  credential: Id<"crd"> | null;
  /** It has more than that one. */
  hasOthers: boolean;
};

/** Who has changed: an upstream with a model, or one of its credentials, for one model or (null) for all. */
export type Subject = { upstream: Id<"ups">; model: string | null; credential: Id<"crd"> | null };
export type HealthChange = { subject: Subject; standing: Standing; isLonger: boolean };

export type HealthOptions = {
  /** How long a refused credential is left alone before one request tries it again. */
  credentialRestMs: number;
  onChange: (change: HealthChange) => void;
};

/** What becomes of a request, told by name: every request passes here, and a function for each would be made anew. */
type Act = "begins" | "succeeded" | "answers" | "unheard";

const CREDENTIAL_REST_MS = 300_000;

/** How the upstreams have been doing with each model, and each of their credentials, as this process has seen it. */
export class UpstreamHealth {
  readonly #ways: Standings;
  readonly #credentials: Standings;
  readonly #credentialRestMs: number;
  readonly #running = new Map<string, number>();
  /** Upstreams and credentials that anything was ever held against: of the others nothing has to be looked up. */
  readonly #suspects = new Set<string>();
  /** So that credentials which are equally busy take turns. */
  #turn = 0;

  constructor({ credentialRestMs = CREDENTIAL_REST_MS, onChange }: Partial<HealthOptions> = {}) {
    this.#credentialRestMs = credentialRestMs;
    const tell = (name: string, standing: Standing, isLonger: boolean) =>
      onChange?.({ subject: subjectOf(name), standing, isLonger });
    this.#ways = new Standings({ onChange: tell });
    this.#credentials = new Standings({ onChange: tell });
  }

  /** Null where a request may go there; otherwise how it stands. Credentials aside. */
  rest(upstream: Id<"ups">, model: string, nowMs: number): Standing | null {
    return this.#suspects.has(upstream) ? this.#ways.rest(nameOf({ upstream, model }), nowMs) : null;
  }

  /** The same with its credentials: when all of them rest, so does the upstream. */
  restOf({ id, credentials }: Upstream, model: string, nowMs: number): Standing | null {
    const own = this.rest(id, model, nowMs);
    if (own !== null || credentials.length === 0) return own;
    let least: Standing | null = null;
    for (const credential of credentials) {
      const rest = this.credentialRest({ upstream: id, credential: credential.id }, model, nowMs);
      if (rest === null) return null;
      if (least === null || (rest.untilMs ?? 0) < (least.untilMs ?? 0)) least = rest;
    }
    return least;
  }

  credentialRest(
    { upstream, credential }: { upstream: Id<"ups">; credential: Id<"crd"> },
    model: string,
    nowMs: number,
  ): Standing | null {
    if (!this.#suspects.has(credential)) return null;
    const whole = this.#credentials.rest(nameOf({ upstream, model: null, credential }), nowMs);
    const one = this.#credentials.rest(nameOf({ upstream, model, credential }), nowMs);
    if (whole === null || one === null) return whole ?? one;
    return (whole.untilMs ?? 0) < (one.untilMs ?? 0) ? one : whole;
  }

  begins(place: Place, nowMs: number): void {
    this.#runs(place, 1);
    this.#each(place, "begins", nowMs);
  }

  ends(place: Place): void {
    this.#runs(place, -1);
  }

  running(of: Id<"ups"> | Id<"crd">): number {
    return this.#running.get(of) ?? 0;
  }

  isFull({ id, concurrencyMax }: Upstream): boolean {
    return concurrencyMax !== null && this.running(id) >= concurrencyMax;
  }

  turn(): number {
    this.#turn += 1;
    return this.#turn;
  }

  standing(upstream: Id<"ups">, model: string): Standing | null {
    return this.#ways.standing(nameOf({ upstream, model }));
  }

  credentialStanding(subject: Subject): Standing | null {
    return this.#credentials.standing(nameOf(subject));
  }

  /** What became of it before, newest last. */
  record(upstream: Id<"ups">, model: string): readonly Standing[] {
    return this.#ways.record(nameOf({ upstream, model }));
  }

  succeeded(place: Place, nowMs: number): void {
    this.#each(place, "succeeded", nowMs);
  }

  /** The first good bytes are there: a trial has passed, however long the answer goes on. */
  answers(place: Place, nowMs: number): void {
    this.#each(place, "answers", nowMs);
  }

  /** Nobody waited for what would become of it: the next request may try. */
  unheard(place: Place, nowMs: number): void {
    this.#each(place, "unheard", nowMs);
  }

  /** What is about the credential alone is not held against the upstream, nor the other way round. */
  failed(place: Place, { failure, nowMs }: { failure: Failure; nowMs: number }): void {
    const { upstream, model, credential, hasOthers } = place;
    const isCredentials =
      failure.isCredential || (failure.isThrottle === true && (failure.retryAfterMs !== null || hasOthers));
    if (credential === null || !isCredentials) {
      this.#suspects.add(upstream);
      this.#ways.failed(nameOf({ upstream, model }), { failure, nowMs });
      this.#eachCredential(place, "unheard", nowMs);
      return;
    }
    this.#suspects.add(credential);
    const isOfAll = failure.isCredential && failure.isForModel !== true;
    const name = nameOf({ upstream, model: isOfAll ? null : model, credential });
    const restMs = failure.isCredential ? { restMs: this.#credentialRestMs } : {};
    this.#credentials.failed(name, { failure, nowMs, isEnough: true, ...restMs });
    // It has read the request and found the credential at fault: it is there.
    this.#ways.unheard(nameOf({ upstream, model }), nowMs);
    const other = nameOf({ upstream, model: isOfAll ? model : null, credential });
    this.#credentials.unheard(other, nowMs);
  }

  /** The operator says that it is well: what was held against it is forgotten. */
  reset(upstream: Id<"ups">, nowMs: number): void {
    const isMeant = (name: string) => subjectOf(name).upstream === upstream;
    this.#ways.reset(isMeant, nowMs);
    this.#credentials.reset(isMeant, nowMs);
  }

  #runs({ upstream, credential }: Place, by: 1 | -1): void {
    this.#count(upstream, by);
    if (credential !== null) this.#count(credential, by);
  }

  #count(of: string, by: 1 | -1): void {
    const left = (this.#running.get(of) ?? 0) + by;
    if (left > 0) this.#running.set(of, left);
    else this.#running.delete(of);
  }

  #each(place: Place, act: Act, nowMs: number): void {
    if (this.#suspects.has(place.upstream))
      this.#ways[act](nameOf({ upstream: place.upstream, model: place.model }), nowMs);
    this.#eachCredential(place, act, nowMs);
  }

  #eachCredential({ upstream, model, credential }: Place, act: Act, nowMs: number): void {
    if (credential === null || !this.#suspects.has(credential)) return;
    this.#credentials[act](nameOf({ upstream, model: null, credential }), nowMs);
    this.#credentials[act](nameOf({ upstream, model, credential }), nowMs);
  }
}

type Named = { upstream: Id<"ups">; model: string | null; credential?: Id<"crd"> | null };

/** Ids have no white space, and neither have the names of models. */
function nameOf({ upstream, model, credential }: Named): string {
  return `${upstream} ${credential ?? ""} ${model ?? ""}`;
}

function subjectOf(name: string): Subject {
  const [upstream = "", credential = "", model = ""] = name.split(" ");
  return {
    upstream: upstream as Id<"ups">,
    credential: credential === "" ? null : (credential as Id<"crd">),
    model: model === "" ? null : model,
  };
}
