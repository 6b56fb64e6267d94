import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { parseWindows } from "../domain/spend-window.ts";
import { limitAccount } from "./account-limits.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, askStream, Bank, checkpoint, extend, settle, time, voided } from "./bank.case.ts";
import { databases } from "./databases.case.ts";

const EMAIL = "ann@example.org";
const NOON = Date.UTC(2027, 0, 15, 12);
const DAY_MS = 86_400_000;

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    time.nowMs = NOON;
    bank = await new Bank(await openBooks()).open([
      { name: "daily", groups: ["subscribed", "first"], quota: 100n, window: "day" },
      { name: "once", groups: ["first"], quota: 30n, window: "total" },
    ]);
    await bank.account(EMAIL, 100n);
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  describe("a subscription", () => {
    test("pays for its groups until it is used up, and fills again at midnight UTC", async () => {
      const sub = await bank.subscribe(EMAIL, "daily");
      await bank.key(EMAIL, "k", { group: "subscribed" });
      const first = ask("k", 60n);
      expect(await bank.ask(first.command)).toEqual(["admitted"]);
      await bank.run(settle(first.id, 50n));
      expect(await bank.window(sub, "day")).toEqual({ spent: 50n, held: 0n });
      expect(await bank.balance(EMAIL)).toEqual({ balance: 100n, held: 0n });
      expect(await bank.ask(ask("k", 51n).command)).toEqual(["subscription_exhausted"]);
      time.nowMs = NOON + DAY_MS / 2 - 1;
      expect(await bank.ask(ask("k", 51n).command)).toEqual(["subscription_exhausted"]);
      time.nowMs += 1;
      expect(await bank.ask(ask("k", 51n).command)).toEqual(["admitted"]);
    });

    test("that the account does not have, or that has ended, is named, and the balance is not touched", async () => {
      await bank.key(EMAIL, "k", { group: "subscribed" });
      expect(await bank.ask(ask("k", 1n).command)).toEqual(["subscription_exhausted"]);
      await bank.subscribe(EMAIL, "daily", NOON + 1_000);
      expect(await bank.ask(ask("k", 1n).command)).toEqual(["admitted"]);
      time.nowMs += 1_000;
      expect(await bank.ask(ask("k", 1n).command)).toEqual(["subscription_exhausted"]);
    });

    test("tells what is left and when it fills again", async () => {
      await bank.subscribe(EMAIL, "daily");
      await bank.key(EMAIL, "k", { group: "subscribed" });
      const [answer] = await bank.run(ask("k", 101n).command);
      const refused =
        answer !== undefined && "admitted" in answer && !answer.admitted ? answer.refusal : null;
      expect(refused?.params["state"]).toBe(
        "“daily” has 0.0000001 USD left and fills again at 2027-01-16T00:00:00Z",
      );
    });

    test("first, then the balance: each request has one pocket, and the line names it", async () => {
      const sub = await bank.subscribe(EMAIL, "once");
      await bank.key(EMAIL, "k", { group: "first" });
      const [small, large] = [ask("k", 20n), ask("k", 20n)];
      expect(await bank.ask(small.command, large.command)).toEqual(["admitted", "admitted"]);
      await bank.run(settle(small.id, 20n), settle(large.id, 20n));
      expect(await bank.window(sub, "total")).toEqual({ spent: 20n, held: 0n });
      expect(await bank.balance(EMAIL)).toEqual({ balance: 80n, held: 0n });
      const lines = await bank.rows("select pocket, amount from ledger where kind = 'charge' order by id");
      expect(lines).toEqual([
        { pocket: sub, amount: -20n },
        { pocket: "balance", amount: -20n },
      ]);
      expect(await bank.ask(ask("k", 81n).command)).toEqual(["balance_exhausted"]);
    });
  });

  describe("a limit on spending", () => {
    test("by the day holds beside the quota, and a hold counts where it was made", async () => {
      const key = await bank.key(EMAIL, "k", { spendPerDay: 30n, quota: 90n });
      const [late, early] = [ask("k", 20n), ask("k", 30n)];
      expect(await bank.ask(late.command, ask("k", 11n).command)).toEqual([
        "admitted",
        "key_quota_exhausted",
      ]);
      time.nowMs += DAY_MS;
      expect(await bank.ask(early.command)).toEqual(["admitted"]);
      await bank.run(settle(late.id, 20n));
      expect(await bank.window(key, "day")).toEqual({ spent: 0n, held: 30n });
      await bank.run(settle(early.id, 25n));
      expect(await bank.window(key, "day")).toEqual({ spent: 25n, held: 0n });
      expect(await bank.ask(ask("k", 5n).command, ask("k", 1n).command)).toEqual([
        "admitted",
        "key_quota_exhausted",
      ]);
    });

    test("of an account is that of all its keys together", async () => {
      const limits = { requestsPerMinute: 2, tokensPerMinute: null, concurrency: null };
      const spend = { spendPerDay: null, spendPerWeek: 50n, spendPerMonth: null };
      await bank.books.job(tx =>
        limitAccount(tx, { email: EMAIL, limits: { ...limits, ...spend }, by: tester(time.nowMs) }),
      );
      await bank.key(EMAIL, "a");
      await bank.key(EMAIL, "b");
      expect(await bank.ask(ask("a", 51n).command)).toEqual(["account_limit_exhausted"]);
      const asked = [ask("a", 25n), ask("b", 25n), ask("a", 1n)];
      const reasons = await bank.ask(...asked.map(({ command }) => command));
      expect(reasons).toEqual(["admitted", "admitted", "rate_limited"]);
      time.nowMs += 60_000;
      expect(await bank.ask(ask("a", 1n).command)).toEqual(["account_limit_exhausted"]);
    });

    test("is not loosened by a clock that is set back", async () => {
      const key = await bank.key(EMAIL, "k", { spendPerDay: 30n });
      const first = ask("k", 20n);
      await bank.run(first.command);
      time.nowMs += DAY_MS;
      const second = ask("k", 25n);
      await bank.run(second.command);
      time.nowMs -= DAY_MS;
      expect(await bank.ask(ask("k", 6n).command)).toEqual(["key_quota_exhausted"]);
      expect(await bank.ask(ask("k", 5n).command)).toEqual(["admitted"]);
      await bank.run(settle(first.id, 20n), settle(second.id, 25n));
      expect(await bank.window(key, "day")).toEqual({ spent: 25n, held: 5n });
    });
  });

  describe("a hold that grows", () => {
    test("begins small, takes more while it runs, and lets others have the rest", async () => {
      await bank.key(EMAIL, "k");
      const stream = askStream("k", { first: 64, asked: 90 });
      expect(await bank.ask(stream.command)).toEqual(["admitted"]);
      expect(await bank.balance(EMAIL)).toEqual({ balance: 100n, held: 64n });
      expect(await bank.ask(extend(stream.id, 80))).toEqual(["80 held"]);
      const other = ask("k", 15n);
      expect(await bank.ask(other.command)).toEqual(["admitted"]);
      expect(await bank.ask(extend(stream.id, 90))).toEqual(["85 balance_exhausted"]);
      expect(await bank.balance(EMAIL)).toEqual({ balance: 100n, held: 100n });
      await bank.run(settle(stream.id, 85n), voided(other.id));
      expect(await bank.balance(EMAIL)).toEqual({ balance: 15n, held: 0n });
    });

    test("moves whole to the next pocket where the first does not give enough", async () => {
      const sub = await bank.subscribe(EMAIL, "daily");
      await bank.key(EMAIL, "k", { group: "first" });
      const used = ask("k", 30n);
      await bank.run(used.command);
      const stream = askStream("k", { first: 64, asked: 100 });
      await bank.run(stream.command);
      expect(await bank.window(sub, "day")).toEqual({ spent: 0n, held: 94n });
      expect(await bank.ask(extend(stream.id, 90))).toEqual(["90 held"]);
      expect(await bank.window(sub, "day")).toEqual({ spent: 0n, held: 30n });
      expect(await bank.balance(EMAIL)).toEqual({ balance: 100n, held: 90n });
      await bank.run(settle(stream.id, 70n));
      expect(await bank.balance(EMAIL)).toEqual({ balance: 30n, held: 0n });
      const row = await bank.one("select pocket, cost, hold from usage where id = ?", stream.id);
      expect(row).toEqual({ pocket: "balance", cost: 70n, hold: 90n });
    });

    test("that outlasts the day and wants more counts in the next one, whole", async () => {
      const key = await bank.key(EMAIL, "k", { spendPerDay: 80n });
      const stream = askStream("k", { first: 64, asked: 80 });
      await bank.run(stream.command);
      time.nowMs += DAY_MS;
      expect(await bank.ask(extend(stream.id, 75))).toEqual(["75 held"]);
      expect(await bank.window(key, "day")).toEqual({ spent: 0n, held: 75n });
      const { windows } = await bank.one("select windows from usage where id = ?", stream.id);
      expect(parseWindows(String(windows))[0]?.startMs).toBe(Date.UTC(2027, 0, 16));
      await bank.run(settle(stream.id, 10n));
      expect(await bank.window(key, "day")).toEqual({ spent: 10n, held: 0n });
    });

    test("takes at the end what the answer turned out to cost, up to what was granted and what is there", async () => {
      await bank.key(EMAIL, "k");
      const [hidden, wild, short] = [1, 2, 3].map(() => askStream("k", { first: 10, asked: 20 }));
      if (hidden === undefined || wild === undefined || short === undefined) throw new Error("three");
      await bank.run(hidden.command);
      await bank.run(settle(hidden.id, 18n, { bound: 20n }));
      expect(await bank.balance(EMAIL)).toEqual({ balance: 82n, held: 0n });
      await bank.run(wild.command);
      await bank.run(settle(wild.id, 10n ** 15n, { bound: 20n }));
      expect(await bank.balance(EMAIL)).toEqual({ balance: 62n, held: 0n });
      await bank.run(short.command);
      const rest = ask("k", 40n);
      await bank.run(rest.command);
      await bank.run(settle(short.id, 23n, { bound: 50n }));
      expect(await bank.balance(EMAIL)).toEqual({ balance: 40n, held: 40n });
      await bank.run(voided(rest.id));
      const rows = await bank.rows("select cost, source from usage where cost > 0 order by id");
      expect(rows).toEqual([
        { cost: 18n, source: "reported" },
        { cost: 20n, source: "clamped" },
        { cost: 22n, source: "clamped" },
      ]);
    });

    test("is billed at its checkpoint when the process dies, up to what it held by then", async () => {
      await bank.key(EMAIL, "k");
      const stream = askStream("k", { first: 10, asked: 90 });
      await bank.run(stream.command);
      await bank.run(extend(stream.id, 70), checkpoint(stream.id, 68n));
      expect(await bank.restart()).toBe(1);
      expect(await bank.balance(EMAIL)).toEqual({ balance: 32n, held: 0n });
    });
  });
});
