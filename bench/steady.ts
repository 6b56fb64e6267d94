import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Timed } from "./pace.ts";
import type { Site } from "./site.ts";
import { median } from "./statistics.ts";

/**
 * Whether the machine itself keeps its pace. A core of a virtual one may run at a tenth of its speed for a tenth of a
 * second, again and again, whatever runs on it; what a request takes then says nothing about the gateway.
 */
export type Steadiness = {
  /** When a core did not keep its pace, since the last time. */
  slowTimes: () => Promise<Span[]>;
  stop: () => Promise<void>;
};
export type Span = { fromMs: number; toMs: number };
type Look = Span & { workMs: number };

const SLOW_TIMES = 3;
/** Between two looks. */
const AROUND_MS = 6;
/** By then a probe has printed what it saw. */
const PRINTED_MS = 300;

/** A probe on each core. */
export function watchSteadiness(site: Site): Steadiness {
  const pinned = Bun.which("taskset");
  const cores = pinned === null ? [[]] : cpus().map((_, core) => [pinned, "-c", String(core)]);
  const probes = cores.map((pin, core) =>
    site.processes.start({
      name: "a probe of the machine's pace",
      command: [...pin, process.execPath, join(import.meta.dir, "steady-probe.ts")],
      env: { ...process.env },
      logFile: join(site.dir, `steady-${core}.log`),
    }),
  );
  let sinceMs = 0;
  return {
    slowTimes: async () => {
      const untilMs = performance.timeOrigin + performance.now();
      await Bun.sleep(PRINTED_MS);
      const found = probes.flatMap(({ logFile }) =>
        slowOf(looksIn(logFile).filter(({ fromMs }) => fromMs > sinceMs && fromMs <= untilMs)),
      );
      sinceMs = untilMs;
      return found;
    },
    stop: async () => {
      for (const { pid } of probes) await site.processes.stop(pid);
    },
  };
}

function looksIn(file: string): Look[] {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map(line => {
    const [fromMs = Number.NaN, toMs = Number.NaN, workMs = Number.NaN] = line.split(" ").map(Number);
    if (Number.isNaN(workMs)) throw new Error(`the probe of the machine's pace said: ${line}`);
    return { fromMs, toMs, workMs };
  });
}

function slowOf(looks: readonly Look[]): Span[] {
  const usualMs = median(looks.map(({ workMs }) => workMs));
  return looks.filter(({ workMs }) => workMs > SLOW_TIMES * usualMs);
}

export type Sorted = { steady: number[]; all: number[] };

/** The times of those requests that met every core at its own pace from beginning to end, and of all. */
export function sorted(times: readonly Timed[], slow: readonly Span[]): Sorted {
  const isSteady = ({ dueMs, ms }: Timed) =>
    slow.every(({ fromMs, toMs }) => toMs + AROUND_MS < dueMs || fromMs - AROUND_MS > dueMs + ms);
  return { steady: times.filter(isSteady).map(({ ms }) => ms), all: times.map(({ ms }) => ms) };
}
