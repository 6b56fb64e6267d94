import type { Refusal } from "../domain/errors.ts";
import type { Id } from "../domain/ids.ts";

/** Why a request is ended before its answer is whole. */
export type Stop = { kind: "left" } | { kind: "refused"; refusal: Refusal };

/** An admitted request that has not been settled yet. */
export type RunningRequest = {
  id: Id<"req">;
  keyId: Id<"key">;
  expiresAtMs: number | null;
  startedAtMs: number;
  model: string;
  /** Ends it properly, in its dialect, and bills what was delivered. */
  stop: (stop: Stop) => void;
  /** Called once, a few milliseconds after it began, if it still runs then. */
  stay: () => void;
  /** Called a few times a second while it runs: checkpoints, keep-alives. */
  tick: (nowMs: number) => void;
};

export type RunningRequests = {
  add: (request: RunningRequest) => void;
  remove: (request: RunningRequest) => void;
  count: () => number;
  keyIds: () => Id<"key">[];
  /** Some key's expiry has passed while it runs. */
  anyExpired: (nowMs: number) => boolean;
  stopWhere: (test: (request: RunningRequest) => boolean, why: (request: RunningRequest) => Refusal) => void;
  tick: (nowMs: number) => void;
  /** Resolves when nothing runs any more. */
  idle: () => Promise<void>;
};

/** Listening for a client that leaves costs more than many a short request, so it begins after this long. */
const STAY_MS = 5;

export function runningRequests(): RunningRequests {
  const requests = new Set<RunningRequest>();
  let fresh: RunningRequest[] = [];
  const settleIn = () => {
    const staying = fresh;
    fresh = [];
    for (const request of staying) if (requests.has(request)) request.stay();
  };
  let waiting: (() => void)[] = [];
  return {
    add: request => {
      requests.add(request);
      if (fresh.length === 0) setTimeout(settleIn, STAY_MS);
      fresh.push(request);
    },
    remove: request => {
      requests.delete(request);
      if (requests.size > 0) return;
      for (const done of waiting) done();
      waiting = [];
    },
    count: () => requests.size,
    keyIds: () => [...new Set([...requests].map(request => request.keyId))],
    anyExpired: nowMs => {
      for (const { expiresAtMs } of requests) if (expiresAtMs !== null && expiresAtMs <= nowMs) return true;
      return false;
    },
    stopWhere: (test, why) => {
      for (const request of [...requests]) {
        if (test(request)) request.stop({ kind: "refused", refusal: why(request) });
      }
    },
    tick: nowMs => {
      for (const request of requests) request.tick(nowMs);
    },
    idle: () =>
      new Promise(resolve => {
        if (requests.size === 0) resolve();
        else waiting.push(resolve);
      }),
  };
}
