import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Config } from "./config.ts";
import type { Control } from "./console/control.ts";
import { DEMO_MODEL, demoIsOn, demoUpstream, ensureDemo } from "./console/demo.ts";
import type { Catalogue } from "./domain/catalogue.ts";
import { refusal } from "./domain/errors.ts";
import { idMaker } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import { clientAddress } from "./gateway/client-address.ts";
import { TokenCounter } from "./gateway/count-tokens.ts";
import type { Gate } from "./gateway/gate.ts";
import { type RunningRequests, runningRequests } from "./gateway/running.ts";
import { serveRoutes } from "./gateway/serve.ts";
import { watch } from "./gateway/watch.ts";
import { joinInstances } from "./instance.ts";
import { loadSecrets, type Secrets } from "./secret.ts";
import { journalFolder, openStore } from "./store/open.ts";
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
};

const IDLE_CONNECTIONS_MAX = 1_024;
const IDLE_CONNECTION_MS_MAX = 30_000;
const RECEIVE_WINDOW_BYTES = 32_768;

/** The composition root: config → store → gateway → listen; stops in reverse. */
export async function startServer(config: Config, { log }: { log: Log }): Promise<RunningServer> {
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

  const { sealedCopies } = config;
  const control: Control = { ...clock, store, newId, randomBytes, secrets, sealedCopies, actor: "start" };
  const demo = await prepareDemo(control, config, secrets);
  const running = runningRequests();
  let catalogue: Catalogue;
  const onCatalogue = (fresh: Catalogue) => {
    catalogue = demo.complete(fresh);
  };
  const watching = await watch({
    ...clock,
    store,
    running,
    log,
    streamMsMax: config.streamMsMax,
    onCatalogue,
  });

  const pool = outbound({
    idleConnectionsMax: IDLE_CONNECTIONS_MAX,
    idleConnectionMsMax: IDLE_CONNECTION_MS_MAX,
    receiveWindowBytes: RECEIVE_WINDOW_BYTES,
  });
  const counter = new TokenCounter({ log });
  let draining = false;
  const listening = listen(config, {
    ...clock,
    store,
    send: sender({ outbound: pool, sealKey: secrets.seal, limits: config, clock }),
    echoesCredential: echoDetector(secrets.seal),
    countTokens: what => counter.count(what),
    running,
    log,
    newId,
    random: Math.random,
    lookupKey: secrets.lookup,
    catalogue: () => catalogue,
    isDraining: () => draining,
    limits: { ...config, eventBytesMax: config.lineBytesMax },
  });
  log("info", "server.listening", { url: listening.url });

  async function stop(): Promise<void> {
    draining = true;
    await drained(running, config.drainMsMax);
    counter.close();
    watching.stop();
    await listening.stop();
    pool.close();
    await instance.leave();
    await store.close();
    log("info", "server.stopped");
  }
  const publicUrl = config.publicUrl ?? listening.url;
  return { url: listening.url, publicUrl, demoKey: demo.key, demoModel: DEMO_MODEL, stop };
}

async function prepareDemo(control: Control, config: Config, secrets: Secrets) {
  const upstream = demoUpstream(control);
  const complete = (read: Catalogue): Catalogue =>
    demoIsOn(config.demo, read.upstreams) ? { ...read, upstreams: [...read.upstreams, upstream] } : read;
  const { upstreams } = await control.store.run("catalogue.read", {});
  const key = demoIsOn(config.demo, upstreams) ? await ensureDemo(control, secrets.demoKey) : null;
  return { key, complete };
}

/** The gate needs the server for addresses and time-outs, and the server needs the gate for its routes. */
function listen(config: Config, gate: Omit<Gate, "publicUrl" | "clientAddress" | "keepOpen">) {
  const whole: Gate = {
    ...gate,
    publicUrl: request => config.publicUrl ?? localOrigin(request) ?? url,
    clientAddress: request =>
      clientAddress(request, server.requestIP(request)?.address ?? "", config.trustedProxies),
    keepOpen: request => server.timeout(request, 0),
  };
  const server = serveRoutes(whole, { host: config.host, port: config.port });
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const url = `http://${host}:${server.port}`;
  return { url, stop: () => server.stop() };
}

/** A Host header is believed only where it cannot mislead anybody: on this machine. */
function localOrigin(request: Request): string | null {
  const { hostname, origin } = new URL(request.url);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.") ? origin : null;
}

/** Running requests finish by themselves; those that do not in time are ended properly. */
async function drained(running: RunningRequests, drainMsMax: number): Promise<void> {
  const endAll = () =>
    running.stopWhere(
      () => true,
      () => refusal("draining"),
    );
  const late = setTimeout(endAll, drainMsMax);
  await running.idle();
  clearTimeout(late);
}
