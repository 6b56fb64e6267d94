import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { NO_LIMITS } from "../domain/limits.ts";
import type { ApplySpec } from "./apply.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, newId, reason, time } from "./bank.case.ts";
import { Contest, type Entrant, schedules } from "./history-contest.case.ts";
import { proof } from "./history-proof.case.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { dropDatabase, freshDatabase } from "./postgres/server-test-rig.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { Admission } from "./store.ts";

const SECONDS_MAX = 1_800;
const silent = () => {};

/** Several gateway processes at one database, each with its own queue and connections. */
type House = { entrants: readonly Entrant[]; url: string; close: () => Promise<void> };

async function onPostgres(): Promise<House> {
  const url = await freshDatabase();
  const open = async (boot = newId("boot")): Promise<Entrant> => {
    const store = await openPostgresStore({ url, bootId: boot, log: silent, nowMs: () => time.nowMs });
    return { store, boot };
  };
  const entrants = [await open(), await open()];
  const close = async () => {
    await Promise.all(entrants.map(({ store }) => store.close()));
    await dropDatabase(url);
  };
  return { entrants, url, close };
}

async function onSqlite(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "wicketgate-race-"));
  const boot = newId("boot");
  const store = await openSqliteStore({ file: join(folder, "a.db"), bootId: boot, log: silent });
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { entrants: [{ store, boot }], url: folder, close };
}

const KEYS = 1_000;
const ACCOUNTS = 20;
const RACERS = 20;
const PRICE = 100n;

/** Each key's quota is the price of one request; the balance would pay for all. */
function spec(): ApplySpec {
  const accounts = Array.from({ length: ACCOUNTS }, (_, place) => ({
    ...{ id: newId("acc"), ledgerId: newId("led"), email: `a${place}@example.org`, role: "holder" },
    ...{ balance: PRICE * BigInt(KEYS * RACERS), limits: null, subscriptions: null },
  })) satisfies ApplySpec["accounts"];
  const keys = Array.from({ length: KEYS }, (_, place) => ({
    ...{ ...NO_LIMITS, id: newId("key"), email: `a${place % ACCOUNTS}@example.org`, name: `k${place}` },
    ...{ group: "default", quota: PRICE, expiresAtMs: null },
    secret: { hash: `hash of k${place}`, preview: "", sealed: null, custom: false },
  }));
  const group = { id: newId("grp"), name: "default", enabled: true, multiplier: 10_000, models: ["m"] };
  const groups = [
    { ...group, billing: "balance" as const, limits: NO_LIMITS, description: null, accounts: null },
  ];
  const rest = { upstreams: [], models: [], plans: [], by: tester(time.nowMs), dryRun: false };
  return { ...rest, groups, accounts, keys };
}

describe.each([
  ["two stores on PostgreSQL", onPostgres],
  ["one store on SQLite", onSqlite],
] as const)("through %s,", (_, open) => {
  let house: House;
  beforeAll(async () => {
    house = await open();
    await house.entrants[0]?.store.run("apply", spec());
  });
  afterAll(() => house.close());

  test(
    `${KEYS} keys worth one request each, ${RACERS} racers on each: each admits exactly one`,
    async () => {
      const stores = house.entrants.map(({ store }) => store);
      const racing = Array.from({ length: KEYS * RACERS }, async (_, place): Promise<Admission> => {
        const { command } = ask(`k${(place * 7) % KEYS}`, PRICE);
        const store = stores[Math.floor(place / KEYS) % stores.length];
        if (command.do !== "admit" || store === undefined) throw new Error("not a race");
        const pending = store.admit(command.request);
        const admission = await pending.decided;
        await pending.durable();
        return admission;
      });
      const answers = await Promise.all(racing);
      const admitted = answers.flatMap(answer => (answer.admitted ? [answer.keyId] : []));
      expect(admitted).toHaveLength(KEYS);
      expect(new Set(admitted).size).toBe(KEYS);
      const others = answers.filter(answer => !answer.admitted).map(reason);
      expect(others).toHaveLength(KEYS * (RACERS - 1));
      expect([...new Set(others)]).toEqual(["key_quota_exhausted"]);
      expect(await stores[0]?.report("verify", {})).toEqual([]);
      const keys = (await stores[0]?.report("keys", { email: null })) ?? [];
      expect(keys.filter(({ held, spent, open }) => held !== PRICE || spent !== 0n || open !== 1)).toEqual(
        [],
      );
    },
    SECONDS_MAX * 1_000,
  );
});

describe("balance, subscription and key quota, raced for through two stores on PostgreSQL,", () => {
  let house: House;
  let contest: Contest;
  beforeAll(async () => {
    house = await onPostgres();
    contest = new Contest(house.entrants, house.url);
  });
  afterAll(async () => {
    await contest.close();
    await house.close();
  });

  const { runs, seed, path, progress } = proof({ runs: 40, runsInFull: 500 });

  test(
    `are never exceeded, and each refusal names the right one, in ${runs} random schedules`,
    async () => {
      const told = progress("racing schedules");
      const agrees = fc.asyncProperty(schedules, async schedule => {
        await contest.run(schedule);
        told.oneMore();
      });
      await fc.assert(agrees, { numRuns: runs, seed, ...path });
      told.end();
    },
    SECONDS_MAX * 1_000,
  );
});
