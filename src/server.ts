import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Control } from "./console/control.ts";
import { DEMO_MODEL, demoIsOn, demoUpstream, ensureDemo } from "./console/demo.ts";
import type { Catalogue } from "./domain/catalogue.ts";
import { type Id, idMaker } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import { clientAddress } from "./gateway/client-address.ts";
import { TokenCounter } from "./gateway/count-tokens.ts";
import { drained } from "./gateway/drain.ts";
import type { Gate } from "./gateway/gate.ts";
import { Metrics } from "./gateway/metrics.ts";
import { type MetricsSource, mayReadMetrics, metricsPage, watchLag } from "./gateway/metrics-page.ts";
import { measuredStore, type Open } from "./gateway/metrics-store.ts";
import { RetryBudget } from "./gateway/retry-budget.ts";
import { runningRequests } from "./gateway/running.ts";
import { IDLE_SECONDS_MAX, serveRoutes } from "./gateway/serve.ts";
import { takePort } from "./gateway/take-port.ts";
import { watch } from "./gateway/watch.ts";
import { joinInstances } from "./instance.ts";
import { loadSecrets, type Secrets } from "./secret.ts";
import { journalFolder, openStore } from "./store/open.ts";
import { UpstreamHealth } from "./upstream/health.ts";
import { outbound } from "./upstream/http1.ts";
import { echoDetector, sender } from "./upstream/send.ts";

export type RunningServer = {
  /** Root address it listens on. */
  url: string;
  /** Root address as clients see it. */
  publicUrl: string;
  demoKey: string | null;
  demoModel: string;
  /** Takes no new work, lets running requests finish within the drain time, settles, closes. */
  stop: () => Promise<void>;
  /** Ends what still runs now, properly. */
  hurry: () => void;
  /** Resolves when another process has taken the port: it is time to stop. */
  replaced: Promise<void>;
};

const IDLE_CONNECTIONS_MAX = 1_024;
const IDLE_CONNECTION_MS_MAX = 30_000;
const RECEIVE_WINDOW_BYTES = 32_768;

export type StartWith = { log: Log; version: string };

/** The composition root: config → store → gateway → listen; stops in reverse. */
export async function startServer(config: Config, { log, version }: StartWith): Promise<RunningServer> {
  const { clock, newId, bootId, secrets, store, instance } = await openHouse(config, log);
  const { sealedCopies } = config;
  const control: Control = { ...clock, store, newId, randomBytes, secrets, sealedCopies, actor: "start" };
  const demo = await prepareDemo(control, config, secrets);
  const running = runningRequests();
  let catalogue: Catalogue;
  const onCatalogue = (fresh: Catalogue) => {
    catalogue = demo.complete(fresh);
  };
  const { streamMsMax } = config;
  const watching = await watch({ ...clock, store, running, log, streamMsMax, onCatalogue });

  const pool = openPool(config);
  const counter = new TokenCounter({ log });
  const metrics = new Metrics();
  const measured = measuredStore(store, metrics);
  const lag = watchLag(metrics);
  const stage = { isStopping: false, isReplaced: false };
  const listening = await listen(
    { config, bootId, version, metrics, open: measured.open },
    {
      ...clock,
      store: measured.store,
      send: sender({ outbound: pool, sealKey: secrets.seal, limits: config, clock }),
      echoesCredential: echoDetector(secrets.seal),
      countTokens: what => counter.count(what),
      health: new UpstreamHealth(),
      retries: new RetryBudget(),
      running,
      log,
      newId,
      random: Math.random,
      lookupKey: secrets.lookup,
      catalogue: () => catalogue,
      // With another process on the port, nobody has to be turned away.
      isDraining: () => stage.isStopping && !stage.isReplaced,
      isLeaving: () => stage.isStopping || stage.isReplaced,
      limits: { ...config, eventBytesMax: config.lineBytesMax },
    },
  );
  log("info", "server.listening", { url: listening.url });

  const replaced = listening.replaced.then(() => {
    stage.isReplaced = true;
  });
  const hurried = Promise.withResolvers<void>();

  async function stop(): Promise<void> {
    stage.isStopping = true;
    const { isQuiet } = listening;
    await drained({ running, isQuiet, msMax: config.drainMsMax, hurried: hurried.promise });
    counter.close();
    watching.stop();
    lag.stop();
    await listening.stop();
    pool.close();
    await instance.leave();
    await store.close();
    log("info", "server.stopped");
  }
  const { url } = listening;
  const told = { url, publicUrl: config.publicUrl ?? url, demoKey: demo.key, demoModel: DEMO_MODEL };
  return { ...told, stop, hurry: hurried.resolve, replaced };
}

