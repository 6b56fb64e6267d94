import type { Catalogue, Upstream } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { Id } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Failure, Place, UpstreamHealth } from "../upstream/health.ts";
import type { Trouble } from "../upstream/hear.ts";
import { pickCredential } from "../upstream/pick-credential.ts";
import { probe } from "../upstream/probe.ts";
import type { Sender } from "../upstream/send.ts";
import { faultOfStatus } from "./failover.ts";

export type ProbesOptions = Clock & { log: Log; catalogue: () => Catalogue; health: UpstreamHealth };

const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;

/**
 * Asks upstreams something small, as often as the operator wants it, so that one that is well again is known to be
 * before a client has to find out. One call at a time for each, of one model after the other.
 */
export class Probes {
  readonly #options: ProbesOptions;
  readonly #asked = new Map<Id<"ups">, { atMs: number; model: number; isRunning: boolean }>();
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  start(send: Sender): void {
    this.#timer = setInterval(() => this.look(send), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  look(send: Sender): void {
    const nowMs = this.#options.nowMs();
    for (const upstream of this.#options.catalogue().upstreams) {
      const { id, probeMinutes, models, isPaused } = upstream;
      if (probeMinutes === null || models.size === 0 || isPaused) continue;
      const known = this.#asked.get(id) ?? { atMs: nowMs, model: -1, isRunning: false };
      this.#asked.set(id, known);
      if (known.isRunning || nowMs - known.atMs < probeMinutes * MINUTE_MS) continue;
      known.atMs = nowMs;
      known.model = (known.model + 1) % models.size;
      known.isRunning = true;
      void this.#ask(upstream, known.model, send).finally(() => {
        known.isRunning = false;
      });
    }
  }

  async #ask(upstream: Upstream, at: number, send: Sender): Promise<void> {
    const { health, log, nowMs } = this.#options;
    const [model, known] = [...upstream.models][at] ?? ["", ""];
    // Where it is busy there is nothing to find out, and a rest that was asked for is kept.
    if (health.isFull(upstream) || health.restOf(upstream, model, nowMs())?.isAskedFor === true) return;
    const credential = pickCredential(upstream, { model, health, nowMs: nowMs(), affinity: null });
    const hasOthers = upstream.credentials.length > 1;
    const place: Place = { upstream: upstream.id, model, credential: credential?.id ?? null, hasOthers };
    health.begins(place, nowMs());
    try {
      const clock = { nowMs };
      const probed = await probe({ send, clock, upstream, with: credential, model: known, credential: null });
      if (!("trouble" in probed)) health.succeeded(place, nowMs());
      else {
        const failure = failureOf(probed.trouble, nowMs());
        health.failed(place, { failure, nowMs: nowMs() });
        log("info", "upstream.probe_failed", { upstream: upstream.name, model, why: failure.why });
      }
    } catch (error) {
      health.unheard(place, nowMs());
      log("debug", "upstream.probe_failed", { upstream: upstream.name, model, why: String(error) });
    } finally {
      health.ends(place);
    }
  }
}

function failureOf(trouble: Trouble, nowMs: number): Failure {
  if (trouble.kind !== "status") {
    const why = trouble.kind === "failure" ? trouble.detail : "what it sent is no answer";
    return { why, retryAfterMs: null, isCredential: false };
  }
  return faultOfStatus({ status: trouble.status, headers: new Map() }, nowMs);
}
