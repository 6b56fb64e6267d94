import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import { type Id, idMaker } from "../domain/ids.ts";
import { tester } from "./audit-test-rig.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { dropDatabase, freshDatabase } from "./postgres/server-test-rig.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { Store } from "./store.ts";
import type { NewTicket } from "./tickets.ts";

/** How people come in, on both databases: on PostgreSQL two processes race, on SQLite a server and a command. */

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const newId = idMaker({ nowMs: () => NOW, randomBytes });
const silent = () => {};

type House = { stores: readonly [Store, Store]; close: () => Promise<void> };

async function onSqlite(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "wicketgate-people-"));
  const open = (here: Clock | null) =>
    openSqliteStore({ file: join(folder, "a.db"), bootId: newId("boot"), log: silent, here });
  const stores = [await open(null), await open({ nowMs: () => NOW })] as const;
  const close = async () => {
    await Promise.all(stores.map(store => store.close()));
    rmSync(folder, { recursive: true, force: true });
  };
  return { stores, close };
}

async function onPostgres(): Promise<House> {
  const url = await freshDatabase();
  const open = () => openPostgresStore({ url, bootId: newId("boot"), log: silent, nowMs: () => NOW });
  const stores = [await open(), await open()] as const;
  const close = async () => {
    await Promise.all(stores.map(store => store.close()));
    await dropDatabase(url);
  };
  return { stores, close };
}

let made = 0;
function ticket(kind: string, more: Partial<NewTicket> = {}): NewTicket {
  made += 1;
  const none = { accountId: null, email: null, role: null, payload: "{}", madeBy: "test" };
  return {
    ...none,
    id: newId("tkt"),
    hash: `hash ${made}`,
    kind,
    nowMs: NOW,
    expiresAtMs: NOW + HOUR,
    ...more,
  };
}

