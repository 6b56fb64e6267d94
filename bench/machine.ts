import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { arch, cpus, release } from "node:os";
import { join } from "node:path";
import type { Site } from "./site.ts";
import { median, percentile } from "./statistics.ts";
import type { Tools } from "./tools.ts";

const SYNCS = 200;
const SYNC_BYTES = 4096;

export type Machine = {
  cpu: string;
  cores: number;
  kernel: string;
  arch: string;
  memoryBytes: number;
  loadAverageBefore: number;
  bun: string;
  nginx: string;
  wrk: string;
  fdatasync: { count: number; bytes: number; p50Ms: number; p99Ms: number };
};

export async function describeMachine(
  site: Site,
  { tools, dataDir }: { tools: Tools; dataDir: string },
): Promise<Machine> {
  const [nginx, wrk] = await Promise.all([
    firstLine(site, [tools.nginx, "-v"]),
    firstLine(site, [tools.wrk, "-v"]),
  ]);
  return {
    cpu: cpuModel(),
    cores: cpus().length,
    kernel: release(),
    arch: arch(),
    memoryBytes: Number(/MemTotal:\s+(\d+)/.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0) * 1024,
    loadAverageBefore: Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]),
    bun: Bun.version,
    nginx: nginx.replace(/^nginx version: /, ""),
    wrk: wrk.replace(/ Copyright.*$/, "").replace(/^wrk /, ""),
    fdatasync: timeSyncs(dataDir),
  };
}

/** `os.cpus()` knows no model name on ARM; lscpu derives one, /proc/cpuinfo has only the numbers. */
function cpuModel(): string {
  const named = cpus()[0]?.model ?? "";
  if (named !== "" && named !== "unknown") return named;
  const info = readFileSync("/proc/cpuinfo", "utf8");
  const field = (name: string) => new RegExp(`^${name}\\s*: (.+)$`, "m").exec(info)?.[1] ?? "?";
  return `implementer ${field("CPU implementer")} part ${field("CPU part")}`;
}

/** nginx tells its version on stderr; wrk on stdout, with code 1. */
async function firstLine(site: Site, command: string[]): Promise<string> {
  const { stdout, stderr } = await site.processes.run({ command, env: {} });
  return (stdout + stderr).split("\n")[0] ?? "";
}

/** What one durable write costs where the gateway's database is going to be. */
function timeSyncs(dataDir: string): Machine["fdatasync"] {
  const path = join(dataDir, "fdatasync-probe");
  const block = Buffer.alloc(SYNC_BYTES, 1);
  const file = openSync(path, "w");
  const timesMs: number[] = [];
  for (let done = 0; done < SYNCS; done += 1) {
    writeSync(file, block);
    const start = performance.now();
    fdatasyncSync(file);
    timesMs.push(performance.now() - start);
  }
  closeSync(file);
  rmSync(path);
  return { count: SYNCS, bytes: SYNC_BYTES, p50Ms: median(timesMs), p99Ms: percentile(timesMs, 99) };
}
