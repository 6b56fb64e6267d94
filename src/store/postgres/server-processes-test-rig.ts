import { existsSync, readdirSync, readFileSync } from "node:fs";

/** PostgreSQL is a process and its children; each child has a group of its own, so they are found by their parent. */

type Seen = { pid: number; parent: number; ended: boolean };

function processes(): Seen[] {
  return existsSync("/proc/self/stat") ? fromProc() : fromPs();
}

function fromProc(): Seen[] {
  return readdirSync("/proc")
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        // The name of a program may have spaces and brackets; what follows the last bracket has none.
        const text = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(parent), ended: state === "Z" || state === "X" }];
      } catch {
        return [];
      }
    });
}

function fromPs(): Seen[] {
  const listed = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid=,stat="]).stdout.toString().trim();
  return listed.split("\n").map(line => {
    const [pid, parent, state] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), ended: state?.startsWith("Z") ?? false };
  });
}

function childrenOf(pid: number): number[] {
  return processes()
    .filter(seen => seen.parent === pid)
    .map(seen => seen.pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended, which is as good.
  }
}

/** The parent first, so that it neither starts new children nor mourns for the ones that stop. */
export function pauseTree(pid: number): number[] {
  signal(pid, "SIGSTOP");
  const children = childrenOf(pid);
  for (const child of children) signal(child, "SIGSTOP");
  return [pid, ...children];
}

export function resumeTree(pid: number): void {
  for (const child of childrenOf(pid)) signal(child, "SIGCONT");
  signal(pid, "SIGCONT");
}

/** All at once and without a word, as when the power fails; resolves when none of them is left. */
export async function killTree(pid: number): Promise<void> {
  const all = pauseTree(pid);
  for (const one of all) signal(one, "SIGKILL");
  while (processes().some(seen => all.includes(seen.pid) && !seen.ended)) await Bun.sleep(5);
}
