import type { Catalogue, Upstream } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { IdMaker } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Store } from "../store/store.ts";
import type { UpstreamHealth } from "../upstream/health.ts";
import type { Sender } from "../upstream/send.ts";
import type { TokenCounter } from "./count-tokens.ts";
import type { Metrics } from "./metrics.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { RunningRequests } from "./running.ts";

/** What a request is served with; made once, in server.ts. */
export type Gate = Clock & {
  store: Store;
  send: Sender;
  /** An upstream's error may repeat the credential it was called with. */
  echoesCredential: (upstream: Upstream, bytes: Buffer) => boolean;
  /** Where no upstream tells. */
  countTokens: TokenCounter["count"];
  /** How the upstreams have been doing. */
  health: UpstreamHealth;
  retries: RetryBudget;
  running: RunningRequests;
  metrics: GateMetrics;
  log: Log;
  newId: IdMaker;
  random: () => number;
  lookupKey: Uint8Array;
  /** The newest picture of groups, models and upstreams. */
  catalogue: () => Catalogue;
  /** Root address for the sentences that tell a client where to go. */
  publicUrl: (request: Request) => string;
  clientAddress: (request: Request) => string;
  /** The server closes connections that are silent; one that waits for an upstream is not, until it has its answer. */
  keepOpen: (request: Request, isWaiting: boolean) => void;
  isDraining: () => boolean;
  /** It drains, or another process has its port. */
  isLeaving: () => boolean;
  limits: GateLimits;
  /** What answers under /console; the gateway knows nothing of it. */
  console: (request: Request) => Promise<Response>;
};

export type GateLimits = {
  bodyBytesMax: number;
  answerBytesMax: number;
  eventBytesMax: number;
  streamMsMax: number;
  requestsInFlightMax: number;
};

/** What the gate has to do with the numbers about it. */
export type GateMetrics = Pick<Metrics, "decided" | "ended" | "refused"> & {
  /** Null for whoever may not read it. */
  page: (request: Request) => Response | null;
};
