import { type Catalogue, shortId } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { Id, IdMaker } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Store } from "../store/store.ts";
import type { UpstreamEvent, UpstreamState } from "../store/upstream-record.ts";
import type { HealthChange, Subject } from "../upstream/health.ts";
import type { Standing } from "../upstream/standings.ts";

export type HealthRecordOptions = Clock & {
  store: Pick<Store, "run">;
  log: Log;
  newId: IdMaker;
  bootId: Id<"boot">;
  catalogue: () => Catalogue;
  /** Counted for the metrics. */
  onRefused: (upstream: string) => void;
};

const WRITE_MS = 1_000;
const EVENTS_MAX = 1_000;
/** Where nobody else can be asked, every request tries it anew; that is not told each time. */
const SAME_MS = 1_000;

type Told = { state: string; atMs: number; restsUntilMs: number };

/** Writes down and logs how upstreams and their credentials change, beside the requests that found it out. */
export class HealthRecord {
  readonly #options: HealthRecordOptions;
  readonly #states = new Map<string, UpstreamState>();
  #events: UpstreamEvent[] = [];
  readonly #told = new Map<string, Told>();
  readonly #eventAt = new Map<string, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isWriting = false;
  #isFailing = false;

  constructor(options: HealthRecordOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.write(), WRITE_MS);
    this.#timer.unref();
  }

  changed({ subject, standing, isLonger }: HealthChange): void {
    const { upstream: upstreamId, model, credential: credentialId } = subject;
    const { state, why, sinceMs, untilMs } = standing;
    const name = [upstreamId, model, credentialId].join(" ");
    this.#states.set(name, { upstreamId, model, credentialId, state, why, sinceMs, untilMs });
    if (isLonger) return;
    this.#tell(name, subject, standing);
    const same = `${name} ${state}`;
    const lastMs = this.#eventAt.get(same) ?? Number.NEGATIVE_INFINITY;
    if (sinceMs - lastMs < SAME_MS) return;
    this.#eventAt.set(same, sinceMs);
    const id = this.#options.newId("evt");
    this.#events.push({ id, upstreamId, model, credentialId, state, why, untilMs, atMs: sinceMs });
    if (this.#events.length > EVENTS_MAX) this.#events.shift();
  }

  /** What could not be written is written with the next ones. */
  async write(): Promise<void> {
    if (this.#isWriting || (this.#states.size === 0 && this.#events.length === 0)) return;
    this.#isWriting = true;
    const states = [...this.#states];
    const events = this.#events;
    this.#states.clear();
    this.#events = [];
    try {
      const { store, bootId } = this.#options;
      await store.run("upstream.record", { bootId, states: states.map(([, state]) => state), events });
      this.#isFailing = false;
    } catch (error) {
      for (const [name, state] of states) if (!this.#states.has(name)) this.#states.set(name, state);
      this.#events = [...events, ...this.#events].slice(-EVENTS_MAX);
      const why = error instanceof Error ? error.message : String(error);
      if (!this.#isFailing) this.#options.log("warn", "upstream.not_recorded", { why });
      this.#isFailing = true;
    } finally {
      this.#isWriting = false;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  /** Once when it begins to rest and once when it is back; again only when a whole rest has changed nothing. */
  #tell(name: string, subject: Subject, { state, why, sinceMs, untilMs, isRefused }: Standing): void {
    if (state === "trying") return;
    const last = this.#told.get(name);
    const isNews = last === undefined ? state !== "open" : last.state !== state;
    if (!isNews && (state === "open" || sinceMs < (last?.restsUntilMs ?? 0))) return;
    this.#told.set(name, { state, atMs: sinceMs, restsUntilMs: untilMs ?? sinceMs });
    const about = this.#about(subject);
    const { log, onRefused } = this.#options;
    if (state === "open") {
      log("info", "upstream.back", { ...about, ...(why === null ? {} : { why }) });
      return;
    }
    if (isRefused === true) onRefused(about.upstream);
    const until = untilMs === null ? {} : { until: new Date(untilMs).toISOString() };
    const [level, event] =
      isRefused === true
        ? (["error", "upstream.credential_refused"] as const)
        : (["warn", "upstream.resting"] as const);
    log(level, event, { ...about, why: why ?? "", ...until });
  }

  #about({ upstream, model, credential }: Subject): {
    upstream: string;
    model?: string;
    credential?: string;
  } {
    const named = this.#options.catalogue().upstreams.find(({ id }) => id === upstream);
    return {
      upstream: named?.name ?? upstream,
      ...(model === null ? {} : { model }),
      ...(credential === null ? {} : { credential: shortId(credential) }),
    };
  }
}
