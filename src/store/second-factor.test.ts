import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Id, idMaker } from "../domain/ids.ts";
import { tester } from "./audit-test-rig.ts";
import type { OidcArrival } from "./oidc-identities.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { freshDatabase } from "./postgres/server-test-rig.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import type { Store } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "wicketgate-second-factor-"));
let files = 0;

const NOW = 1_800_000_000_000;
const newId = idMaker({ nowMs: () => NOW, randomBytes });
const options = { bootId: newId("boot"), log: () => {}, nowMs: () => NOW };
const ANN = "ann@example.org";
const SEALED = new Uint8Array([1, 2, 3]);
const RACERS = 60;

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

async function account(store: Store, email = ANN): Promise<Id<"acc">> {
  const id = newId("acc");
  const made = { id, ledgerId: newId("led"), role: "holder", openingBalance: 0n } as const;
  await store.run("account.add", { ...made, email, by: tester(NOW) });
  return id;
}

async function ticket(store: Store, kind: string, accountId: Id<"acc"> | null): Promise<string> {
  const hash = `hash of ${newId("tkt")}`;
  await store.run("ticket.make", {
    ...{ id: newId("tkt"), hash, kind, accountId, email: null, role: null, payload: "{}", madeBy: "tester" },
    ...{ expiresAtMs: NOW + 1000, nowMs: NOW },
  });
  return hash;
}

async function withTotp(store: Store): Promise<Id<"acc">> {
  const accountId = await account(store);
  const ticketHash = await ticket(store, "totp", accountId);
  const start = {
    accountId,
    ticketHash,
    totp: SEALED,
    step: 100,
    recoveryHashes: ["a", "b"],
    by: tester(NOW),
  };
  expect(await store.run("totp.start", start)).toBe(true);
  return accountId;
}

const problemOf = (doing: Promise<unknown>) => doing.then(() => "none", String);

const profileOf = async (store: Store, id: Id<"acc">) => (await store.run("person.read", { id }))?.profile;

/** All at once, over three connections; how often each outcome came. */
async function race<T>(place: Place, first: Store, run: (store: Store, at: number) => Promise<T>) {
  const connections = [first, await connect(place), await connect(place)];
  const outcomes = await Promise.all(
    Array.from({ length: RACERS }, (_, at) => run(connections[at % 3] ?? first, at)),
  );
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
}

