import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Id } from "../domain/ids.ts";
import { NO_LIMITS } from "../domain/limits.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, Bank, newId, settle, time } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { createKey, deleteKey, enableKey, keyHolder } from "./keys.ts";
import { changeKey, keyOfAccount, keysOfAccount, sealedCopy } from "./keys-of-account.ts";
import { rotateKey } from "./keys-replaced.ts";
import { StoreProblem } from "./store.ts";

const EMAIL = "ann@example.org";
const NOON = Date.UTC(2027, 0, 15, 12);
const GRACE_MS = 60_000;

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  let keyId: Id<"key">;
  beforeEach(async () => {
    time.nowMs = NOON;
    bank = await new Bank(await openBooks()).open();
    await bank.account(EMAIL, 1_000n);
    await bank.account("bob@example.org", 1_000n);
    keyId = await bank.key(EMAIL, "first");
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  const rotate = (name: string, graceMs: number, accountId: Id<"acc"> | null = null) =>
    bank.books.job(tx =>
      rotateKey(tx, {
        ...{ id: keyId, accountId, hash: `hash of ${name}`, preview: name, sealed: new Uint8Array([7]) },
        ...{ by: tester(time.nowMs), untilMs: time.nowMs + graceMs },
      }),
    );
  const outcome = async (name: string) => (await bank.ask(ask(name, 1n).command))[0];
  const holderOf = (name: string) => bank.books.job(tx => keyHolder(tx, { hash: `hash of ${name}` }));
  const accountOf = async (email: string) => {
    const row = await bank.one("select id from accounts where email = ?", email);
    return String(row["id"]) as Id<"acc">;
  };

  describe("a rotated key", () => {
    test("works with its new string at once, and with the old one to the millisecond that was said", async () => {
      expect(await outcome("first")).toBe("admitted");
      await rotate("second", GRACE_MS);
      expect(await outcome("second")).toBe("admitted");
      time.nowMs = NOON + GRACE_MS - 1;
      expect(await outcome("first")).toBe("admitted");
      time.nowMs += 1;
      expect(await outcome("first")).toBe("key_replaced");
      expect(await outcome("second")).toBe("admitted");
    });

    test("without a grace refuses the old string at once, also where the process knew it, and says since when", async () => {
      expect(await outcome("first")).toBe("admitted");
      await rotate("second", 0);
      const [answer] = await bank.run(ask("first", 1n).command);
      expect(answer).toMatchObject({
        admitted: false,
        recorded: true,
        refusal: { reason: "key_replaced", params: { key: "first", ended: "2027-01-15T12:00:00.000Z" } },
      });
      const row = await bank.one("select key_id, state from usage where reason = 'key_replaced'");
      expect(row).toMatchObject({ key_id: keyId, state: "refused" });
    });

    test("is the same key: one count of running requests, one sum of what is spent", async () => {
      await rotate("second", GRACE_MS);
      const [old, present] = [ask("first", 10n), ask("second", 20n)];
      expect(await bank.ask(old.command, present.command)).toEqual(["admitted", "admitted"]);
      expect(await bank.one("select open, held from keys")).toEqual({ open: 2n, held: 30n });
      await bank.run(settle(old.id, 10n), settle(present.id, 20n));
      expect(await bank.one("select open, held, spent from keys")).toEqual({
        open: 0n,
        held: 0n,
        spent: 30n,
      });
    });

    test("that is disabled or deleted refuses both of its strings, and is told so", async () => {
      await rotate("second", GRACE_MS);
      await bank.books.job(tx => enableKey(tx, { id: keyId, enabled: false, by: tester(time.nowMs) }));
      expect([await outcome("first"), await outcome("second")]).toEqual(["key_disabled", "key_disabled"]);
      await bank.books.job(tx => enableKey(tx, { id: keyId, enabled: true, by: tester(time.nowMs) }));
      expect([await outcome("first"), await outcome("second")]).toEqual(["admitted", "admitted"]);
      await bank.books.job(tx => deleteKey(tx, { id: keyId, by: tester(time.nowMs) }));
      expect([await outcome("first"), await outcome("second")]).toEqual(["key_deleted", "key_deleted"]);
    });

    test("again: no older string outlives what was said last, and each is still known as replaced", async () => {
      await rotate("second", GRACE_MS);
      await rotate("third", GRACE_MS / 2);
      expect([await outcome("first"), await outcome("second")]).toEqual(["admitted", "admitted"]);
      await rotate("fourth", 0);
      for (const name of ["first", "second", "third"]) expect(await outcome(name)).toBe("key_replaced");
      expect(await outcome("fourth")).toBe("admitted");
    });

    test("does not lengthen what an earlier rotation said", async () => {
      await rotate("second", 10);
      await rotate("third", GRACE_MS);
      time.nowMs += 10;
      expect([await outcome("first"), await outcome("second")]).toEqual(["key_replaced", "admitted"]);
    });

    test("is found by its old string with the time that it has left", async () => {
      await rotate("second", GRACE_MS);
      expect(await holderOf("first")).toMatchObject({ key: { id: keyId }, stringUntilMs: NOON + GRACE_MS });
      expect(await holderOf("second")).not.toHaveProperty("stringUntilMs");
      expect(await holderOf("nobody's")).toBe(null);
    });
  });

  test("a string that was rotated away is never given again, not even to its own key", async () => {
    await rotate("second", 0);
    const made = {
      hash: "hash of first",
      preview: "x",
      sealed: null,
      email: "bob@example.org",
      name: "other",
    };
    const none = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
    const free = {
      spendPerDay: null,
      spendPerWeek: null,
      spendPerMonth: null,
      quota: null,
      expiresAtMs: null,
    };
    const again = bank.books.job(tx =>
      createKey(tx, {
        ...made,
        ...none,
        ...free,
        id: newId("key"),
        group: "default",
        by: tester(time.nowMs),
      }),
    );
    expect(await again.catch(error => error)).toMatchObject({ name: "StoreProblem", field: "custom_key" });
    expect(await rotate("first", 0).catch(error => error)).toBeInstanceOf(StoreProblem);
    expect(await outcome("second")).toBe("admitted");
  });

  test("nobody rotates, changes or reads the key of another account, and nobody a deleted one", async () => {
    const [ann, bob] = [await accountOf(EMAIL), await accountOf("bob@example.org")];
    expect(await rotate("second", 0, bob)).toBe(null);
    expect(await outcome("first")).toBe("admitted");
    const change = { id: keyId, email: "bob@example.org", name: "mine", limits: {}, by: tester(time.nowMs) };
    expect(await bank.books.job(tx => changeKey(tx, { ...change, accountId: bob }))).toBe(false);
    const whose = { accountId: bob, nowMs: time.nowMs };
    expect(await bank.books.job(tx => keyOfAccount(tx, { ...whose, id: keyId }))).toBe(null);
    expect(await bank.books.job(tx => keysOfAccount(tx, whose))).toEqual([]);
    expect(await bank.books.job(tx => sealedCopy(tx, { accountId: bob, id: keyId }))).toBe(null);
    expect(await rotate("second", 0, ann)).toEqual({ name: "first" });
    await bank.books.job(tx => deleteKey(tx, { id: keyId, by: tester(time.nowMs) }));
    expect(await rotate("third", 0, ann).catch(error => error)).toBeInstanceOf(StoreProblem);
    expect(await rotate("third", 0, null).catch(error => error.message)).toContain("deleted");
  });

  test("the account's list tells of each key its group, its newest request and how long an old string works", async () => {
    const accountId = await accountOf(EMAIL);
    const unused = await bank.key(EMAIL, "unused");
    await bank.ask(ask("first", 1n).command);
    time.nowMs += 5;
    await bank.ask(ask("first", 1n).command);
    await rotate("second", GRACE_MS);
    const list = () => bank.books.job(tx => keysOfAccount(tx, { accountId, nowMs: time.nowMs }));
    const lastUsed = { atMs: NOON + 5, tool: "test", address: "127.0.0.1" };
    expect(await list()).toMatchObject([
      {
        ...{ id: keyId, isSealed: true, lastUsed, oldStringUntilMs: NOON + 5 + GRACE_MS, open: 2 },
        group: { name: "default", enabled: true, multiplier: 10_000, billing: "balance" },
      },
      { id: unused, isSealed: false, lastUsed: null, oldStringUntilMs: null, createdAtMs: NOON },
    ]);
    time.nowMs += GRACE_MS;
    expect((await list())[0]?.oldStringUntilMs).toBe(null);
    await bank.books.job(tx => deleteKey(tx, { id: unused, by: tester(time.nowMs) }));
    expect((await list()).map(({ deletedAtMs }) => deletedAtMs)).toEqual([null, time.nowMs]);
  });

  test("an account has no more keys than it may, deleted ones apart, and lists not all of those", async () => {
    const accountId = await accountOf(EMAIL);
    const none = {
      ...NO_LIMITS,
      quota: null,
      expiresAtMs: null,
      sealed: null,
      preview: "",
      group: "default",
    };
    const make = (name: string) => {
      const made = {
        ...none,
        id: newId("key"),
        email: EMAIL,
        name,
        hash: `hash of ${name}`,
        by: tester(time.nowMs),
      };
      return bank.books.job(tx => createKey(tx, { ...made, keysMax: 2 }));
    };
    const { id } = await make("second");
    expect(await make("third").catch(error => error)).toBeInstanceOf(StoreProblem);
    await bank.books.job(tx => deleteKey(tx, { id, by: tester(time.nowMs) }));
    for (let at = 0; at < 205; at++) {
      const { id } = await make(`gone ${at}`);
      await bank.books.job(tx => deleteKey(tx, { id, by: tester(time.nowMs) }));
    }
    const listed = await bank.books.job(tx => keysOfAccount(tx, { accountId, nowMs: time.nowMs }));
    expect(listed.map(({ name }) => name)).toEqual([
      "first",
      ...Array.from({ length: 200 }, (_, at) => `gone ${at + 5}`),
    ]);
  });

  test("a change leaves what it does not name, takes away what is null, and keeps names apart", async () => {
    const accountId = await accountOf(EMAIL);
    await bank.key(EMAIL, "other", { quota: 5n, concurrency: 3 });
    const read = async (name: string) => bank.one("select * from keys where name = ?", name);
    const other = String((await read("other"))["id"]);
    const change = { id: other, accountId, email: EMAIL, by: tester(time.nowMs) };
    const apply = (more: object) => bank.books.job(tx => changeKey(tx, { ...change, limits: {}, ...more }));
    expect(await apply({ name: "renamed", limits: { requestsPerMinute: 7 } })).toBe(true);
    expect(await read("renamed")).toMatchObject({ quota: 5n, concurrency: 3n, requests_per_minute: 7n });
    await apply({ quota: null, limits: { concurrency: null } });
    expect(await read("renamed")).toMatchObject({ quota: null, concurrency: null, requests_per_minute: 7n });
    expect(await apply({ name: "first" }).catch(error => error)).toMatchObject({ field: "name" });
    expect(await apply({ groupId: "grp_none" }).catch(error => error)).toMatchObject({ field: "group" });
  });
});
