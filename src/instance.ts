import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "./domain/clock.ts";
import type { Id } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import type { Instance } from "./store/instances.ts";
import { markBoot, markedBoots, readJournals, removeJournal, unmarkBoot } from "./store/journal.ts";
import type { Store } from "./store/store.ts";

/** A process of another machine counts as gone after this long without a sign of life. */
const SILENT_MS_MAX = 15_000;
const HEARTBEAT_MS = 5_000;
/** One that ran on this very data dir has most likely been replaced by us: a missing heartbeat is enough. */
const REPLACED_MS_MAX = 7_000;
/** What waits to be written at the end, and the farewell, may take this long each. */
const FLUSH_MS_MAX = 3_000;
const FAREWELL_MS_MAX = 1_500;

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

/** Containers may share the name of their host, but not its process numbers. */
function thisHost(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function thisInstance(bootId: Id<"boot">, nowMs: number): Instance {
  const pidStarted = processStart(process.pid) ?? "";
  return { bootId, host: thisHost(), pid: process.pid, pidStarted, seenAtMs: nowMs };
}

export type Membership = {
  store: Store;
  bootId: Id<"boot">;
  clock: Clock;
  log: Log;
  /** What processes on this data dir left behind, and their marks. */
  journals: string;
  dataDir: string;
  /** Other machines may be at the same database. */
  isShared: boolean;
};

/**
 * Makes this process known, resolves what processes that are no more left open, and goes on doing both. A process
 * that was killed is noticed at the next start on the same data dir, or by another one a little later.
 */
export async function joinInstances(membership: Membership): Promise<{ leave: () => Promise<void> }> {
  const { store, bootId, clock, log, dataDir, isShared } = membership;
  const signs = signsOfLife();
  const round = async () => {
    await store.run("instance.heartbeat", thisInstance(bootId, clock.nowMs()));
    const count = await recoverOrphans(membership, signs);
    if (count > 0) log("warn", "holds.interrupted", { count });
  };
  await round();
  if (isShared) markBoot(dataDir, bootId);
  let running = false;
  let failing = false;
  const beat = async () => {
    try {
      await round();
      failing = false;
    } catch (error) {
      signs.forget();
      const why = error instanceof Error ? error.message : String(error);
      if (!failing) log("error", "heartbeat.failed", { why });
      failing = true;
    }
  };
  const heart = setInterval(() => {
    if (running) return;
    running = true;
    void beat().finally(() => {
      running = false;
    });
  }, HEARTBEAT_MS);
  return {
    leave: () => {
      clearInterval(heart);
      return leave(membership);
    },
  };
}

/** Whoever still has something to write stays on the list, so that nobody resolves it for them at once. */
async function leave({ store, bootId, dataDir, log }: Membership): Promise<void> {
  try {
    await within(FLUSH_MS_MAX, store.flushed());
    await within(FAREWELL_MS_MAX, store.run("instance.forget", { bootId }));
    unmarkBoot(dataDir, bootId);
  } catch (error) {
    log("warn", "instance.not_forgotten", { why: error instanceof Error ? error.message : "" });
  }
}

async function within(msMax: number, work: Promise<void>): Promise<void> {
  const tooLong = Promise.withResolvers<void>();
  const timer = setTimeout(() => tooLong.reject(new Error("the database does not answer")), msMax);
  try {
    await Promise.race([work, tooLong.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type Signs = ReturnType<typeof signsOfLife>;

/**
 * Whether another machine's heart still beats: its sign must change while we watch, by our own clock, however wrong
 * its own may be. After an outage of the database all signs are old, so the watching begins anew.
 */
function signsOfLife() {
  const seen = new Map<Id<"boot">, { seenAtMs: number; tick: number }>();
  let calmSinceTick = performance.now();
  return {
    isFresh: ({ bootId, seenAtMs }: Instance, silentMsMax: number): boolean => {
      const before = seen.get(bootId);
      const now = performance.now();
      if (before === undefined || before.seenAtMs !== seenAtMs) seen.set(bootId, { seenAtMs, tick: now });
      return before === undefined || before.seenAtMs !== seenAtMs || now - before.tick < silentMsMax;
    },
    /** The database has been there for a while, so whoever could not write meanwhile has had time to. */
    isCalm: (): boolean => performance.now() - calmSinceTick >= SILENT_MS_MAX,
    forget: () => {
      seen.clear();
      calmSinceTick = performance.now();
    },
  };
}

async function recoverOrphans(membership: Membership, signs: Signs): Promise<number> {
  const { store, bootId, dataDir, isShared } = membership;
  const instances = await store.run("instance.list", {});
  const marked = new Set(markedBoots(dataDir));
  const lives = (instance: Instance) => {
    const silentMsMax = marked.has(instance.bootId) ? REPLACED_MS_MAX : SILENT_MS_MAX;
    return isAlive(instance, other => signs.isFresh(other, silentMsMax));
  };
  const alive = new Set(instances.filter(lives).map(({ bootId: id }) => id));
  alive.add(bootId);
  await replayJournals(membership, boot => !alive.has(boot));
  // A process that ended during an outage may have its settlements on a disk of its own, and start again with them.
  const ours = [...marked].filter(boot => !alive.has(boot));
  const isAllHere = !isShared || signs.isCalm();
  const mayResolve = (boot: Id<"boot">) => !alive.has(boot) && (isAllHere || ours.includes(boot));
  const gone = (await store.run("instance.holders", {})).filter(mayResolve);
  const count = gone.length === 0 ? 0 : await store.recover(gone);
  for (const dead of instances.filter(({ bootId: id }) => mayResolve(id)))
    await store.run("instance.forget", { bootId: dead.bootId });
  for (const boot of ours) unmarkBoot(dataDir, boot);
  return count;
}

/** What a process could not write before it ended is written first: it knows better than its checkpoints. */
async function replayJournals(
  { store, journals, log }: Membership,
  isGone: (bootId: Id<"boot">) => boolean,
): Promise<void> {
  for (const leftover of readJournals(journals, isGone)) {
    for (const command of leftover.commands) {
      if (command.do === "settle") store.settle(command.settlement);
      else store.checkpoint(command.checkpoint);
    }
    await store.flushed();
    removeJournal(leftover);
    log("warn", "journal.replayed", { commands: leftover.commands.length });
  }
}

function isAlive(instance: Instance, isFresh: (instance: Instance) => boolean): boolean {
  if (instance.host !== thisHost()) return isFresh(instance);
  if (instance.pidStarted !== "") return processStart(instance.pid) === instance.pidStarted;
  try {
    process.kill(instance.pid, 0);
    return true;
  } catch {
    return false;
  }
}
