import type { Catalogue } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import { refusal } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Store } from "../store/store.ts";
import type { RunningRequest, RunningRequests } from "./running.ts";

/** A change is noticed about this soon; admission never waits for it, only the picture and running streams do. */
const LOOK_MS = 100;
const TICK_MS = 200;

export type WatchOptions = Clock & {
  store: Store;
  running: RunningRequests;
  log: Log;
  streamMsMax: number;
  /** Waited for: what it needs to be of use has to be there first. */
  onCatalogue: (catalogue: Catalogue) => void | Promise<void>;
};

export type Watch = {
  /** Looks now: whoever has changed something is answered when the change counts here. */
  look: () => Promise<void>;
  stop: () => void;
};

/** Keeps the catalogue fresh, ends streams whose key may run no longer, and gives running requests their tick. */
export async function watch(options: WatchOptions): Promise<Watch> {
  const { store, running, log, nowMs, streamMsMax, onCatalogue } = options;
  const first = await store.run("catalogue.read", {});
  let { revision } = first;
  await onCatalogue(first);
  let isBlind = false;

  async function notice(expired: boolean): Promise<void> {
    const newest = await store.run("catalogue.revision", {});
    if (newest !== revision) {
      const fresh = await store.run("catalogue.read", {});
      await onCatalogue(fresh);
      revision = fresh.revision;
    } else if (!expired) return;
    const ids = running.keyIds();
    if (ids.length === 0) return;
    for (const { id, refusal } of await store.run("keys.stopped", { ids, nowMs: nowMs() })) {
      running.stopWhere(
        request => request.keyId === id,
        () => refusal,
      );
    }
  }

  /** What runs too long is ended; the rest may want to write down how far it is. */
  function tick(now: number): void {
    const tooLong = (request: RunningRequest) => now - request.startedAtMs > streamMsMax;
    running.stopWhere(tooLong, ({ model }) => refusal("upstream_timeout", { model }));
    running.tick(now);
  }

  /** While the database is away this happens ten times a second, and one line says it. */
  async function noticeOrTell(): Promise<void> {
    try {
      await notice(running.anyExpired(nowMs()));
      if (isBlind) log("info", "watch.back");
      isBlind = false;
    } catch (error) {
      if (!isBlind) log("error", "watch.failed", { why: error instanceof Error ? error.message : "" });
      isBlind = true;
    }
  }

  const { look, isLooking } = oneAtATime(noticeOrTell);
  const ticks = setInterval(() => tick(nowMs()), TICK_MS);
  const looks = setInterval(() => {
    if (!isLooking()) void look();
  }, LOOK_MS);
  return {
    look,
    stop: () => {
      clearInterval(ticks);
      clearInterval(looks);
    },
  };
}

/** A look that has begun may have missed what was just written, so there is one after it, for all who ask meanwhile. */
function oneAtATime(work: () => Promise<void>) {
  let looking: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function begin(): Promise<void> {
    looking = work().finally(() => {
      looking = null;
    });
    return looking;
  }

  function look(): Promise<void> {
    if (looking === null) return begin();
    next ??= looking.then(() => {
      next = null;
      return begin();
    });
    return next;
  }
  return { look, isLooking: () => looking !== null };
}
