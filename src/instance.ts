import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "./domain/clock.ts";
import type { Id } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import type { Instance } from "./store/instances.ts";
import { readJournals, removeJournal } from "./store/journal.ts";
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

export type Membership = { store: Store; bootId: Id<"boot">; clock: Clock; log: Log; journals: string };

/**
 * Makes this process known, resolves what processes that are no more left open, and goes on doing both. A process
 * that was killed is noticed at the next start on the same machine, or by another one a little later.
 */
export async function joinInstances(membership: Membership): Promise<{ leave: () => Promise<void> }> {
  const { store, bootId, clock, log } = membership;
  const signs = signsOfLife();
  const round = async () => {
    await store.run("instance.heartbeat", thisInstance(bootId, clock.nowMs()));
    const count = await recoverOrphans(membership, signs);
    if (count > 0) log("warn", "holds.interrupted", { count });
  };
  await round();
  let running = false;
  const heart = setInterval(() => {
    if (running) return;
    running = true;
    round()
      .catch((error: unknown) => {
        signs.forget();
        log("error", "heartbeat.failed", { why: error instanceof Error ? error.message : String(error) });
      })
      .finally(() => {
        running = false;
      });
  }, HEARTBEAT_MS);
  return {
    leave: async () => {
      clearInterval(heart);
      try {
        await store.run("instance.forget", { bootId });
      } catch (error) {
        log("warn", "instance.not_forgotten", { why: error instanceof Error ? error.message : "" });
      }
    },
  };
}

type Signs = ReturnType<typeof signsOfLife>;

/**
 * Whether another machine's heart still beats: its sign must change while we watch, by our own clock, however wrong
 * its own may be. After an outage of the database all signs are old, so the watching begins anew.
 */
function signsOfLife() {
  const seen = new Map<Id<"boot">, { seenAtMs: number; tick: number }>();
  return {
    isFresh: ({ bootId, seenAtMs }: Instance): boolean => {
      const before = seen.get(bootId);
      const now = performance.now();
      if (before === undefined || before.seenAtMs !== seenAtMs) seen.set(bootId, { seenAtMs, tick: now });
      return before === undefined || before.seenAtMs !== seenAtMs || now - before.tick < SILENT_MS_MAX;
    },
    forget: () => seen.clear(),
  };
}

async function recoverOrphans(membership: Membership, signs: Signs): Promise<number> {
  const { store, bootId, journals, log } = membership;
  const instances = await store.run("instance.list", {});
  const alive = new Set(instances.filter(instance => isAlive(instance, signs)).map(({ bootId: id }) => id));
  alive.add(bootId);
  // What a process could not write before it ended is written first: it knows better than its checkpoints.
  for (const leftover of readJournals(journals, boot => !alive.has(boot))) {
    for (const settlement of leftover.settlements) store.settle(settlement);
    await store.flushed();
    removeJournal(leftover);
    log("warn", "journal.replayed", { settlements: leftover.settlements.length });
  }
  const holders = await store.run("instance.holders", {});
  const gone = holders.filter(holder => !alive.has(holder));
  const count = gone.length === 0 ? 0 : await store.recover(gone);
  for (const dead of instances)
    if (!alive.has(dead.bootId)) await store.run("instance.forget", { bootId: dead.bootId });
  return count;
}

function isAlive(instance: Instance, signs: Signs): boolean {
  if (instance.host !== hostname()) return signs.isFresh(instance);
  if (instance.pidStarted !== "") return processStart(instance.pid) === instance.pidStarted;
  try {
    process.kill(instance.pid, 0);
    return true;
  } catch {
    return false;
  }
}