for (const [name, open] of [
  ["SQLite", onSqlite],
  ["PostgreSQL", onPostgres],
] as const) {
  describe(`people on ${name}`, () => {
    let house: House;
    let one: Store;
    let other: Store;
    beforeAll(async () => {
      house = await open();
      [one, other] = house.stores;
    });
    afterAll(() => house.close());

    const account = async (email: string): Promise<Id<"acc">> => {
      const ids = { accountId: newId("acc"), ledgerId: newId("led") };
      const person = await one.run("person.register", {
        ...{ ...ids, email, passwordHash: "hash", language: null, openingBalance: 0n, by: tester(NOW) },
      });
      return person.account.id;
    };
    const session = (accountId: Id<"acc">, hash: string, replaces: string | null = null) =>
      one.run("session.open", {
        ...{ id: newId("ses"), hash, accountId, replaces, nowMs: NOW, expiresAtMs: NOW + HOUR },
        ...{ address: "192.0.2.7", agent: "test" },
      });

    test("a ticket is used once, whoever races, and only as what it is", async () => {
      const made = ticket("second_factor", { payload: '{"a":1}' });
      await one.run("ticket.make", made);
      const look = { hash: made.hash, kinds: ["second_factor"], nowMs: NOW };
      expect(await one.run("ticket.look", { ...look, kinds: ["reset", "setup"] })).toBeNull();
      expect(await one.run("ticket.use", { ...look, kinds: ["reset"] })).toBeNull();
      expect(await one.run("ticket.look", { ...look, nowMs: NOW + HOUR })).toBeNull();
      expect(await one.run("ticket.look", look)).toMatchObject({ id: made.id, payload: '{"a":1}' });
      const tries = Array.from({ length: 10 }, (_, at) =>
        (at % 2 === 0 ? one : other).run("ticket.use", look),
      );
      const used = (await Promise.all(tries)).filter(found => found !== null);
      expect(used).toHaveLength(1);
      expect(await one.run("ticket.look", look)).toBeNull();
    });

    test("a throttle is exact across processes, opens again with time, and gives a right try back", async () => {
      const throttles = [
        { owner: "pair", burst: 5, everyMs: 60_000 },
        { owner: "address", burst: 8, everyMs: 10_000 },
      ];
      const pass = (store: Store, nowMs: number) => store.run("throttle.pass", { throttles, nowMs });
      const waits = await Promise.all(
        Array.from({ length: 20 }, (_, at) => pass(at % 2 === 0 ? one : other, NOW)),
      );
      expect(waits.filter(seconds => seconds === 0)).toHaveLength(5);
      expect(new Set(waits.filter(seconds => seconds > 0))).toEqual(new Set([60]));
      expect(await pass(one, NOW + 59_000)).toBe(1);
      expect(await pass(one, NOW + 60_000)).toBe(0);
      expect(await pass(other, NOW + 60_000)).toBe(60);
      await one.run("throttle.forgive", { throttles });
      expect(await pass(other, NOW + 60_000)).toBe(0);
      // What was refused by one of them counted against neither.
      const alone = { throttles: throttles.slice(1), nowMs: NOW + 60_000 };
      expect(await one.run("throttle.pass", alone)).toBe(0);
      // A clock that was set back a year does not shut anybody out for a year.
      expect(await pass(one, NOW - 365 * 86_400_000)).toBeLessThanOrEqual(60);
      // The ones at rest are forgotten.
      await one.run("throttle.pass", { throttles: [], nowMs: NOW + 86_400_000, sweep: true });
      expect(await pass(one, NOW + 86_400_000)).toBe(0);
    });

    test("a session is its account's, ends once, and outlives no account that is disabled", async () => {
      const id = await account("ann@example.org");
      await session(id, "ann 1");
      await session(id, "ann 2");
      await session(id, "ann 3", "ann 1");
      expect(await one.run("session.read", { hash: "ann 1", nowMs: NOW })).toBeNull();
      const second = await one.run("session.read", { hash: "ann 2", nowMs: NOW });
      expect(second).toMatchObject({ accountId: id, email: "ann@example.org", role: "holder" });
      expect(await one.run("session.read", { hash: "ann 2", nowMs: NOW + HOUR })).toBeNull();
      const stranger = await account("bob@example.org");
      const end = { id: second?.id ?? "", nowMs: NOW };
      expect(await one.run("session.end", { ...end, accountId: stranger })).toBe(false);
      const ends = [one, other].map(store => store.run("session.end", { ...end, accountId: id }));
      expect((await Promise.all(ends)).sort()).toEqual([false, true]);
      // What is over is not brought back by being seen.
      const seen = { id: end.id as Id<"ses">, expiresAtMs: NOW + HOUR, address: "192.0.2.8", nowMs: NOW };
      await one.run("session.see", seen);
      expect(await one.run("session.read", { hash: "ann 2", nowMs: NOW })).toBeNull();
      expect(await one.run("session.list", { accountId: id, nowMs: NOW })).toHaveLength(1);
      await one.run("account.enable", { email: "ann@example.org", enabled: false, by: tester(NOW) });
      await one.run("account.enable", { email: "ann@example.org", enabled: true, by: tester(NOW) });
      expect(await one.run("session.read", { hash: "ann 3", nowMs: NOW })).toBeNull();
      const people = await one.report("people", {});
      expect(people.find(({ email }) => email === "ann@example.org")?.lastSeenAtMs).toBe(NOW);
      expect(people.find(({ email }) => email === "bob@example.org")?.lastSeenAtMs).toBeNull();
    });

    test("an account keeps a bounded number of sessions, the newest ones", async () => {
      const id = await account("many@example.org");
      for (let at = 0; at < 205; at++) await session(id, `many ${at}`);
      expect(await one.run("session.list", { accountId: id, nowMs: NOW })).toHaveLength(200);
      expect(await one.run("session.read", { hash: "many 4", nowMs: NOW })).toBeNull();
      expect(await one.run("session.read", { hash: "many 204", nowMs: NOW })).not.toBeNull();
    });

    test("one e-mail is registered once, whoever races", async () => {
      const tries = Array.from({ length: 6 }, (_, at) =>
        (at % 2 === 0 ? one : other)
          .run("person.register", {
            ...{ accountId: newId("acc"), ledgerId: newId("led"), email: "Raced@example.org" },
            ...{ passwordHash: `hash ${at}`, language: "zh", openingBalance: 5n, by: tester(NOW) },
          })
          .then(
            () => "made",
            (error: Error) => error.message,
          ),
      );
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter(outcome => outcome === "made")).toHaveLength(1);
      const person = await one.run("person.read", { email: "RACED@example.org" });
      expect(person).toMatchObject({
        account: { balance: 5n },
        profile: { language: "zh", theme: "system" },
      });
    });

    test("an invitation is used once, makes the account with its balance, and sets the password", async () => {
      const form = { email: "Guest@example.org", role: "holder", payload: '{"balance":"7"}' } as const;
      const invited = ticket("invitation", form);
      await one.run("person.invite", { ...invited, ...form, by: tester(NOW) });
      const use = (store: Store) =>
        store.run("person.use_link", {
          ...{ hash: invited.hash, email: null, passwordHash: "new", language: null, by: tester(NOW) },
          ...{ accountId: newId("acc"), ledgerId: newId("led") },
        });
      const found = await Promise.all([use(one), use(other), use(one), use(other)]);
      const people = found.filter(person => person !== null);
      expect(people).toHaveLength(1);
      expect(people[0]).toMatchObject({
        account: { email: "guest@example.org", role: "holder", balance: 7n },
        profile: { passwordHash: "new" },
      });
    });

    test("a profile keeps what was not changed, and its one-time proofs are taken once", async () => {
      const accountId = await account("proofs@example.org");
      const change = { totp: new Uint8Array([1, 2, 3]), recoveryCodes: ["a", "b"], lowBalance: 9n } as const;
      await one.run("profile.change", { accountId, change, by: tester(NOW) });
      await one.run("profile.change", {
        accountId,
        change: { theme: "dark", language: "en" },
        by: tester(NOW),
      });
      const person = await other.run("person.read", { id: accountId });
      expect(person?.profile).toMatchObject({ passwordHash: "hash", theme: "dark", lowBalance: 9n });
      expect([...(person?.profile.totp ?? [])]).toEqual([1, 2, 3]);
      const stores = [one, other, one, other];
      const codes = stores.map(store => store.run("profile.recovery_code", { accountId, hash: "a" }));
      expect((await Promise.all(codes)).filter(isTaken => isTaken)).toHaveLength(1);
      const steps = stores.map(store => store.run("profile.totp_step", { accountId, step: 50 }));
      expect((await Promise.all(steps)).filter(isTaken => isTaken)).toHaveLength(1);
      expect(await one.run("profile.totp_step", { accountId, step: 49 })).toBe(false);
      expect(await one.run("profile.totp_step", { accountId, step: 51 })).toBe(true);
      const left = await one.run("person.read", { id: accountId });
      expect(left?.profile.recoveryCodes).toEqual(["b"]);
    });
  });
}
