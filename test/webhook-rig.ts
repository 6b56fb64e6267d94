import { hkdfSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bring, type Deliverer, type Deliveries, startDeliveries } from "../src/console/deliver.ts";
import { type Id, idMaker } from "../src/domain/ids.ts";
import { NOTICE_EVENTS } from "../src/domain/notice.ts";
import type { By } from "../src/store/audit.ts";
import { openStore } from "../src/store/open.ts";
import { dropDatabase, freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import type { Store } from "../src/store/store.ts";

/** The outbox on either database, with as many instances as a test wants and a clock that it sets. */

export const PLACES = ["SQLite", "PostgreSQL"] as const;

export type Outbox = {
  clock: { nowMs: number };
  store: Store;
  by: By;
  /** Another process at the same database, listed as running. */
  instance: () => Promise<{ store: Store; bootId: Id<"boot"> }>;
  start: (options: {
    store: Store;
    bootId: Id<"boot">;
    bring: Bring;
    mail?: Bring | null;
    random?: () => number;
    onTried?: Deliveries["onTried"];
  }) => Deliverer;
  webhook: (name?: string) => Promise<Id<"whk">>;
  /** Things to bring to it. */
  fill: (webhookId: Id<"whk">, count: number) => Promise<string[]>;
  rows: (webhookId: Id<"whk">) => ReturnType<typeof deliveriesOf>;
  close: () => Promise<void>;
};

export const newId = idMaker({ nowMs: Date.now, randomBytes });
const derive = (purpose: string) => new Uint8Array(hkdfSync("sha256", "test", "", purpose, 32));
const secrets = {
  ...{ lookup: derive("lookup"), mark: derive("mark"), codes: derive("codes"), audit: derive("audit") },
  seal: derive("seal"),
};

export async function openOutbox(place: (typeof PLACES)[number]): Promise<Outbox> {
  const dataDir = mkdtempSync(join(tmpdir(), "wicketgate-outbox-"));
  const databaseUrl = place === "PostgreSQL" ? await freshDatabase() : null;
  const clock = { nowMs: Date.now() };
  const stores: Store[] = [];
  const running: Deliverer[] = [];
  const instance = async () => {
    const bootId = newId("boot");
    const store = await openStore({ dataDir, databaseUrl }, { nowMs: Date.now, bootId, log: () => {} });
    stores.push(store);
    const seen = { host: "h", pid: stores.length, pidStarted: "", seenAtMs: clock.nowMs };
    await store.run("instance.heartbeat", { bootId, ...seen });
    return { store, bootId };
  };
  const { store } = await instance();
  const by: By = {
    ...{ actor: "tester", through: "console", address: null, chainKey: secrets.audit },
    nowMs: clock.nowMs,
  };
  return {
    ...{ clock, store, by, instance },
    start: ({ store: own, bootId, bring, mail = null, random = () => 0.5, onTried = () => {} }) => {
      const control = { store: own, nowMs: () => clock.nowMs, secrets };
      const parts = { control, bootId, log: () => {}, random, webhook: bring, mail: () => mail, onTried };
      const deliverer = startDeliveries({ ...parts, everyMs: 5 });
      running.push(deliverer);
      return deliverer;
    },
    webhook: async (name = "hook") => {
      const made = { id: newId("whk"), name, url: "https://example.org/in", events: [...NOTICE_EVENTS] };
      await store.run("webhook.create", { ...made, secret: new Uint8Array([1]), by });
      return made.id;
    },
    fill: async (webhookId, count) => {
      const ids: string[] = [];
      for (let at = 0; at < count; at++) {
        const claim = { by: "test", nowMs: clock.nowMs, untilMs: clock.nowMs };
        const row = await store.run("delivery.test", { webhookId, claim });
        ids.push(row?.id ?? "");
      }
      return ids;
    },
    rows: webhookId => deliveriesOf(store, webhookId),
    close: async () => {
      for (const deliverer of running) await deliverer.stop();
      for (const own of stores) await own.close();
      rmSync(dataDir, { recursive: true, force: true });
      if (databaseUrl !== null) await dropDatabase(databaseUrl);
    },
  };
}

function deliveriesOf(store: Store, webhookId: Id<"whk">) {
  return store.report("deliveries.page", { webhookId, before: null, state: null, limit: 20_000 });
}