describe.each(places)("on %s", (_name, fresh) => {
  test("two-factor begins by a ticket that is good once, and only one app is in force", async () => {
    const store = await connect(await fresh());
    const accountId = await withTotp(store);
    expect(await profileOf(store, accountId)).toMatchObject({
      totp: SEALED,
      totpStep: 100,
      recoveryCodes: ["a", "b"],
    });
    const again = await ticket(store, "totp", accountId);
    const start = {
      accountId,
      ticketHash: again,
      totp: SEALED,
      step: 1,
      recoveryHashes: [],
      by: tester(NOW),
    };
    expect(await problemOf(store.run("totp.start", start))).toContain("Two-factor is on already");
    await store.run("totp.end", { accountId, by: tester(NOW) });
    expect(await profileOf(store, accountId)).toMatchObject({
      totp: null,
      totpStep: null,
      recoveryCodes: [],
    });
    expect(await store.run("totp.start", start)).toBe(true);
    await store.run("totp.end", { accountId, by: tester(NOW) });
    expect(await store.run("totp.start", start)).toBe(false);
    const stranger = await account(store, "bob@example.org");
    const anns = await ticket(store, "totp", accountId);
    expect(await store.run("totp.start", { ...start, accountId: stranger, ticketHash: anns })).toBe(false);
    expect(await profileOf(store, stranger)).toMatchObject({ totp: null });
  });

  test("a recovery code completes one of many sign-ins that try it at once", async () => {
    const place = await fresh();
    const store = await connect(place);
    const accountId = await withTotp(store);
    const hashes = await Promise.all(
      Array.from({ length: RACERS }, () => ticket(store, "second_factor", accountId)),
    );
    const counts = await race(place, store, (one, at) =>
      one.run("code.spend", {
        accountId,
        code: { recoveryHash: "a" },
        ticketHash: hashes[at] ?? "",
        nowMs: NOW,
      }),
    );
    expect(counts).toEqual({ good: 1, used: RACERS - 1 });
    expect((await profileOf(store, accountId))?.recoveryCodes).toEqual(["b"]);
  });

  test("a code of the app works once, and none before it any more", async () => {
    const place = await fresh();
    const store = await connect(place);
    const accountId = await withTotp(store);
    const spend = (step: number) => (one: Store) =>
      one.run("code.spend", { accountId, code: { step }, ticketHash: null, nowMs: NOW });
    expect(await spend(100)(store)).toBe("used");
    expect(await race(place, store, spend(102))).toEqual({ good: 1, used: RACERS - 1 });
    expect(await spend(101)(store)).toBe("used");
    expect(await spend(103)(store)).toBe("good");
  });

  test("one half-done sign-in is completed once, however many good codes come", async () => {
    const place = await fresh();
    const store = await connect(place);
    const accountId = await withTotp(store);
    const ticketHash = await ticket(store, "second_factor", accountId);
    // Every racer has a code of its own, so that the ticket alone decides.
    await store.run("profile.change", {
      accountId,
      change: { recoveryCodes: Array.from({ length: RACERS }, (_, at) => `code ${at}`) },
      by: tester(NOW),
    });
    const counts = await race(place, store, (one, at) =>
      one.run("code.spend", { accountId, code: { recoveryHash: `code ${at}` }, ticketHash, nowMs: NOW }),
    );
    expect(counts).toEqual({ good: 1, ticket: RACERS - 1 });
  });

  test("a ticket of somebody else, of another kind or that has run out completes nothing", async () => {
    const store = await connect(await fresh());
    const accountId = await withTotp(store);
    const bob = await account(store, "bob@example.org");
    const spend = (ticketHash: string, step: number, nowMs = NOW) =>
      store.run("code.spend", { accountId, code: { step }, ticketHash, nowMs });
    expect(await spend(await ticket(store, "second_factor", bob), 101)).toBe("ticket");
    expect(await spend(await ticket(store, "totp", accountId), 102)).toBe("ticket");
    expect(await spend(await ticket(store, "second_factor", accountId), 103, NOW + 1000)).toBe("ticket");
    expect(await spend("unknown", 104)).toBe("ticket");
  });

  describe("a passkey", () => {
    const draft = (accountId: Id<"acc">, ticketHash: string) => ({
      ...{ id: newId("pkey"), accountId, ticketHash, credentialId: "cred", name: "phone", counter: 5 },
      ...{ publicKey: SEALED, transports: ["internal"], by: tester(NOW) },
    });

    test("is kept once, found with its holder, and removed by its holder alone", async () => {
      const place = await fresh();
      const store = await connect(place);
      const accountId = await account(store);
      const bob = await account(store, "bob@example.org");
      const ticketHash = await ticket(store, "passkey_add", accountId);
      const counts = await race(place, store, (one, at) =>
        one.run("passkey.add", { ...draft(accountId, ticketHash), credentialId: `cred ${at}` }),
      );
      expect(counts).toEqual({ true: 1, false: RACERS - 1 });
      const [kept] = await store.run("passkey.list", { accountId });
      if (kept === undefined) throw new Error("nothing is kept");
      const { credentialId } = kept;
      expect(await store.run("passkey.find", { credentialId })).toMatchObject({
        passkey: { name: "phone", publicKey: SEALED, transports: ["internal"], lastUsedAtMs: null },
        person: { account: { email: ANN } },
      });
      const other = await ticket(store, "passkey_add", accountId);
      const same = store.run("passkey.add", { ...draft(accountId, other), credentialId });
      expect(await problemOf(same)).toContain("is kept already");
      expect(await store.run("passkey.remove", { id: kept.id, accountId: bob, by: tester(NOW) })).toBe(false);
      const last = store.run("passkey.remove", { id: kept.id, accountId, by: tester(NOW) });
      expect(await problemOf(last)).toContain("the only way to sign in");
      await store.run("profile.change", { accountId, change: { passwordHash: "x" }, by: tester(NOW) });
      expect(await store.run("passkey.remove", { id: kept.id, accountId, by: tester(NOW) })).toBe(true);
      expect(await store.run("passkey.find", { credentialId })).toBe(null);
    });

    test("answers a challenge once, and a count that does not go up is a copy", async () => {
      const place = await fresh();
      const store = await connect(place);
      const accountId = await account(store);
      const add = await ticket(store, "passkey_add", accountId);
      await store.run("passkey.add", draft(accountId, add));
      const prove = async (one: Store, ticketHash: string, counter: number) =>
        one.run("passkey.prove", {
          ...{ credentialId: "cred", counter, ticketHash, ticketKind: "passkey_sign_in" as const },
          nowMs: NOW + 1,
        });
      const ticketHash = await ticket(store, "passkey_sign_in", null);
      const counts = await race(place, store, (one, at) => prove(one, ticketHash, 6 + at));
      expect(counts).toEqual({ good: 1, ticket: RACERS - 1 });
      const [kept] = await store.run("passkey.list", { accountId });
      expect(kept?.lastUsedAtMs).toBe(NOW + 1);
      const counted = kept?.counter ?? 0;
      expect(await prove(store, await ticket(store, "passkey_sign_in", null), counted)).toBe("copied");
      expect(await prove(store, await ticket(store, "passkey_sign_in", null), 0)).toBe("copied");
      expect(await prove(store, await ticket(store, "passkey_sign_in", null), counted + 1)).toBe("good");
      const bob = await account(store, "bob@example.org");
      expect(await prove(store, await ticket(store, "passkey_sign_in", bob), counted + 2)).toBe("gone");
    });
  });

  describe("whoever comes by the house's sign-in service", () => {
    const arrive = (store: Store, more: Partial<OidcArrival> = {}) =>
      store.run("oidc.arrive", {
        ...{ issuer: "https://id.test", subject: "1", email: ANN, name: "Ann", signedInAs: null },
        ...{
          openingBalance: null,
          accountId: newId("acc"),
          ledgerId: newId("led"),
          by: tester(NOW),
          ...more,
        },
      });
    const emailOf = (outcome: Awaited<ReturnType<typeof arrive>>) =>
      "person" in outcome ? outcome.person.account.email : outcome.refused;

    test("gets no account where nobody may make one, and one where they may", async () => {
      const store = await connect(await fresh());
      expect(await arrive(store)).toEqual({ refused: "no_account" });
      expect(await arrive(store, { email: null, openingBalance: 5n })).toEqual({
        refused: "unverified_email",
      });
      const made = await arrive(store, { openingBalance: 5n });
      expect(made).toMatchObject({
        person: {
          account: { email: ANN, role: "holder", balance: 5n },
          profile: { name: "Ann" },
          oidcIdentities: 1,
        },
      });
      // Found by the identity from now on, whatever its e-mail is then.
      expect(emailOf(await arrive(store, { email: null }))).toBe(ANN);
      expect(emailOf(await arrive(store, { email: "new@example.org" }))).toBe(ANN);
      await store.run("account.enable", { email: ANN, enabled: false, by: tester(NOW) });
      expect(await arrive(store)).toEqual({ refused: "disabled" });
    });

    test("makes one account however often they come at once", async () => {
      const place = await fresh();
      const store = await connect(place);
      const counts = await race(place, store, async one =>
        emailOf(await arrive(one, { openingBalance: 1n })),
      );
      expect(counts).toEqual({ [ANN]: RACERS });
      expect((await store.report("accounts", {})).map(({ balance }) => balance)).toEqual([1n]);
      expect(await store.report("verify", {})).toEqual([]);
    });

    test("gets what the operator invited them to, and the invitation is used up", async () => {
      const store = await connect(await fresh());
      const hash = "invitation";
      await store.run("person.invite", {
        ...{ id: newId("tkt"), hash, kind: "invitation", accountId: null, email: ANN, role: "operator" },
        ...{ payload: '{"balance":"7"}', madeBy: "root@example.org", expiresAtMs: NOW + 1000, nowMs: NOW },
        by: tester(NOW),
      });
      expect(await arrive(store)).toMatchObject({ person: { account: { role: "operator", balance: 7n } } });
      const look = { hash, kinds: ["invitation"], nowMs: NOW };
      expect(await store.run("ticket.look", look)).toBe(null);
    });

    test("never takes over an account that somebody can sign in to", async () => {
      const store = await connect(await fresh());
      const accountId = await account(store);
      await store.run("profile.change", {
        accountId,
        change: { passwordHash: "chosen by somebody" },
        by: tester(NOW),
      });
      expect(await arrive(store, { openingBalance: 5n })).toEqual({ refused: "sign_in_first" });
      // Signed in, they connect it.
      expect(emailOf(await arrive(store, { signedInAs: accountId }))).toBe(ANN);
      expect(emailOf(await arrive(store))).toBe(ANN);
      // The e-mail may be given to another person one day: that is another subject.
      expect(await arrive(store, { subject: "2" })).toEqual({ refused: "sign_in_first" });
    });

    test("gets an account that the operator made for their e-mail and nobody has entered", async () => {
      const store = await connect(await fresh());
      await account(store);
      expect(emailOf(await arrive(store))).toBe(ANN);
      expect(await arrive(store, { subject: "2" })).toEqual({ refused: "sign_in_first" });
    });

    test("connects neither another's e-mail nor another's identity", async () => {
      const store = await connect(await fresh());
      await account(store);
      const bob = await account(store, "bob@example.org");
      expect(await arrive(store, { signedInAs: bob })).toEqual({ refused: "other_email" });
      expect(emailOf(await arrive(store))).toBe(ANN);
      expect(await arrive(store, { signedInAs: bob })).toEqual({ refused: "other_account" });
    });
  });
});
