import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idMaker } from "../domain/ids.ts";
import { NANOS_PER_USD } from "../domain/money.ts";
import { BALANCE_NANOS_MAX } from "./accounts.ts";
import { tester } from "./audit-test-rig.ts";
import { Bank } from "./bank.case.ts";
import { codeState, createCodes, type NewCodes, redeemCode } from "./codes.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { freshDatabase } from "./postgres/server-test-rig.ts";
import { sqliteBooks } from "./sqlite/books.case.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { type Store, StoreProblem } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "wicketgate-codes-"));
let files = 0;

const NOW = 1_800_000_000_000;
const newId = idMaker({ nowMs: () => NOW, randomBytes });
const ANN = "ann@example.org";
const BOB = "bob@example.org";
const WORTH = 5n * NANOS_PER_USD;

/** A new database, to which several processes can connect. */
type Place = { connect: () => Promise<Store> };

const places: readonly (readonly [name: string, fresh: () => Promise<Place>])[] = [
  [
    "SQLite",
    async () => {
      const file = join(folder, `${files++}.db`);
      return { connect: () => openSqliteStore({ ...options, file }) };
    },
  ],
  [
    "PostgreSQL",
    async () => {
      const url = await freshDatabase();
      return { connect: () => openPostgresStore({ ...options, url }) };
    },
  ],
];

const options = { bootId: newId("boot"), log: () => {}, nowMs: () => NOW };

const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function connect(place: Place): Promise<Store> {
  const store = await place.connect();
  stores.push(store);
  return store;
}

async function furnish(place: Place): Promise<Store> {
  const store = await connect(place);
  for (const email of [ANN, BOB]) {
    const made = { id: newId("acc"), ledgerId: newId("led"), role: "holder", openingBalance: 0n } as const;
    await store.run("account.add", { ...made, email, by: tester(NOW) });
  }
  return store;
}

const drafts = (...hashes: string[]) =>
  hashes.map(hash => ({ id: newId("code"), hash, preview: `wgc_${hash}…` }));

async function create(store: Store, hashes: string[], more: Partial<NewCodes> = {}) {
  const codes = drafts(...hashes);
  await store.run("code.create", {
    codes,
    amount: WORTH,
    note: "",
    expiresAtMs: null,
    by: tester(NOW),
    ...more,
  });
  return codes;
}

const redeem = (store: Store, hash: string, email = ANN, nowMs = NOW) =>
  store.run("code.redeem", { email, hash, ledgerId: newId("led"), by: tester(nowMs) });

const list = (store: Store) => store.report("codes", { beforeId: null, limit: 1000 });
const linesOf = (store: Store, email: string) =>
  store.report("ledger", { email, beforeId: null, limit: 1000 });

