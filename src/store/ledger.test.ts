import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { enableAccount } from "./accounts.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, Bank, checkpoint, settle, time, voided } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { deleteKey, enableKey } from "./keys.ts";

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
    await bank.account("ann@example.org", 100n);
  });
  afterEach(() => bank.books.close());

  describe("a hold", () => {
    test("of 60 out of 100 leaves 40, is settled at 25, and 75 are left", async () => {
      await bank.key("ann@example.org", "laptop");
      const { command, id } = ask("laptop", 60n);
      expect(await bank.ask(command)).toEqual(["admitted"]);
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 60n });
      await bank.run(settle(id, 25n));
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 75n, held: 0n });
      const line = await bank.one("select kind, amount, usage_id from ledger where kind = 'charge'");
      expect(line).toEqual({ kind: "charge", amount: -25n, usage_id: id });
      expect(await bank.findings()).toEqual([]);
    });

    test("is resolved once: a second settlement, or one after a void, changes nothing", async () => {
      await bank.key("ann@example.org", "laptop");
      const { command, id } = ask("laptop", 60n);
      await bank.run(command);
      await bank.run(settle(id, 25n), settle(id, 60n));
      await bank.run(voided(id), settle(id, 60n));
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 75n, held: 0n });
      expect(await bank.findings()).toEqual([]);
    });

    test("bounds the charge: an upstream that claims more is charged the hold and marked, less than nothing is nothing", async () => {
      await bank.key("ann@example.org", "laptop");
      const greedy = ask("laptop", 30n);
      const odd = ask("laptop", 30n);
      await bank.run(greedy.command, odd.command);
      await bank.run(settle(greedy.id, 10n ** 18n), settle(odd.id, -5n));
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 70n, held: 0n });
      const marked = await bank.rows("select cost, source from usage order by id");
      expect(marked).toEqual([
        { cost: 30n, source: "clamped" },
        { cost: 0n, source: "clamped" },
      ]);
      expect(await bank.findings()).toEqual([]);
    });

    test("that was voided costs nothing and leaves no ledger line", async () => {
      await bank.key("ann@example.org", "laptop");
      const { command, id } = ask("laptop", 60n);
      await bank.run(command);
      await bank.run(voided(id));
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 0n });
      expect(await bank.one("select count(*) as n from ledger where kind = 'charge'")).toEqual({ n: 0n });
    });
  });

  describe("one batch", () => {
    test("of twenty for the last cent admits exactly as many as the money pays for", async () => {
      await bank.key("ann@example.org", "laptop");
      const asked = Array.from({ length: 20 }, () => ask("laptop", 30n).command);
      const reasons = await bank.ask(...asked);
      expect(reasons.filter(found => found === "admitted")).toHaveLength(3);
      expect(reasons.filter(found => found === "balance_exhausted")).toHaveLength(17);
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 90n });
    });

    test("names the pocket that is empty: the key's quota before the balance", async () => {
      await bank.key("ann@example.org", "small", { quota: 50n });
      await bank.key("ann@example.org", "large");
      const asked = [ask("small", 40n), ask("small", 20n), ask("large", 60n), ask("large", 1n)];
      const reasons = await bank.ask(...asked.map(({ command }) => command));
      expect(reasons).toEqual(["admitted", "key_quota_exhausted", "admitted", "balance_exhausted"]);
    });

    test("sees every key of an account, and gives back what is settled within it", async () => {
      await bank.key("ann@example.org", "a");
      await bank.key("ann@example.org", "b");
      const first = ask("a", 100n);
      await bank.run(first.command);
      const second = ask("b", 90n);
      expect(await bank.ask(settle(first.id, 10n), second.command)).toEqual(["admitted"]);
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 90n, held: 90n });
    });

    test("records a refusal for a known key, and nothing for an unknown one", async () => {
      await bank.key("ann@example.org", "laptop");
      await bank.run(ask("laptop", 1_000n).command, ask("nobody", 1n).command);
      const rows = await bank.rows("select state, reason, status, cost, hold from usage");
      expect(rows).toEqual([
        { state: "refused", reason: "balance_exhausted", status: 402n, cost: 0n, hold: 0n },
      ]);
    });
  });

  describe("limits", () => {
    test("five requests a minute: five at once, the sixth waits twelve seconds", async () => {
      await bank.key("ann@example.org", "laptop", { requestsPerMinute: 5 });
      const reasons = await bank.ask(...Array.from({ length: 6 }, () => ask("laptop", 1n).command));
      expect(reasons).toEqual([...Array(5).fill("admitted"), "rate_limited"]);
      time.nowMs += 11_999;
      expect(await bank.ask(ask("laptop", 1n).command)).toEqual(["rate_limited"]);
      time.nowMs += 1;
      const both = await bank.ask(ask("laptop", 1n).command, ask("laptop", 1n).command);
      expect(both).toEqual(["admitted", "rate_limited"]);
    });

    test("two at a time: a slot returns however a request ends", async () => {
      await bank.key("ann@example.org", "laptop", { concurrency: 2 });
      const [first, second] = [ask("laptop", 1n), ask("laptop", 1n)];
      const third = ask("laptop", 1n).command;
      expect(await bank.ask(first.command, second.command, third)).toEqual([
        "admitted",
        "admitted",
        "concurrency_limited",
      ]);
      await bank.run(settle(first.id, 1n), voided(second.id));
      const again = await bank.ask(ask("laptop", 1n).command, ask("laptop", 1n).command);
      expect(again).toEqual(["admitted", "admitted"]);
      await bank.restart();
      expect(await bank.ask(ask("laptop", 1n).command)).toEqual(["admitted"]);
    });

    test("tokens per minute: what was guessed is put right by what was used", async () => {
      await bank.key("ann@example.org", "laptop", { tokensPerMinute: 30 });
      const first = ask("laptop", 1n);
      await bank.run(first.command);
      await bank.run(settle(first.id, 1n));
      expect(await bank.ask(ask("laptop", 1n).command)).toEqual(["admitted"]);
      expect(await bank.ask(ask("laptop", 1n).command)).toEqual(["rate_limited"]);
      time.nowMs += 60_000;
      expect(await bank.ask(ask("laptop", 1n).command)).toEqual(["admitted"]);
    });
  });

  describe("a key's state", () => {
    test("is looked at in the same transaction: disabled, expired, deleted, its account disabled", async () => {
      const key = await bank.key("ann@example.org", "laptop", { expiresAtMs: time.nowMs + 1_000 });
      const now = async () => (await bank.ask(ask("laptop", 1n).command))[0];
      expect(await now()).toBe("admitted");
      await bank.books.job(tx => enableKey(tx, { id: key, enabled: false, by: tester(time.nowMs) }));
      expect(await now()).toBe("key_disabled");
      await bank.books.job(tx => enableKey(tx, { id: key, enabled: true, by: tester(time.nowMs) }));
      await bank.books.job(tx =>
        enableAccount(tx, { email: "ann@example.org", enabled: false, by: tester(time.nowMs) }),
      );
      expect(await now()).toBe("account_disabled");
      await bank.books.job(tx =>
        enableAccount(tx, { email: "ann@example.org", enabled: true, by: tester(time.nowMs) }),
      );
      time.nowMs += 1_000;
      expect(await now()).toBe("key_expired");
      await bank.books.job(tx => deleteKey(tx, { id: key, by: tester(time.nowMs) }));
      expect(await now()).toBe("key_deleted");
    });
  });

  describe("a killed process", () => {
    test("leaves holds that the next one resolves at the last checkpoint, never above the hold", async () => {
      await bank.key("ann@example.org", "laptop");
      const [silent, running, wild] = [ask("laptop", 20n), ask("laptop", 20n), ask("laptop", 20n)];
      await bank.run(silent.command, running.command, wild.command);
      await bank.run(checkpoint(running.id, 7n), checkpoint(wild.id, 500n));
      expect(await bank.restart()).toBe(3);
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 73n, held: 0n });
      expect(await bank.one("select count(*) as n from usage where state = 'interrupted'")).toEqual({
        n: 3n,
      });
      expect(await bank.restart()).toBe(0);
      expect(await bank.findings()).toEqual([]);
    });

    test("that was only thought dead cannot charge again what another has resolved", async () => {
      await bank.key("ann@example.org", "laptop");
      const { command, id } = ask("laptop", 60n);
      await bank.run(command);
      const thoughtDead = bank.teller;
      await bank.restart();
      // SQLite finds it when it writes, and the next try knows; PostgreSQL reads it again, and leaves it.
      await thoughtDead.run([settle(id, 60n)], () => {}).catch(() => {});
      await thoughtDead.run([settle(id, 60n)], () => {});
      expect(await bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 0n });
      expect(await bank.findings()).toEqual([]);
    });
  });
});
