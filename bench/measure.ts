import type { LoadResult, Mode, Wrk } from "./load.ts";
import { probeOnce, probeStream, type StreamProbe } from "./probe.ts";
import { cpuMicros } from "./proc.ts";
import { median } from "./statistics.ts";
import type { Target, TargetName } from "./targets.ts";

/** The proxies are loaded by many connections for their CPU time, and by few for their latency. */
export const CPU_CONNECTIONS = 64;
export const LATENCY_CONNECTIONS = 4;
/** After wrk has left, so that the settlements it leaves behind are counted with the requests they belong to. */
const SETTLE_MS = 250;

export type Round = LoadResult & { target: TargetName; mode: Mode; round: number; connections: number };
export type CpuRound = Round & {
  cpuMicrosPerRequest: number;
  /** Cores that it, and the mock beside it, kept busy: the mock must not be the one that is full. */
  cores: number;
  mockCores: number;
  /** In how many pieces a stream came through while the load ran; null without streaming. */
  pieces: number | null;
};
export type LatencyRound = Round & { stream: StreamLatency | null };
/** Medians of the streams that were read beside wrk, which sees only whole ones. */
export type StreamLatency = { streams: number; firstByteMs: number; chunkMs: number };

export type Plan = { rounds: number; secondsPerRound: number; key: string };
export type Targets = { direct: Target; nginx: Target; wicketgate: Target };

/** What the gateway was sent in all: what was answered, and at most how many were cut off when wrk stopped. */
export type Sent = { answered: number; cutOffMax: number };

export class Measurement {
  readonly #wrk: Wrk;
  readonly #targets: Targets;
  readonly #plan: Plan;
  readonly #sent: Sent = { answered: 0, cutOffMax: 0 };

  constructor({ wrk, targets, plan }: { wrk: Wrk; targets: Targets; plan: Plan }) {
    this.#wrk = wrk;
    this.#targets = targets;
    this.#plan = plan;
  }

  get sent(): Readonly<Sent> {
    return this.#sent;
  }

  /** One request of each kind must come back whole from each before anything is measured. */
  async probe(): Promise<void> {
    const { direct, nginx, wicketgate } = this.#targets;
    for (const target of [direct, nginx, wicketgate]) {
      this.#count(target, { answered: await probeOnce({ target, key: this.#plan.key }), cutOffMax: 0 });
    }
  }

  /** Not counted in any figure: caches fill, connections open, code is compiled. */
  async warmUp(mode: Mode): Promise<void> {
    const { direct, nginx, wicketgate } = this.#targets;
    for (const target of [direct, nginx, wicketgate]) {
      await this.#load({ target, mode, round: 0, connections: CPU_CONNECTIONS });
    }
  }

  /** nginx and the gateway take turns, so that what else the machine does falls on both. */
  async cpuRounds(mode: Mode): Promise<CpuRound[]> {
    const { nginx, wicketgate } = this.#targets;
    return this.#interleave([nginx, wicketgate], (target, round) => this.#cpuRound({ target, mode, round }));
  }

  async latencyRounds(mode: Mode): Promise<LatencyRound[]> {
    const { direct, nginx, wicketgate } = this.#targets;
    return this.#interleave([direct, nginx, wicketgate], async (target, round) => {
      const [load, stream] = await Promise.all([
        this.#load({ target, mode, round, connections: LATENCY_CONNECTIONS }),
        mode === "streaming" ? this.#streamLatency(target) : null,
      ]);
      return { ...load, stream };
    });
  }

  async #interleave<Result>(
    targets: readonly Target[],
    measure: (target: Target, round: number) => Promise<Result>,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (let round = 1; round <= this.#plan.rounds; round += 1) {
      for (const target of targets) results.push(await measure(target, round));
    }
    return results;
  }

  async #cpuRound({ target, mode, round }: { target: Target; mode: Mode; round: number }): Promise<CpuRound> {
    const mock = this.#targets.direct;
    const before = { own: cpuMicros(target.server.pid), mock: cpuMicros(mock.server.pid) };
    const [load, pieces] = await Promise.all([
      this.#load({ target, mode, round, connections: CPU_CONNECTIONS }),
      mode === "streaming" ? this.#piecesUnderLoad(target) : null,
    ]);
    await Bun.sleep(SETTLE_MS);
    const own = cpuMicros(target.server.pid) - before.own;
    const mockOwn = cpuMicros(mock.server.pid) - before.mock;
    const requests = load.requests + (pieces === null ? 0 : 1);
    const wallMicros = load.seconds * 1e6;
    return {
      ...load,
      cpuMicrosPerRequest: own / requests,
      cores: own / wallMicros,
      mockCores: mockOwn / wallMicros,
      pieces,
    };
  }

  async #piecesUnderLoad(target: Target): Promise<number> {
    await Bun.sleep((this.#plan.secondsPerRound * 1000) / 3);
    const { pieces } = await this.#probeStream(target);
    return pieces;
  }

  async #streamLatency(target: Target): Promise<StreamLatency> {
    const probes: StreamProbe[] = [];
    const endMs = performance.now() + this.#plan.secondsPerRound * 1000;
    do probes.push(await this.#probeStream(target));
    while (performance.now() < endMs);
    return {
      streams: probes.length,
      firstByteMs: median(probes.map(probe => probe.firstByteMs)),
      chunkMs: median(probes.flatMap(probe => probe.chunkMs)),
    };
  }

  async #probeStream(target: Target): Promise<StreamProbe> {
    const probe = await probeStream({ target, key: this.#plan.key });
    this.#count(target, { answered: 1, cutOffMax: 0 });
    return probe;
  }

  async #load(to: { target: Target; mode: Mode; round: number; connections: number }): Promise<Round> {
    const { target, mode, round, connections } = to;
    const result = await this.#wrk({ target, mode, connections, seconds: this.#plan.secondsPerRound });
    this.#count(target, { answered: result.requests, cutOffMax: connections });
    return { target: target.name, mode, round, connections, ...result };
  }

  #count(target: Target, sent: Sent): void {
    if (target.name !== "wicketgate") return;
    this.#sent.answered += sent.answered;
    this.#sent.cutOffMax += sent.cutOffMax;
  }
}
