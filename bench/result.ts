import type { Books } from "./books.ts";
import { type Mode, modes } from "./load.ts";
import type { Machine } from "./machine.ts";
import {
  CPU_CONNECTIONS,
  type CpuRound,
  LATENCY_CONNECTIONS,
  type LatencyRound,
  type Round,
} from "./measure.ts";
import type { Memory } from "./proc.ts";
import { median } from "./statistics.ts";
import type { TargetName } from "./targets.ts";

/** The machine-readable file: what was measured, round by round, and what follows from it. */
export type Result = {
  at: string;
  machine: Machine;
  plan: { rounds: number; secondsPerRound: number; cpuConnections: number; latencyConnections: number };
  summary: Record<Mode, ModeSummary>;
  memoryAfter: Memory;
  books: Books;
  verdicts: readonly Verdict[];
  cpuRounds: readonly CpuRound[];
  latencyRounds: readonly LatencyRound[];
};

/** Medians over the rounds. */
export type ModeSummary = {
  cpu: Record<Proxy, CpuSummary>;
  /** Each round of the gateway against the round of nginx beside it. */
  ratios: readonly number[];
  ratio: number;
  latency: Record<TargetName, Latency>;
};

export type CpuSummary = { microsPerRequest: number; requestsPerSecond: number; pieces: number | null };
/** Of whole requests or streams as wrk sees them; `added` is against the mock itself. */
export type Latency = { p50Ms: number; p99Ms: number; addedMs: number; stream: AddedToStream | null };
/** What is added until the first byte, and to the way of each chunk. */
export type AddedToStream = { firstByteMs: number; chunkMs: number };

export type Proxy = "nginx" | "wicketgate";
export type Verdict = { target: string; value: number; limit: number; holds: boolean };
type Measured = {
  machine: Machine;
  plan: { rounds: number; secondsPerRound: number };
  cpuRounds: readonly CpuRound[];
  latencyRounds: readonly LatencyRound[];
  memoryAfter: Memory;
  books: Books;
};

export const MEGABYTE = 1_000_000;

export function makeResult({
  machine,
  plan,
  cpuRounds,
  latencyRounds,
  memoryAfter,
  books,
}: Measured): Result {
  const summarise = (mode: Mode) =>
    summary(
      cpuRounds.filter(round => round.mode === mode),
      latencyRounds.filter(round => round.mode === mode),
    );
  const summaries = { "non-streaming": summarise("non-streaming"), streaming: summarise("streaming") };
  const { rounds, secondsPerRound } = plan;
  return {
    at: new Date().toISOString(),
    machine,
    plan: {
      rounds,
      secondsPerRound,
      cpuConnections: CPU_CONNECTIONS,
      latencyConnections: LATENCY_CONNECTIONS,
    },
    summary: summaries,
    memoryAfter,
    books,
    verdicts: verdicts(summaries, memoryAfter),
    cpuRounds,
    latencyRounds,
  };
}

function summary(cpuRounds: readonly CpuRound[], latencyRounds: readonly LatencyRound[]): ModeSummary {
  const cpu = (target: Proxy) => cpuSummary(of(cpuRounds, target));
  const direct = of(latencyRounds, "direct");
  const latency = (target: TargetName) => latencySummary(of(latencyRounds, target), direct);
  const ratios = roundRatios(of(cpuRounds, "nginx"), of(cpuRounds, "wicketgate"));
  return {
    cpu: { nginx: cpu("nginx"), wicketgate: cpu("wicketgate") },
    ratios,
    ratio: median(ratios),
    latency: { direct: latency("direct"), nginx: latency("nginx"), wicketgate: latency("wicketgate") },
  };
}

function of<R extends Round>(rounds: readonly R[], target: TargetName): R[] {
  return rounds.filter(round => round.target === target);
}

function cpuSummary(rounds: readonly CpuRound[]): CpuSummary {
  const pieces = rounds.map(round => round.pieces).filter(count => count !== null);
  return {
    microsPerRequest: median(rounds.map(round => round.cpuMicrosPerRequest)),
    requestsPerSecond: median(rounds.map(round => round.requestsDone / round.seconds)),
    pieces: pieces.length === 0 ? null : median(pieces),
  };
}

function latencySummary(rounds: readonly LatencyRound[], direct: readonly LatencyRound[]): Latency {
  const p50Ms = median(rounds.map(round => round.p50Ms));
  const [stream, directStream] = [streamSummary(rounds), streamSummary(direct)];
  return {
    p50Ms,
    p99Ms: median(rounds.map(round => round.p99Ms)),
    addedMs: p50Ms - median(direct.map(round => round.p50Ms)),
    stream: stream === null || directStream === null ? null : subtract(stream, directStream),
  };
}

function streamSummary(rounds: readonly LatencyRound[]): AddedToStream | null {
  const streams = rounds.map(round => round.stream).filter(stream => stream !== null);
  if (streams.length === 0) return null;
  return {
    firstByteMs: median(streams.map(stream => stream.firstByteMs)),
    chunkMs: median(streams.map(stream => stream.chunkMs)),
  };
}

function subtract(stream: AddedToStream, direct: AddedToStream): AddedToStream {
  return { firstByteMs: stream.firstByteMs - direct.firstByteMs, chunkMs: stream.chunkMs - direct.chunkMs };
}

function roundRatios(nginx: readonly CpuRound[], wicketgate: readonly CpuRound[]): number[] {
  return wicketgate.map(
    (round, at) => round.cpuMicrosPerRequest / (nginx[at]?.cpuMicrosPerRequest ?? Number.NaN),
  );
}

function verdicts(summaries: Record<Mode, ModeSummary>, memoryAfter: Memory): Verdict[] {
  const limits = { "non-streaming": 5, streaming: 3 };
  const names = {
    "non-streaming": "CPU per non-streaming request, times nginx, at most",
    streaming: "CPU per 100-chunk stream, times nginx, at most",
  };
  const ratios = modes.map(mode => {
    const [value, limit] = [summaries[mode].ratio, limits[mode]];
    return { target: names[mode], value, limit, holds: value <= limit };
  });
  const residentMb = memoryAfter.residentBytes / MEGABYTE;
  return [
    ...ratios,
    {
      target: "resident memory after the run, MB, under",
      value: residentMb,
      limit: 100,
      holds: residentMb < 100,
    },
  ];
}
