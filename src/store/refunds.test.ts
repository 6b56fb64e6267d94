import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Id } from "../domain/ids.ts";
import { BALANCE_NANOS_MAX, ledgerPage, moveBalance } from "./accounts.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, Bank, newId, settle, time, voided } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { type Refund, refundRequest } from "./refunds.ts";
import { big } from "./rows.ts";
import { StoreProblem } from "./store.ts";

const ANN = "ann@example.org";
describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    const plan = { name: "daily", groups: ["subscribed"], quota: 100n, window: "day" } as const;
    bank = await new Bank(await openBooks()).open([plan]);
    await bank.account(ANN, 1000n);
    await bank.key(ANN, "laptop");
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  /** A request that was charged so much. */
  async function charged(cost: bigint, key = "laptop"): Promise<Id<"req">> {
    const { command, id } = ask(key, 100n);
    expect(await bank.ask(command)).toEqual(["admitted"]);
    await bank.run(settle(id, cost));
    return id;
  }

  const refund = (requestId: string, amount: bigint | null, more: Partial<Refund> = {}) => {
    const line = { ledgerId: newId("led"), why: "it was cut", by: tester(time.nowMs) };
    return bank.books.job(tx => refundRequest(tx, { ...line, requestId, amount, ...more }));
  };

  const credit = (amount: bigint, once: string | null = null) => {
    const line = { email: ANN, ledgerId: newId("led"), why: "paid", by: tester(time.nowMs) };
    return bank.books.job(tx => moveBalance(tx, { ...line, amount, once }));
  };

  const look = async () => [await bank.one("select count(*) as lines from ledger"), await bank.balance(ANN)];

  async function expectRefused(doing: () => Promise<unknown>, sentence: string): Promise<void> {
    const before = await look();
    const problem = await doing().then(
      () => null,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(StoreProblem);
    expect(String(problem)).toContain(sentence);
    expect(await look()).toEqual(before);
  }

  describe("a refund", () => {
    test("gives all of it back, with who, when and why; what the key has spent stays", async () => {
      const id = await charged(60n);
      expect((await bank.balance(ANN)).balance).toBe(940n);
      const done = await refund(id, null);
      expect(done).toMatchObject({ amount: 60n, left: 0n, repeated: false, account: { balance: 1000n } });
      expect(await bank.balance(ANN)).toEqual({ balance: 1000n, held: 0n });
      const [line] = await bank.books.job(tx => ledgerPage(tx, { email: ANN, beforeId: null, limit: 1 }));
      expect(line).toMatchObject({ kind: "refund", amount: 60n, requestId: id, pocket: "balance" });
      expect(line).toMatchObject({ actor: "tester", why: "it was cut", createdAtMs: time.nowMs });
      expect(await bank.one("select spent from keys")).toEqual({ spent: 60n });
    });

    test("may be in parts, which together are never more than the cost", async () => {
      const id = await charged(60n);
      expect(await refund(id, 20n)).toMatchObject({ left: 40n });
      await expectRefused(() => refund(id, 41n), "of which 0.00000002 USD has been given back");
      expect(await refund(id, 15n)).toMatchObject({ left: 25n });
      expect(await refund(id, null)).toMatchObject({ amount: 25n, left: 0n });
      await expectRefused(() => refund(id, null), "has been given back in full");
      await expectRefused(() => refund(id, 1n), "has been given back in full");
      expect((await bank.balance(ANN)).balance).toBe(1000n);
    });

    test("in any parts, in any order, keeps to the cost of each request", async () => {
      const attempt = fc.record({
        pick: fc.nat(2),
        amount: fc.oneof(fc.constant(null), fc.integer({ min: -5, max: 60 })),
        once: fc.constantFrom(null, null, "a", "b", "c"),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(attempt, { maxLength: 12 }), async attempts => {
          const ids = [await charged(50n), await charged(1n), await charged(17n)];
          const start = (await bank.balance(ANN)).balance;
          for (const { pick, amount, once } of attempts) {
            const named = once === null ? null : `${once} of ${ids[0]}`;
            const part = amount === null ? null : BigInt(amount);
            await refund(ids[pick] ?? "", part, { once: named }).catch(error => {
              expect(error).toBeInstanceOf(StoreProblem);
            });
          }
          const rows = await bank.rows(
            "select usage_id, sum(amount) as total from ledger where kind = 'refund' group by usage_id",
          );
          const given = ids.map(id => big(rows.find(row => row["usage_id"] === id)?.["total"]));
          expect(given.every((sum, at) => sum >= 0n && sum <= ([50n, 1n, 17n][at] ?? 0n))).toBe(true);
          expect((await bank.balance(ANN)).balance).toBe(start + given.reduce((sum, one) => sum + one, 0n));
          await credit(100n);
        }),
        { numRuns: 20 },
      );
    });

    test("is refused where there is nothing to give back, and no line is written", async () => {
      const good = await charged(60n);
      const [free, open] = [ask("laptop", 100n), ask("laptop", 100n)];
      await bank.run(free.command, open.command);
      await bank.run(voided(free.id));
      await expectRefused(() => refund(newId("req"), null), "There is no request");
      await expectRefused(() => refund("led_x", null), "There is no request");
      await expectRefused(() => refund(free.id, null), "cost nothing");
      await expectRefused(() => refund(open.id, null), "is still running");
      for (const amount of [0n, -1n, -(10n ** 40n)]) {
        await expectRefused(() => refund(good, amount), "must be more than zero");
      }
      for (const amount of [61n, 10n ** 40n])
        await expectRefused(() => refund(good, amount), "is more than is left");
      await expectRefused(() => refund(good, null, { why: " " }), "needs a reason");
    });

    test("of what a subscription paid is refused, and says so", async () => {
      await bank.subscribe(ANN, "daily");
      await bank.key(ANN, "subscribed", { group: "subscribed" });
      const id = await charged(60n, "subscribed");
      await expectRefused(() => refund(id, null), "was paid by a subscription and not from the balance");
    });

    test("does not push a balance beyond what the database can hold", async () => {
      const id = await charged(60n);
      const { balance } = await bank.balance(ANN);
      await credit(BALANCE_NANOS_MAX - balance);
      await expectRefused(() => refund(id, null), "which is the most");
    });
  });

  describe("the same refund sent twice", () => {
    test("under one name is one line", async () => {
      const id = await charged(60n);
      expect(await refund(id, 20n, { once: "r1" })).toMatchObject({ repeated: false, left: 40n });
      expect(await refund(id, 20n, { once: "r1" })).toMatchObject({ repeated: true, amount: 20n, left: 40n });
      expect(await refund(id, null, { once: "r2" })).toMatchObject({ repeated: false, amount: 40n });
      expect(await refund(id, null, { once: "r2" })).toMatchObject({ repeated: true, amount: 40n, left: 0n });
      expect((await bank.balance(ANN)).balance).toBe(1000n);
    });

    test("with another request or amount under the same name is refused", async () => {
      const [one, two] = [await charged(60n), await charged(60n)];
      await refund(one, 20n, { once: "r1" });
      const other = "was used before, for another change";
      await expectRefused(() => refund(one, 21n, { once: "r1" }), other);
      await expectRefused(() => refund(one, null, { once: "r1" }), other);
      await expectRefused(() => refund(two, 20n, { once: "r1" }), other);
      await expectRefused(() => credit(20n, "r1"), other);
    });
  });
});