async function expectRefused(store: Store, doing: () => Promise<unknown>, sentence: string): Promise<void> {
  const look = async () => [await linesOf(store, ANN), await list(store), await store.report("accounts", {})];
  const before = await look();
  const problem = await doing().then(
    () => null,
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(StoreProblem);
  expect(String(problem)).toContain(sentence);
  expect(await look()).toEqual(before);
}

describe.each(places)("on %s,", (_, fresh) => {
  describe("a code", () => {
    test("credits once, by a line that names it", async () => {
      const store = await furnish(await fresh());
      await create(store, ["a", "b"], { note: "for the meeting" });
      expect(await redeem(store, "a")).toMatchObject({
        amount: WORTH,
        account: { email: ANN, balance: WORTH },
      });
      const lines = await linesOf(store, ANN);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({
        kind: "redemption",
        amount: WORTH,
        actor: "tester",
        why: "code wgc_a…",
      });
      await expectRefused(store, () => redeem(store, "a"), "has been redeemed already");
      await expectRefused(store, () => redeem(store, "a", BOB), "has been redeemed already");
      const [b, a] = await list(store);
      expect(a).toMatchObject({
        preview: "wgc_a…",
        redeemedBy: ANN,
        redeemedAtMs: NOW,
        note: "for the meeting",
      });
      expect(b).toMatchObject({ preview: "wgc_b…", redeemedBy: null, redeemedAtMs: null, amount: WORTH });
      expect(await store.report("verify", {})).toEqual([]);
    });

    test("that nobody made, that is expired, or for nobody who may have it is refused", async () => {
      const store = await furnish(await fresh());
      await create(store, ["a"], { expiresAtMs: NOW + 1000 });
      await expectRefused(store, () => redeem(store, "z"), "This code is not known");
      await expectRefused(
        store,
        () => redeem(store, "a", ANN, NOW + 1000),
        "expired at 2027-01-15T08:00:01.000Z",
      );
      await expectRefused(store, () => redeem(store, "a", "eve@example.org"), "There is no account");
      await store.run("account.enable", { email: ANN, enabled: false, by: tester(NOW) });
      await expectRefused(store, () => redeem(store, "a"), "is disabled");
      expect(await redeem(store, "a", BOB, NOW + 999)).toMatchObject({ account: { balance: WORTH } });
    });

    test("that would give more than an account may have stays unused", async () => {
      const store = await furnish(await fresh());
      await create(store, ["a"], { amount: BALANCE_NANOS_MAX });
      await create(store, ["b"], { amount: 1n });
      await redeem(store, "a");
      await expectRefused(store, () => redeem(store, "b"), "which is the most");
      await redeem(store, "b", BOB);
    });

    test("can be revoked while nobody has used it", async () => {
      const store = await furnish(await fresh());
      const [a, b] = await create(store, ["a", "b"]);
      const revoked = await store.run("code.revoke", { id: a?.id ?? "", by: tester(NOW) });
      expect(revoked === null ? null : codeState(revoked, NOW)).toBe("expired");
      await expectRefused(store, () => redeem(store, "a"), "This code expired");
      // Again changes nothing, not even the time.
      expect(await store.run("code.revoke", { id: a?.id ?? "", by: tester(NOW + 5) })).toEqual(revoked);
      await redeem(store, "b");
      const again = () => store.run("code.revoke", { id: b?.id ?? "", by: tester(NOW) });
      await expectRefused(store, again, `was redeemed by ${ANN}`);
      expect(await store.run("code.revoke", { id: "code_x", by: tester(NOW) })).toBeNull();
    });
  });

  describe("a batch", () => {
    test("of a thousand is made whole and listed by pages, newest first", async () => {
      const store = await furnish(await fresh());
      const made = await create(
        store,
        Array.from({ length: 1000 }, (_, at) => `h${at}`),
      );
      const ids = made.map(({ id }) => id).reverse();
      expect((await list(store)).map(({ id }) => id)).toEqual(ids);
      const page = await store.report("codes", { beforeId: ids[9] ?? "", limit: 10 });
      expect(page.map(({ id }) => id)).toEqual(ids.slice(10, 20));
      await create(store, ["one more"]);
      expect(await store.report("codes", { beforeId: null, limit: 5000 })).toHaveLength(1000);
    });

    test("that cannot be is refused whole", async () => {
      const store = await furnish(await fresh());
      const many = Array.from({ length: 1001 }, (_, at) => `h${at}`);
      await expectRefused(store, () => create(store, []), "1 to 1000 at a time");
      await expectRefused(store, () => create(store, many), "1 to 1000 at a time");
      await expectRefused(store, () => create(store, ["a"], { amount: 0n }), "more than zero");
      await expectRefused(store, () => create(store, ["a"], { amount: -1n }), "more than zero");
      await expectRefused(
        store,
        () => create(store, ["a"], { amount: 2n ** 64n }),
        "at most 1,000,000,000 USD",
      );
      await expectRefused(store, () => create(store, ["a"], { expiresAtMs: NOW }), "would expire before");
      await create(store, ["taken"]);
      const failed = await create(store, ["new", "taken"]).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
      expect(await list(store)).toHaveLength(1);
    });
  });

  describe("whoever races", () => {
    test("200 redeem one code over four connections: one line, and 199 refusals that say why", async () => {
      const place = await fresh();
      const first = await furnish(place);
      const connections = [first, await connect(place), await connect(place), await connect(place)];
      await create(first, ["a"]);
      const racers = Array.from({ length: 200 }, (_, at) => {
        const store = connections[at % connections.length] ?? first;
        return redeem(store, "a", at % 3 === 0 ? BOB : ANN).then(
          () => "redeemed",
          (error: unknown) => String(error),
        );
      });
      const results = await Promise.all(racers);
      expect(results.filter(result => result === "redeemed")).toHaveLength(1);
      expect(new Set(results)).toEqual(
        new Set(["redeemed", "StoreProblem: This code has been redeemed already: each credits once."]),
      );
      expect([...(await linesOf(first, ANN)), ...(await linesOf(first, BOB))]).toHaveLength(1);
      const balances = (await first.report("accounts", {})).map(({ balance }) => balance);
      expect(balances.reduce((sum, balance) => sum + balance, 0n)).toBe(WORTH);
      expect(await first.report("verify", {})).toEqual([]);
    }, 30_000);

    test("200 send one credit under one name: one line, and everyone hears that it is done", async () => {
      const place = await fresh();
      const first = await furnish(place);
      const connections = [first, await connect(place), await connect(place)];
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, at) =>
          (connections[at % connections.length] ?? first).run("account.move", {
            email: ANN,
            ledgerId: newId("led"),
            amount: WORTH,
            why: "paid",
            by: tester(NOW),
            once: "payment 1",
          }),
        ),
      );
      expect(results.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect(results.every(({ account }) => account.balance === WORTH)).toBe(true);
      expect(await linesOf(first, ANN)).toHaveLength(1);
    }, 30_000);
  });
});

test("the database itself refuses a second line under one name", async () => {
  const bank = await new Bank(await sqliteBooks()).open();
  await bank.account(ANN, 0n);
  const code = { id: newId("code"), hash: "a", preview: "wgc_a…" };
  const redemption = { email: ANN, hash: "a", by: tester(NOW) };
  await bank.books.job(async tx => {
    await createCodes(tx, { codes: [code], amount: WORTH, note: "", expiresAtMs: null, by: tester(NOW) });
    await redeemCode(tx, { ...redemption, ledgerId: newId("led") });
    await tx.run("update codes set redeemed_at_ms = null, redeemed_by = null");
  });
  const again = bank.books.job(tx => redeemCode(tx, { ...redemption, ledgerId: newId("led") }));
  await expect(again).rejects.toThrow(/unique/i);
  expect(await bank.one("select count(*) as lines from ledger")).toEqual({ lines: 1n });
  await bank.books.close();
});
