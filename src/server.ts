import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Control } from "./console/control.ts";
import { startDeliveries } from "./console/deliver.ts";
import { webhookBring } from "./console/deliver-webhook.ts";
import { DEMO_MODEL, demoIsOn, demoUpstream, ensureDemo } from "./console/demo.ts";
import { type ConsoleHouse, consoleDoor } from "./console/door.ts";
import { openSecrets, refreshSealKeys } from "./console/house-secrets.ts";
import { keepSettings } from "./console/house-settings.ts";
import { keepPrices } from "./console/keep-prices.ts";
import { mailer } from "./console/mail.ts";
import { mailNotices } from "./console/mail-notices.ts";
import { linkUrl, renewSetupLink } from "./console/sign-in/link.ts";
import { keepRetention } from "./console/usage/keep-retention.ts";
import { keepSums } from "./console/usage/keep-sums.ts";
import type { Catalogue } from "./domain/catalogue.ts";
import { type Id, idMaker } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import { clientAddress } from "./gateway/client-address.ts";
import { TokenCounter } from "./gateway/count-tokens.ts";
import { dispatch } from "./gateway/dispatch.ts";
import { drained } from "./gateway/drain.ts";
import type { Gate } from "./gateway/gate.ts";
import { keyChecks } from "./gateway/key-checks.ts";
import { Metrics } from "./gateway/metrics.ts";
import { type MetricsSource, mayReadMetrics, metricsPage, watchLag } from "./gateway/metrics-page.ts";
import { RetryBudget } from "./gateway/retry-budget.ts";
import { runningRequests } from "./gateway/running.ts";
import { IDLE_SECONDS_MAX, serveRoutes } from "./gateway/serve.ts";
import { takePort } from "./gateway/take-port.ts";
import { UpstreamWatch } from "./gateway/upstream-watch.ts";
import { type Watch, watch } from "./gateway/watch.ts";
import { joinInstances } from "./instance.ts";
import { loadSecrets, type Secrets } from "./secret.ts";
import { journalFolder, openStore } from "./store/open.ts";
import { tidyWhenQuiet } from "./store/quiet.ts";
import { addressRules } from "./upstream/address-rules.ts";
import { outbound } from "./upstream/http1.ts";
import { echoDetector, sender } from "./upstream/send.ts";

