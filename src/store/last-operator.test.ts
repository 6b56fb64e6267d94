import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Id, idMaker } from "../domain/ids.ts";
import type { AccountChange } from "./account-admin.ts";
import { tester } from "./audit-test-rig.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { dropDatabase, freshDatabase } from "./postgres/server-test-rig.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { Store } from "./store.ts";

/** Operators who take each other's place at the same moment, on both databases; on PostgreSQL in two processes. */

const NOW = 1_800_000_000_000;
const newId = idMaker({ nowMs: () => NOW, randomBytes });
const log = () => {};
const by = tester(NOW);

type House = { stores: readonly [Store, Store]; close: () => Promise<void> };

async function onSqlite(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "wicketgate-operators-"));
  const store = await openSqliteStore({ file: join(folder, "a.db"), bootId: newId("boot"), log });
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { stores: [store, store], close };
}

async function onPostgres(): Promise<House> {
  const url = await freshDatabase();
  const open = () => openPostgresStore({ url, bootId: newId("boot"), log, nowMs: () => NOW });
  const stores = [await open(), await open()] as const;
  const close = async () => {
    await Promise.all(stores.map(store => store.close()));
    await dropDatabase(url);
  };
  return { stores, close };
}

for (const [name, open] of [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const) {
  describe(`the last operator on ${name}`, () => {
    let house: House;
    const ids: Id<"acc">[] = [];

    const change = (store: Store, whom: readonly Id<"acc">[], what: AccountChange) => {
      const accounts = whom.map(id => ({ id, ledgerId: newId("led"), subscriptionId: newId("sub") }));
      return store.run("accounts.change", { accounts, change: what, by });
    };

    beforeAll(async () => {
      house = await open();
      const [store] = house.stores;
      for (const email of ["ann@example.org", "bob@example.org"]) {
        const accountId = newId("acc");
        const none = { ledgerId: newId("led"), language: null, openingBalance: 0n };
        await store.run("person.register", { accountId, email, passwordHash: "hash", ...none, by });
        ids.push(accountId);
      }
      await change(store, ids, { what: "edit", role: "operator" });
    });
    afterAll(() => house.close());

    for (const [how, weaken, back] of [
      ["demoted", { what: "edit", role: "holder" }, { what: "edit", role: "operator" }],
      ["disabled", { what: "edit", enabled: false }, { what: "edit", enabled: true }],
    ] as const) {
      test(`stays, when both are ${how} at the same moment`, async () => {
        for (let round = 0; round < 10; round++) {
          const tries = ids.map((id, at) => change(house.stores[at % 2 === 0 ? 0 : 1], [id], weaken));
          const ended = await Promise.allSettled(tries);
          expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
          const problem = ended.find(one => one.status === "rejected")?.reason as Error;
          expect(problem.message).toContain("no operator who can sign in");
          await change(house.stores[0], ids, back);
        }
      });

      test(`stays, when all are ${how} at once: then none is`, async () => {
        expect(change(house.stores[0], ids, weaken)).rejects.toThrow("no operator who can sign in");
        const accounts = await house.stores[0].report("accounts", {});
        expect(accounts.every(({ role, enabled }) => role === "operator" && enabled)).toBe(true);
      });
    }

    test("the record of it has no entry for what was refused", async () => {
      const [store] = house.stores;
      const filter = { by: null, noun: "account", name: null, fromMs: null, toMs: null };
      const page = await store.report("audit.page", { filter, before: null, limit: 200 });
      // Two made and two raised; then of each round one that weakens and one back.
      expect(page.filter(({ action }) => action !== "create")).toHaveLength(2 + 2 * 10 * 2);
      const asked = { chainKey: by.chainKey, from: null, most: 1_000 };
      expect(await store.report("audit.chain", asked)).toMatchObject({ isWhole: true, isAtEnd: true });
    });

    test("one who has a passkey alone does not count where passkeys are switched off", async () => {
      const [store] = house.stores;
      const accountId = newId("acc");
      const none = { ledgerId: newId("led"), language: null, openingBalance: 0n, passwordHash: null };
      await store.run("person.register", { accountId, email: "cara@example.org", ...none, by });
      const ticket = { hash: "ticket", kind: "passkey_add", accountId, email: null, role: null } as const;
      const times = { nowMs: NOW, expiresAtMs: NOW + 1_000 };
      await store.run("ticket.make", {
        ...ticket,
        id: newId("tkt"),
        payload: "{}",
        madeBy: "cara",
        ...times,
      });
      const device = { credentialId: "c", publicKey: new Uint8Array(1), counter: 0, transports: [] };
      const passkey = { ...device, id: newId("pkey"), accountId, name: "phone", ticketHash: "ticket", by };
      expect(await store.run("passkey.add", passkey)).toBe(true);
      await change(store, [accountId], { what: "edit", role: "operator" });
      const passkeys = (value: string | null) => {
        const changes = [{ key: "passkeys", value, sealed: null } as const];
        return store.run("settings.change", { changes, fixed: {}, by });
      };
      const demote = () => change(store, ids, { what: "edit", role: "holder" });
      expect(await passkeys("off")).toEqual([]);
      const refused = await demote().catch((error: Error) => error.message);
      expect(refused).toContain("no operator who can sign in");
      expect(await passkeys(null)).toEqual([]);
      await demote();
      const problems = await passkeys("off");
      expect(problems).toEqual([
        { key: "passkeys", problem: expect.stringContaining("would leave no operator who can sign in") },
      ]);
    });
  });
}
