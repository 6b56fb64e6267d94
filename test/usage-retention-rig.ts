import { join } from "node:path";
import { SQL } from "bun";
import { type Id, idMaker } from "../src/domain/ids.ts";
import { NO_USAGE } from "../src/domain/usage.ts";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import { dropDatabase, freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { AdmissionRequest, Settlement, Store } from "../src/store/store.ts";
import { DAY_MS } from "../src/store/usage-sums.ts";
import type { DatabaseName } from "./console-operator-rig.ts";
import { applyYaml, type Environment, freshDir, mustRun, removeDir, setEnvironment } from "./harness.ts";

/** A house with a past: requests of many days, each charged by its price, written by the real store. */

export const HOLDER = "past@example.org";
/** An output token costs one nano-dollar. */
const CATALOGUE = JSON.stringify({
  models: [{ name: "m", price: { input: 0, output: 0.001 } }],
  groups: [{ name: "past", models: ["m"] }],
  accounts: [{ email: HOLDER, balance: 1 }],
});
const OUTPUT = 5;
const SECRET = "a-master-secret-for-a-house-with-a-past";
const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const newId = idMaker({ nowMs: () => Date.now(), randomBytes });
const silent = () => {};

export type PastHouse = {
  dir: string;
  /** What another house needs to be the same one. */
  secret: Environment;
  stores: readonly Store[];
  /** Admits at a time, which is never before that of the one before; whoever settles it does so later. */
  admit: (store: Store, atMs: number) => Promise<Id<"req">>;
  /** Days before now, so many requests on each, all settled. */
  fill: (days: readonly number[], perDay: number) => Promise<string[]>;
  /** As the database itself says, beside whoever is at it. */
  rows: () => Promise<number>;
  /** Closes the stores, so that a server may come. */
  leave: () => Promise<void>;
  dispose: () => Promise<void>;
};

export async function pastHouse(database: DatabaseName): Promise<PastHouse> {
  const dir = freshDir();
  const url = database === "PostgreSQL" ? await freshDatabase() : null;
  const secret = { WICKETGATE_SECRET: SECRET };
  setEnvironment(dir, { ...secret, ...(url === null ? {} : { DATABASE_URL: url }) });
  await applyYaml(dir, CATALOGUE);
  await mustRun(dir, ["key", "create", "--account", HOLDER, "--name", "past", "--group", "past"]);
  const place = url ?? `sqlite://${join(dir, "wicketgate.db")}`;
  const [known] = await read(place, "select keys.hash as hash, prices.id as price from keys, prices");
  const asks = { keyHash: String(known?.["hash"]), priceId: String(known?.["price"]) as Id<"prc"> };
  const clock = { nowMs: 0 };
  const requestId = idMaker({ nowMs: () => clock.nowMs, randomBytes });
  const admit: PastHouse["admit"] = (store, atMs) => {
    clock.nowMs = atMs;
    return admitAt(store, atMs, { ...asks, id: requestId("req") });
  };
  const open = (bootId = newId("boot")) =>
    url === null
      ? openSqliteStore({ file: join(dir, "wicketgate.db"), bootId, log: silent })
      : openPostgresStore({ url, bootId, log: silent, nowMs: () => Date.now() });
  const stores = url === null ? [await open()] : [await open(), await open()];
  const [store] = stores;
  if (store === undefined) throw new Error("there is no store");
  const leave = async () => void (await Promise.all(stores.splice(0).map(one => one.close())));
  const fill: PastHouse["fill"] = async (days, perDay) => {
    const ids: Id<"req">[] = [];
    for (const day of days) {
      const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - day * DAY_MS;
      const made = Array.from({ length: perDay }, (_, at) => admit(store, startMs + at * 1_000));
      for (const id of await Promise.all(made)) {
        store.settle(settled(id));
        ids.push(id);
      }
      await store.flushed();
    }
    return ids;
  };
  return {
    ...{ dir, secret, stores, admit, fill, leave },
    rows: async () => Number((await read(place, "select count(*) as n from usage"))[0]?.["n"]),
    dispose: async () => {
      await leave();
      removeDir(dir);
      if (url !== null) await dropDatabase(url);
    },
  };
}

export function settled(id: Id<"req">): Settlement {
  return {
    ...{ id, state: "settled", status: 200, reason: null, upstream: "u", firstByteMs: 1, durationMs: 2 },
    ...{ usage: { ...NO_USAGE, output: OUTPUT }, cost: BigInt(OUTPUT), bound: 10n, source: "reported" },
  };
}

type Asks = { id: Id<"req">; keyHash: string; priceId: Id<"prc"> };

async function admitAt(store: Store, atMs: number, { id, keyHash, priceId }: Asks): Promise<Id<"req">> {
  const quote = { basePicos: 0n, outputPicos: 1_000n, outputTokens: 10, heldTokens: 10, choices: 1 };
  const request: AdmissionRequest = {
    ...{ id, keyHash, startedAtMs: atMs, dialect: "chat", stream: false },
    ...{ tool: "test/1.0", address: "127.0.0.1" },
    ask: { model: "m", problem: null, quote: { ...quote, priceId }, inputTokens: 0 },
  };
  const pending = store.admit(request);
  const answer = await pending.decided;
  await pending.durable();
  if (!answer.admitted) throw new Error(`refused: ${answer.refusal.reason}`);
  return id;
}

async function read(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const db = new SQL(url, { max: 1 });
  const rows: Record<string, unknown>[] = await db.unsafe(sql);
  await db.close();
  return rows;
}