export type RunningServer = {
  /** Root address it listens on. */
  url: string;
  /** Root address as clients see it. */
  publicUrl: string;
  demoKey: string | null;
  demoModel: string;
  /** By which the first operator comes in; null where one can sign in already. */
  setupLink: string | null;
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
const PAGES = join(import.meta.dir, "..", "dist", "console");

/** Who makes a change that nobody asked for. */
const AT_START = { actor: "start", through: "start", address: null } as const;

export type StartWith = { log: Log; version: string };

/** The composition root: config → store → gateway → listen; stops in reverse. */
export async function startServer(config: Config, { log, version }: StartWith): Promise<RunningServer> {
  const metrics = new Metrics();
  const { control, secrets, clock, bootId, house, instance } = await openHouse(config, { log, metrics });
  const { store, newId } = control;
  const { streamMsMax, credentialRestMsMax: credentialRestMs } = config;
  const demo = await prepareDemo(control, config, secrets);
  const running = runningRequests();
  let catalogue: Catalogue;
  const upstreams = new UpstreamWatch({
    ...{ ...clock, store, log, newId, bootId, metrics, credentialRestMs },
    catalogue: () => catalogue,
  });
  const onCatalogue = async (fresh: Catalogue) => {
    await refreshSealKeys(store, secrets);
    await house.refresh();
    catalogue = demo.complete(fresh);
    upstreams.seen(catalogue);
  };
  const watching = await watch({ ...clock, store, running, log, streamMsMax, onCatalogue });
  const sums = keepUsage(control, { bootId, log, metrics });

  const pool = openPool(config);
  const outbox = openOutbox(control, { config, pool, bootId, log, metrics });
  const counter = new TokenCounter({ log });
  const send = sender({ outbound: pool, sealKey: secrets.seal, limits: config, clock });
  upstreams.probes.start(send);
  const lag = watchLag(metrics);
  const stage = { isStopping: false, isReplaced: false };
  const both = { log, catalogue: () => catalogue };
  const listening = await listen(
    {
      ...{ config, bootId, version, metrics },
      house: consoleHouse(control, { ...both, version, config, pool, upstreams, watching, outbox }),
    },
    {
      ...clock,
      store,
      send,
      echoesCredential: echoDetector(secrets.seal),
      countTokens: what => counter.count(what),
      health: upstreams.health,
      retries: new RetryBudget(),
      ...both,
      ...{ running, newId, random: Math.random },
      lookupKey: secrets.lookup,
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
    await close({ counter, watching, sums, lag, listening, outbox, pool, upstreams, instance, store });
    log("info", "server.stopped");
  }
  const told = await greeting(control, { url: listening.url, demoKey: demo.key });
  return { ...told, stop, hurry: hurried.resolve, replaced };
}

/** What goes on behind the requests: sums of the usage log, how long its rows are kept, prices that begin. */
function keepUsage(
  control: Control,
  { bootId, log, metrics }: { bootId: string; log: Log; metrics: Metrics },
) {
  const sums = keepSums({ ...control, log });
  const retention = keepRetention({
    ...{ ...control, log, bootId },
    onRemoved: count => metrics.rowsRemoved(count),
  });
  const prices = keepPrices({ control, log });
  return { stop: async () => void (await Promise.all([sums.stop(), retention.stop(), prices.stop()])) };
}

type Stoppable = { stop: () => unknown };
type Closable = { close: () => unknown };
type Parts = Record<"watching" | "sums" | "lag" | "listening" | "outbox" | "upstreams", Stoppable> &
  Record<"counter" | "pool" | "store", Closable> & { instance: { leave: () => Promise<void> } };

/** In reverse: who asks ends before who is asked. */
async function close(parts: Parts): Promise<void> {
  parts.counter.close();
  parts.watching.stop();
  const beside = [parts.sums.stop(), parts.outbox.stop()];
  parts.lag.stop();
  await parts.listening.stop();
  await Promise.all(beside);
  parts.pool.close();
  await parts.upstreams.stop();
  await parts.instance.leave();
  await parts.store.close();
}

type Greeting = { url: string; demoKey: string | null };

/** What whoever started it is told. */
async function greeting(control: Control, { url, demoKey }: Greeting) {
  const publicUrl = control.settings().publicUrl ?? url;
  const setup = await renewSetupLink(control);
  const setupLink = setup === null ? null : linkUrl(publicUrl, "setup", setup.token);
  return { url, publicUrl, demoKey, demoModel: DEMO_MODEL, setupLink };
}

/** The database, and this process among those that use it. */
async function openHouse(config: Config, { log, metrics }: { log: Log; metrics: Metrics }) {
  const clock = { nowMs: Date.now };
  const newId = idMaker({ nowMs: Date.now, randomBytes });
  const bootId = newId("boot");
  const secrets = loadSecrets(config);
  const quiet = tidyWhenQuiet();
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const store = await openStore(config, {
    ...{ ...clock, bootId, log },
    onBatch: batch => {
      metrics.batchWritten(batch);
      quiet.worked();
    },
  });
  await openSecrets(store, secrets);
  const house = await keepSettings({ store, secrets, fixed: config.fixed, log });
  const place = {
    journals: journalFolder(config),
    dataDir: config.dataDir,
    isShared: config.databaseUrl !== null,
  };
  const instance = await joinInstances({ store, bootId, clock, log, ...place });
  const own = { settings: house.settings, fixedSettings: config.fixed };
  const control: Control = { ...clock, store, newId, randomBytes, secrets, ...own, ...AT_START };
  return { control, secrets, clock, bootId, house, instance };
}

type ForOutbox = {
  config: Config;
  pool: ReturnType<typeof openPool>;
  bootId: Id<"boot">;
  log: Log;
  metrics: Metrics;
};

/** What the house tells the outside by itself: webhooks and mails. */
function openOutbox(control: Control, { config, pool, bootId, log, metrics }: ForOutbox) {
  const { privateUpstreams: privateHosts } = config;
  const mail = mailer({ ...control, log, rules: addressRules(privateHosts) });
  const bring = webhookBring({ ...control, outbound: pool, privateHosts });
  const deliveries = startDeliveries({
    ...{ control, bootId, log, webhook: bring, random: Math.random },
    mail: mailNotices({ ...control, mail }),
    onTried: (to, outcome) => metrics.brought(to, outcome),
  });
  return { mail, webhooks: { bring, privateHosts }, stop: () => deliveries.stop() };
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

type ForConsole = {
  config: Config;
  version: string;
  log: Log;
  pool: ReturnType<typeof openPool>;
  catalogue: () => Catalogue;
  upstreams: UpstreamWatch;
  watching: Watch;
  outbox: ReturnType<typeof openOutbox>;
};

/** What the console is given; who calls it is known once somebody listens. */
function consoleHouse(
  control: Control,
  { config, version, log, pool, catalogue, upstreams, watching, outbox }: ForConsole,
): House {
  const { nowMs, store } = control;
  return {
    ...control,
    version,
    log,
    catalogue,
    network: { outbound: pool, limits: config, clock: { nowMs } },
    runningAt: upstream => upstreams.health.running(upstream),
    refresh: watching.look,
    mail: outbox.mail,
    webhooks: outbox.webhooks,
    checkKey: async (hash, model) => {
      const holder = await store.run("key.holder", { hash });
      return holder === null ? null : keyChecks(holder, model, { nowMs, catalogue });
    },
    pages: PAGES,
  };
}

type House = Omit<ConsoleHouse, "publicUrl" | "clientAddress" | "dispatch">;
type Listening = {
  config: Config;
  bootId: Id<"boot">;
  version: string;
  metrics: Metrics;
  house: House;
};
type GateParts = Omit<Gate, "publicUrl" | "clientAddress" | "keepOpen" | "metrics" | "console">;

/** The gate needs the server for addresses and time-outs, and the server needs the gate for its routes. */
async function listen({ config, bootId, version, metrics, house }: Listening, gate: GateParts) {
  const source: MetricsSource = {
    metrics,
    from: config.metricsFrom,
    version,
    startedAtMs: gate.nowMs(),
    journalBytes: () => journalBytes(journalFolder(config)),
  };
  const { host, dataDir } = config;
  let server: ReturnType<typeof serveRoutes> | null = null;
  // What the console sends to the gateway for somebody has no connection of its own, but theirs.
  const madeFor = new WeakMap<Request, Request>();
  const outer = (request: Request) => madeFor.get(request) ?? request;
  const peerOf = (request: Request) => server?.requestIP(outer(request))?.address ?? "";
  const addressOf = (request: Request) =>
    clientAddress(outer(request), peerOf(request), config.trustedProxies);
  const dispatchFor: ConsoleHouse["dispatch"] = (request, other) => {
    madeFor.set(request, other);
    return dispatch(request, whole);
  };
  const urlOf = (port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const publicUrl = (request: Request) =>
    house.settings().publicUrl ?? localOrigin(request) ?? urlOf(server?.port ?? config.port);
  const whole: Gate = {
    ...gate,
    publicUrl,
    clientAddress: addressOf,
    console: consoleDoor({ ...house, publicUrl, clientAddress: addressOf, dispatch: dispatchFor }),
    keepOpen: (request, isWaiting) => server?.timeout(outer(request), isWaiting ? 0 : IDLE_SECONDS_MAX),
    metrics: {
      decided: (outcome, ms) => metrics.decided(outcome, ms),
      ended: (operation, model, end) => metrics.ended(operation, model, end),
      refused: reason => metrics.refused(reason),
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
