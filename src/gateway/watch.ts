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

export type Watch = { stop: () => void };

/** Keeps the catalogue fresh, ends streams whose key may run no longer, and gives running requests their tick. */
export async function watch(options: WatchOptions): Promise<Watch> {
  const { store, running, log, nowMs, streamMsMax, onCatalogue } = options;
  const first = await store.run("catalogue.read", {});
  let { revision } = first;
  await onCatalogue(first);
  let looking = false;
  let isBlind = false;

  async function look(expired: boolean): Promise<void> {
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
  async function lookOrTell(expired: boolean): Promise<void> {
    try {
      await look(expired);
      if (isBlind) log("info", "watch.back");
      isBlind = false;
    } catch (error) {
      if (!isBlind) log("error", "watch.failed", { why: error instanceof Error ? error.message : "" });
      isBlind = true;
    }
  }

  const ticks = setInterval(() => tick(nowMs()), TICK_MS);
  const looks = setInterval(() => {
    if (looking) return;
    looking = true;
    void lookOrTell(running.anyExpired(nowMs())).finally(() => {
      looking = false;
    });
  }, LOOK_MS);
  return {
    stop: () => {
      clearInterval(ticks);
      clearInterval(looks);
    },
  };
}