/** The database, and this process among those that use it. */
async function openHouse(config: Config, log: Log) {
  const clock = { nowMs: Date.now };
  const newId = idMaker({ nowMs: Date.now, randomBytes });
  const bootId = newId("boot");
  const secrets = loadSecrets(config);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const store = await openStore(config, { ...clock, bootId, log });
  await store.run("house.secret", { mark: secrets.houseMark });
  const place = {
    journals: journalFolder(config),
    dataDir: config.dataDir,
    isShared: config.databaseUrl !== null,
  };
  const instance = await joinInstances({ store, bootId, clock, log, ...place });
  return { clock, newId, bootId, secrets, store, instance };
}

function openPool(config: Config) {
  return outbound({
    idleConnectionsMax: IDLE_CONNECTIONS_MAX,
    idleConnectionMsMax: IDLE_CONNECTION_MS_MAX,
    receiveWindowBytes: RECEIVE_WINDOW_BYTES,
    privateUpstreams: config.privateUpstreams,
    httpsProxy: config.httpsProxy,
    noProxy: config.noProxy,
  });
}

async function prepareDemo(control: Control, config: Config, secrets: Secrets) {
  const upstream = demoUpstream(control);
  const complete = (read: Catalogue): Catalogue =>
    demoIsOn(config.demo, read.upstreams) ? { ...read, upstreams: [...read.upstreams, upstream] } : read;
  const { upstreams } = await control.store.run("catalogue.read", {});
  const key = demoIsOn(config.demo, upstreams) ? await ensureDemo(control, secrets.demoKey) : null;
  return { key, complete };
}

type Listening = { config: Config; bootId: Id<"boot">; version: string; metrics: Metrics; open: Open };
type GateParts = Omit<Gate, "publicUrl" | "clientAddress" | "keepOpen" | "metrics">;

/** The gate needs the server for addresses and time-outs, and the server needs the gate for its routes. */
async function listen({ config, bootId, version, metrics, open }: Listening, gate: GateParts) {
  const source: MetricsSource = {
    metrics,
    from: config.metricsFrom,
    version,
    startedAtMs: gate.nowMs(),
    journalBytes: () => journalBytes(journalFolder(config)),
  };
  const { host, dataDir } = config;
  let server: ReturnType<typeof serveRoutes> | null = null;
  const peerOf = (request: Request) => server?.requestIP(request)?.address ?? "";
  const addressOf = (request: Request) => clientAddress(request, peerOf(request), config.trustedProxies);
  const urlOf = (port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const whole: Gate = {
    ...gate,
    publicUrl: request => config.publicUrl ?? localOrigin(request) ?? urlOf(server?.port ?? config.port),
    clientAddress: addressOf,
    keepOpen: (request, isWaiting) => server?.timeout(request, isWaiting ? 0 : IDLE_SECONDS_MAX),
    metrics: {
      // One that was admitted is counted at its end.
      refused: (id, reason) => open.has(id) || metrics.refused(reason),
      page: request => {
        const about = { address: addressOf(request), peer: peerOf(request), from: source.from };
        return mayReadMetrics(request, about) ? metricsPage(request, whole, source) : null;
      },
    },
  };
  const port = await takePort({
    host,
    port: config.port,
    dataDir,
    bootId,
    log: gate.log,
    open: isShared => {
      server = serveRoutes(whole, { host, port: config.port, isShared });
      return server;
    },
  });
  return {
    url: urlOf(port.server.port ?? config.port),
    replaced: port.replaced,
    isQuiet: port.isQuiet,
    stop: port.close,
  };
}

/** A Host header is believed only where it cannot mislead anybody: on this machine. */
function localOrigin(request: Request): string | null {
  const { hostname, origin } = new URL(request.url);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.") ? origin : null;
}

/** What waits there for the database; a folder that nobody needed yet is none. */
function journalBytes(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}
