import { readdirSync, readFileSync } from "node:fs";

/** What Linux says about a process. */
export type ProcessStat = { pid: number; parentPid: number; cpuTicks: number; startedTicks: number };

/** USER_HZ, which Linux fixes at 100 on every platform that Bun runs on. */
const TICKS_PER_SECOND = 100;

/** A process that is gone reads as null. */
export function readStat(pid: number): ProcessStat | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name is in parentheses and may hold spaces, so the fields are counted from the last parenthesis.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number) => Number(fields[number - 3]);
  return { pid, parentPid: field(4), cpuTicks: field(14) + field(15), startedTicks: field(22) };
}

/** The process and all that descend from it: nginx is a master and its worker. */
export function processTree(pid: number): readonly ProcessStat[] {
  const all = readdirSync("/proc")
    .filter(name => /^\d+$/.test(name))
    .map(name => readStat(Number(name)))
    .filter(stat => stat !== null);
  const tree = all.filter(stat => stat.pid === pid);
  for (const member of tree) tree.push(...all.filter(stat => stat.parentPid === member.pid));
  return tree;
}

/** User and system time of every thread of the tree so far. */
export function cpuMicros(pid: number): number {
  const ticks = processTree(pid).reduce((sum, stat) => sum + stat.cpuTicks, 0);
  return (ticks * 1_000_000) / TICKS_PER_SECOND;
}

export type Memory = { residentBytes: number; peakBytes: number };

export function memory(pid: number): Memory {
  const status = processTree(pid).map(stat => readOrNull(`/proc/${stat.pid}/status`) ?? "");
  const sumOf = (name: string) =>
    status.reduce(
      (sum, text) => sum + Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0),
      0,
    );
  return { residentBytes: sumOf("VmRSS") * 1024, peakBytes: sumOf("VmHWM") * 1024 };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
