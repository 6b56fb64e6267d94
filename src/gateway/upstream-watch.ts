import type { Catalogue, Upstream } from "../domain/catalogue.ts";
import type { Id } from "../domain/ids.ts";
import { UpstreamHealth } from "../upstream/health.ts";
import { HealthRecord, type HealthRecordOptions } from "./health-record.ts";
import type { Metrics } from "./metrics.ts";
import { Probes } from "./probes.ts";

export type UpstreamWatchOptions = Omit<HealthRecordOptions, "onRefused"> & {
  credentialRestMs: number;
  metrics: Metrics;
};

/** How the upstreams are doing, what is written down of it, and what the operator says about it. */
export class UpstreamWatch {
  readonly health: UpstreamHealth;
  readonly probes: Probes;
  readonly #record: HealthRecord;
  readonly #nowMs: () => number;
  readonly #resets = new Map<Id<"ups">, number | null>();

  constructor({ metrics, credentialRestMs, ...options }: UpstreamWatchOptions) {
    this.#nowMs = options.nowMs;
    const onRefused = (upstream: string) => metrics.credentialRefused(upstream);
    this.#record = new HealthRecord({ ...options, onRefused });
    this.health = new UpstreamHealth({
      credentialRestMs,
      onChange: change => {
        if (!change.isLonger) metrics.stood(this.#nameOf(change.subject.upstream), change.standing.state);
        this.#record.changed(change);
      },
    });
    const { nowMs, log, catalogue } = options;
    this.probes = new Probes({ nowMs, log, catalogue, health: this.health });
    this.#nameOf = id => catalogue().upstreams.find(upstream => upstream.id === id)?.name ?? id;
  }

  readonly #nameOf: (id: Id<"ups">) => string;

  /** A new picture of the upstreams: those that were put back to work since the last one begin anew. */
  seen({ upstreams }: Pick<Catalogue, "upstreams">): void {
    for (const upstream of upstreams) this.#resetIfAsked(upstream);
  }

  #resetIfAsked({ id, resetAtMs }: Upstream): void {
    const before = this.#resets.get(id);
    this.#resets.set(id, resetAtMs);
    if (before !== undefined && before !== resetAtMs) this.health.reset(id, this.#nowMs());
  }

  async stop(): Promise<void> {
    this.probes.stop();
    await this.#record.stop();
  }
}
