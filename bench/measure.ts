import type { Load, LoadResult, Mode, Wrk } from "./load.ts";
import { probeOnce, probeStream, type StreamProbe } from "./probe.ts";
import { cpuMicros } from "./proc.ts";
import { median } from "./statistics.ts";
import type { Target, TargetName } from "./targets.ts";

/** The proxies are loaded by many connections for their CPU time, and by few for their latency. */
export const CPU_CONNECTIONS = 64;
export const LATENCY_CONNECTIONS = 4;
/** Also of a quick run: the gateway's first seconds are compilation. */
const WARM_UP_SECONDS = 8;
/** After wrk has left, so that the settlements it leaves behind are counted with the requests they belong to. */
const SETTLE_MS = 250;

export type Round = LoadResult & { target: TargetName; mode: Mode; round: number; connections: number };
export type CpuRound = Round & {
  cpuMicrosPerRequest: number;
  /** The requests completed; of the streams under way when wrk stopped, as much as the bytes that had arrived. */
  requestsDone: number;
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
      await this.#load({ target, mode, round: 0, connections: CPU_CONNECTIONS, seconds: WARM_UP_SECONDS });
    }
  }

  /** nginx and the gateway take turns, so that what else the machine does falls on both. */
  async cpuRounds(mode: Mode): Promise<CpuRound[]> {
    const { nginx, wicketgate } = this.#targets;
    return this.#interleave([nginx, wicketgate], (target, round) => this.#cpuRound({ target, mode, round }));
  }

  async latencyRounds(mode: Mode): Promise<LatencyRound[]> {
    const { direct, nginx, wicketgate } = this.#targets;
    const seconds = this.#plan.secondsPerRound;
    return this.#interleave([direct, nginx, wicketgate], async (target, round) => {
      const [load, stream] = await Promise.all([
        this.#load({ target, mode, round, connections: LATENCY_CONNECTIONS, seconds }),
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
    const [load, probe] = await Promise.all([
      this.#load({ target, mode, round, connections: CPU_CONNECTIONS, seconds: this.#plan.secondsPerRound }),
      mode === "streaming" ? this.#probeUnderLoad(target) : null,
    ]);
    await Bun.sleep(SETTLE_MS);
    const own = cpuMicros(target.server.pid) - before.own;
    const mockOwn = cpuMicros(mock.server.pid) - before.mock;
    const wallMicros = load.seconds * 1e6;
    const requestsDone = probe === null ? load.requests : load.bytes / probe.bytes + 1;
    return {
      ...load,
      requestsDone,
      cpuMicrosPerRequest: own / requestsDone,
      cores: own / wallMicros,
      mockCores: mockOwn / wallMicros,
      pieces: probe?.pieces ?? null,
    };
  }

  async #probeUnderLoad(target: Target): Promise<StreamProbe> {
    await Bun.sleep((this.#plan.secondsPerRound * 1000) / 3);
    return this.#probeStream(target);
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

  async #load({ round, ...load }: Load & { round: number }): Promise<Round> {
    const { target, mode, connections } = load;
    const result = await this.#wrk(load);
    this.#count(target, { answered: result.requests, cutOffMax: connections });
    return { target: target.name, mode, round, connections, ...result };
  }

  #count(target: Target, sent: Sent): void {
    if (target.name !== "wicketgate") return;
    this.#sent.answered += sent.answered;
    this.#sent.cutOffMax += sent.cutOffMax;
  }
}
