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
  /** Its place in the list of those that run, which alone sets it; -1 outside of it. */
  seat: number;
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

/** Listening for a client that leaves costs more than many a short request, so it begins after this long at the least. */
const STAY_MS = 5;

/**
 * A list, and not a set: whenever a set has grown through all of its places it moves to new ones, and the old ones lead
 * to them. So what ran at a move stayed in memory until the whole of it was searched: under load, half of all requests.
 */
export function runningRequests(): RunningRequests {
  const requests: RunningRequest[] = [];
  /** Those of this turn and of the one before, who have been here for all of it. Never replaced, for the same reason. */
  const fresh: RunningRequest[] = [];
  const settling: RunningRequest[] = [];
  const settleIn = () => {
    try {
      for (const request of settling) if (request.seat >= 0) request.stay();
    } finally {
      settling.length = 0;
      for (const request of fresh) if (request.seat >= 0) settling.push(request);
      fresh.length = 0;
      if (settling.length > 0) setTimeout(settleIn, STAY_MS);
    }
  };
  let waiting: (() => void)[] = [];
  return {
    add: request => {
      if (request.seat >= 0) return;
      request.seat = requests.push(request) - 1;
      if (fresh.length === 0 && settling.length === 0) setTimeout(settleIn, STAY_MS);
      fresh.push(request);
    },
    remove: request => {
      const { seat } = request;
      if (seat < 0) return;
      request.seat = -1;
      // The last one takes the place that is free now.
      const last = requests.pop();
      if (last !== undefined && last !== request) {
        requests[seat] = last;
        last.seat = seat;
      }
      if (requests.length > 0) return;
      for (const done of waiting) done();
      waiting = [];
    },
    count: () => requests.length,
    keyIds: () => [...new Set(requests.map(request => request.keyId))],
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
      for (const request of [...requests]) if (request.seat >= 0) request.tick(nowMs);
    },
    idle: () =>
      new Promise(resolve => {
        if (requests.length === 0) resolve();
        else waiting.push(resolve);
      }),
  };
}
