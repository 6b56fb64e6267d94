import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "./domain/clock.ts";
import type { Id } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import type { Instance } from "./store/instances.ts";
import type { Store } from "./store/store.ts";

/** A process of another machine counts as gone after this long without a sign of life. */
const SILENT_MS_MAX = 15_000;
const HEARTBEAT_MS = 5_000;

/** When a process began, as the kernel tells it, so that a reused number is not taken for the same process. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie is dead already; only its parent has not looked yet.
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function thisInstance(bootId: Id<"boot">, nowMs: number): Instance {
  const pidStarted = processStart(process.pid) ?? "";
  return { bootId, host: hostname(), pid: process.pid, pidStarted, seenAtMs: nowMs };
}

export type Membership = { store: Store; bootId: Id<"boot">; clock: Clock; log: Log };

/**
 * Makes this process known, resolves what processes that are no more left open, and goes on doing both. A process
 * that was killed is noticed at the next start on the same machine, or by another one a little later.
 */
export async function joinInstances(membership: Membership): Promise<{ leave: () => Promise<void> }> {
  const { store, bootId, clock, log } = membership;
  const round = async () => {
    await store.run("instance.heartbeat", thisInstance(bootId, clock.nowMs()));
    const count = await recoverOrphans(membership);
    if (count > 0) log("warn", "holds.interrupted", { count });
  };
  await round();
  const heart = setInterval(() => {
    round().catch((error: unknown) => log("error", "heartbeat.failed", { why: String(error) }));
  }, HEARTBEAT_MS);
  return {
    leave: async () => {
      clearInterval(heart);
      await store.run("instance.forget", { bootId });
    },
  };
}

async function recoverOrphans({ store, bootId, clock }: Membership): Promise<number> {
  const instances = await store.run("instance.list", {});
  const alive = new Set(
    instances.filter(instance => isAlive(instance, clock.nowMs())).map(({ bootId: id }) => id),
  );
  alive.add(bootId);
  const holders = await store.run("instance.holders", {});
  const gone = holders.filter(holder => !alive.has(holder));
  const count = gone.length === 0 ? 0 : await store.recover(gone);
  for (const dead of instances)
    if (!alive.has(dead.bootId)) await store.run("instance.forget", { bootId: dead.bootId });
  return count;
}

function isAlive(instance: Instance, nowMs: number): boolean {
  if (instance.host !== hostname()) return nowMs - instance.seenAtMs < SILENT_MS_MAX;
  if (instance.pidStarted !== "") return processStart(instance.pid) === instance.pidStarted;
  try {
    process.kill(instance.pid, 0);
    return true;
  } catch {
    return false;
  }
}
