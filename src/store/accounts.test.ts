import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { NANOS_PER_USD } from "../domain/money.ts";
import { BALANCE_NANOS_MAX, enableAccount, ledgerPage, moveBalance } from "./accounts.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, Bank, newId, time, voided } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { postgresBooks } from "./postgres/books.case.ts";
import { StoreProblem } from "./store.ts";

const ANN = "ann@example.org";
const BOB = "bob@example.org";

type More = { email?: string; once?: string | null; why?: string };

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
    await bank.account(ANN, 100n);
    await bank.account(BOB, 0n);
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  const move = (amount: bigint, more: More = {}) => {
    const line = { email: ANN, ledgerId: newId("led"), why: "test", by: tester(time.nowMs) };
    return bank.books.job(tx => moveBalance(tx, { ...line, amount, ...more }));
  };

  const page = (limit: number, beforeId: string | null = null) =>
    bank.books.job(tx => ledgerPage(tx, { email: ANN, beforeId, limit }));

  const look = async () => {
    const lines = await bank.one("select count(*) as lines from ledger");
    return [lines, await bank.balance(ANN), await bank.balance(BOB)];
  };

  /** It is a sentence for whoever asked, and neither balance nor ledger has changed. */
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

  describe("a change of a balance", () => {
    test("is a ledger line with who, when and why", async () => {
      expect((await move(50n, { why: "paid" })).account.balance).toBe(150n);
      expect((await move(-30n, { why: "too much" })).account.balance).toBe(120n);
      const lines = await page(10);
      expect(lines.map(({ kind, amount, actor, why }) => [kind, amount, actor, why])).toEqual([
        ["debit", -30n, "tester", "too much"],
        ["credit", 50n, "tester", "paid"],
        ["credit", 100n, "tester", "opening balance"],
      ]);
      expect(lines[0]).toMatchObject({ createdAtMs: time.nowMs, requestId: null, pocket: "balance" });
      const last = lines[1]?.id ?? "";
      expect(await page(10, last)).toHaveLength(1);
      expect(await page(2)).toHaveLength(2);
    });

    test("is refused where it is nothing, without a reason, or more than there is", async () => {
      await expectRefused(() => move(0n), "moves nothing");
      await expectRefused(() => move(5n, { why: "  " }), "needs a reason");
      await expectRefused(() => move(-101n), "less than the debit");
      await expectRefused(() => move(-(10n ** 40n)), "less than the debit");
      await expectRefused(() => move(5n, { email: "eve@example.org" }), "There is no account");
    });

    test("stays within what the database can hold", async () => {
      for (const huge of [BALANCE_NANOS_MAX - 99n, 9_000_000_000n * NANOS_PER_USD, 2n ** 63n, 10n ** 40n]) {
        await expectRefused(() => move(huge), "more than 1,000,000,000 USD, which is the most");
      }
      expect((await move(BALANCE_NANOS_MAX - 100n)).account.balance).toBe(BALANCE_NANOS_MAX);
      await expectRefused(() => move(1n), "more than 1,000,000,000 USD");
    });

    test("is possible for an account that is disabled", async () => {
      await bank.books.job(tx => enableAccount(tx, { email: ANN, enabled: false, by: tester(time.nowMs) }));
      expect((await move(-100n)).account).toMatchObject({ balance: 0n, enabled: false });
    });
  });

  describe("the same change sent twice", () => {
    test("under one name is one line, and the second answer says so", async () => {
      const once = "invoice 17";
      expect(await move(50n, { once })).toMatchObject({ account: { balance: 150n }, repeated: false });
      await move(1n);
      expect(await move(50n, { once })).toMatchObject({ account: { balance: 151n }, repeated: true });
      expect(await move(50n, { once, why: "said otherwise", email: "ANN@example.org" })).toMatchObject({
        repeated: true,
      });
      expect((await bank.balance(ANN)).balance).toBe(151n);
      expect(await move(-151n, { once: "all of it" })).toMatchObject({ repeated: false });
      // What it took is no longer there, and yet the answer is the same.
      expect(await move(-151n, { once: "all of it" })).toMatchObject({ repeated: true });
    });

    test("is two changes without a name, or under two", async () => {
      for (const once of [null, null, undefined, "a", "A"])
        await move(1n, once === undefined ? {} : { once });
      expect((await bank.balance(ANN)).balance).toBe(105n);
    });

    test("with another account or amount under the same name is refused", async () => {
      await move(50n, { once: "x" });
      const other = "was used before, for another change";
      await expectRefused(() => move(51n, { once: "x" }), other);
      await expectRefused(() => move(-50n, { once: "x" }), other);
      await expectRefused(() => move(50n, { once: "x", email: BOB }), other);
    });

    test("takes only a name that a header can carry", async () => {
      for (const once of ["", " ", " a", "a ", "a\n", "a\tb", "é", "x".repeat(201), "\u0000"]) {
        await expectRefused(() => move(5n, { once }), "1 to 200 printable ASCII characters");
      }
      for (const once of ["!", "a b", "~".repeat(200)]) {
        expect(await move(5n, { once })).toMatchObject({ repeated: false });
      }
    });
  });
});

// On SQLite nothing runs beside a job.
test("a debit and an admission that race for the same money on PostgreSQL: one of them gets it", async () => {
  const bank = await new Bank(await postgresBooks()).open();
  await bank.account(ANN, 100n);
  await bank.key(ANN, "laptop");
  for (let round = 0; round < 30; round++) {
    const asked = ask("laptop", 60n);
    const debit = { email: ANN, ledgerId: newId("led"), why: "race", by: tester(time.nowMs) };
    const [[reason], debited] = await Promise.all([
      bank.ask(asked.command),
      bank.books
        .job(tx => moveBalance(tx, { ...debit, amount: -60n }))
        .then(
          () => true,
          (error: unknown) => !(error instanceof StoreProblem),
        ),
    ]);
    expect([reason, debited]).toEqual(debited ? ["balance_exhausted", true] : ["admitted", false]);
    if (debited) {
      const back = { ...debit, ledgerId: newId("led"), amount: 60n };
      await bank.books.job(tx => moveBalance(tx, back));
    } else await bank.run(voided(asked.id));
    expect(await bank.balance(ANN)).toEqual({ balance: 100n, held: 0n });
  }
  expect(await bank.findings()).toEqual([]);
  await bank.books.close();
}, 30_000);
