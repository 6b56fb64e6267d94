import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { firstIdAt, idTimeMs } from "../domain/id-time.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, Bank, type Books, checkpoint, newId, settle, time, voided } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { refundRequest } from "./refunds.ts";
import { text } from "./rows.ts";
import type { Tx } from "./tx.ts";
import { HIGHEST_ID, LOWEST_ID } from "./usage-filter.ts";
import { keptFrom } from "./usage-kept.ts";
import { usageLines } from "./usage-lines.ts";
import { draw, house, rowsOf, START_MS, sumUp, write } from "./usage-log.case.ts";
import { type Removed, type RemoveOld, removeOldRows } from "./usage-retention.ts";
import { rollDay } from "./usage-roll.ts";
import { type Summary, usageCount, usageSummary } from "./usage-summary.ts";
import { DAY_MS, HOUR_MS } from "./usage-sums.ts";
import { sumFindings } from "./usage-verify.ts";

const EMAIL = "ann@example.org";
const DAYS = 6;
let [firstMs, nowMs, beforeMs] = [0, 0, 0];

/** Ids never go back in time, so each test has a month of its own, after all that any test before it has seen. */
function nextMonth(): void {
  const seen = new Date(idTimeMs(newId("req")));
  firstMs = Date.UTC(seen.getUTCFullYear(), seen.getUTCMonth() + 1, 11);
  nowMs = firstMs + 15 * DAY_MS;
  // Rows of the first four days are older.
  beforeMs = firstMs + 4 * DAY_MS;
}

async function rollAll(tx: Tx, nowMs: number): Promise<void> {
  for (let dayMs: number | null = 0; dayMs !== null; ) ({ dayMs } = await rollDay(tx, { nowMs }));
}

type Step = Partial<RemoveOld>;

function step(tx: Tx, asked: Step): Promise<Removed> {
  const usual = { beforeMs, from: null, limit: 3, bootId: "boot_1", nowMs };
  return removeOldRows(tx, { ...usual, ...asked });
}

/** Chunk by chunk, each in its transaction. */
async function removeAll(
  books: Books,
  asked: Step = {},
  look = async () => {},
): Promise<Removed & { steps: number }> {
  let [from, count, steps]: [string | null, number, number] = [null, 0, 0];
  for (;;) {
    const done: Removed = await books.job(tx => step(tx, { ...asked, from }));
    count += done.count;
    steps += 1;
    await look();
    if (done.next === null) return { ...done, count, steps };
    from = done.next;
  }
}

describe.each(databases)("old rows on %s", (_, openBooks) => {
  let bank: Bank;
  let last: string;
  beforeEach(async () => {
    nextMonth();
    time.nowMs = firstMs;
    const plan = { name: "small", groups: ["subscribed"], quota: 10_000n, window: "total" } as const;
    bank = await new Bank(await openBooks()).open([plan]);
    await bank.account(EMAIL, 100_000n);
    await bank.subscribe(EMAIL, "small");
    await bank.key(EMAIL, "k", { spendPerMonth: 50_000n });
    await bank.key(EMAIL, "s", { group: "subscribed" });
    for (let day = 0; day < DAYS; day++) {
      for (const minutes of [1, 5, 601]) {
        time.nowMs = firstMs + day * DAY_MS + minutes * 60_000;
        const [good, bad, member, lost] = [ask("k", 10n), ask("k", 10n), ask("s", 10n), ask("k", 10n)];
        await bank.run(good.command, bad.command, member.command, lost.command, ask("k", 999_999n).command);
        await bank.run(settle(good.id, 7n), voided(bad.id), settle(member.id, 3n), checkpoint(lost.id, 4n));
        await bank.restart();
        last = good.id;
      }
    }
    time.nowMs = nowMs;
    await bank.books.job(tx => rollAll(tx, nowMs));
    expect(await bank.findings()).toEqual([]);
  });
  afterEach(() => bank.books.close());

  const rows = async () => (await bank.rows("select id from usage order by id")).map(row => text(row["id"]));
  const ofBefore = (ids: readonly string[]) => ids.filter(id => id < firstIdAt("req", beforeMs));
  const summary = (asked: Partial<Parameters<typeof usageSummary>[1]> = {}): Promise<Summary> => {
    const query = { accountId: null, keyId: null, model: null, tool: null, outcome: null };
    const year = { fromMs: firstMs - 300 * DAY_MS, toMs: firstMs + 65 * DAY_MS, bucket: 24 } as const;
    return bank.books.job(tx => usageSummary(tx, { query, by: "key", top: 8, ...year, ...asked }));
  };

  test("go oldest first and none is left out; the books are right after every step, and newer rows stay", async () => {
    const before = await rows();
    const old = ofBefore(before);
    expect(old.length).toBe(60);
    const done = await removeAll(bank.books, {}, async () => expect(await bank.findings()).toEqual([]));
    expect(done).toMatchObject({ count: 60, waitsFor: null });
    expect(await rows()).toEqual(before.slice(60));
    expect(await bank.books.job(tx => keptFrom(tx, {}))).toBe(firstIdAt("req", beforeMs));
    expect((await bank.books.job(tx => step(tx, {}))).count).toBe(0);
  });

  test("go a bounded number at a time, so that whoever waits for the database waits for no more", async () => {
    const counts: number[] = [];
    let before = (await rows()).length;
    await removeAll(bank.books, { limit: 4 }, async () => {
      const { length } = await rows();
      counts.push(before - length);
      before = length;
    });
    expect(Math.max(...counts)).toBe(4);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
  });

  test("leave charts and totals as they were, of a year, of each key, model, outcome and hour", async () => {
    const looks = [
      {},
      { by: "model" },
      { by: "upstream" },
      { query: { accountId: null, keyId: null, model: "m", tool: "test", outcome: "ok" } },
      { fromMs: firstMs + DAY_MS, toMs: firstMs + 2 * DAY_MS, bucket: 1 },
      { fromMs: firstMs + DAY_MS, toMs: firstMs + DAY_MS + HOUR_MS, bucket: 1 },
    ] as const;
    const shown = async () => {
      const all: Pick<Summary, "totals" | "names" | "bars">[] = [];
      for (const look of looks) {
        const { totals, names, bars } = await summary(look);
        const order = (bar: Summary["bars"][number]) => `${bar.startMs} ${bar.name}`;
        all.push({ totals, names, bars: bars.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) });
      }
      return all;
    };
    const before = await shown();
    expect(before[0]?.totals.requests).toBe(90);
    await removeAll(bank.books);
    expect(await shown()).toEqual(before);
  });

  test("count for whole hours where a span begins or ends within one", async () => {
    await removeAll(bank.books);
    const [fromMs, toMs] = [firstMs + 3 * 60_000, firstMs + 10 * HOUR_MS + 30_000];
    const { totals } = await summary({ fromMs, toMs, bucket: 1 });
    // All of the first hour, and all of the one that begins at ten.
    expect(totals.requests).toBe(15);
    // Later rows are still told apart by the minute.
    const later = await summary({ fromMs: fromMs + 4 * DAY_MS, toMs: toMs + 4 * DAY_MS, bucket: 1 });
    expect(later.totals.requests).toBe(5);
  });

  test("leave the ledger, balances, what keys have spent and what windows have", async () => {
    const state = async () => [
      await bank.rows("select * from ledger order by account_id, id"),
      await bank.rows("select * from accounts"),
      await bank.rows("select id, spent, held from keys order by id"),
      await bank.rows("select owner_id, period, spent, held from windows order by owner_id, period"),
    ];
    const before = await state();
    await removeAll(bank.books);
    expect(await state()).toEqual(before);
    expect(await bank.rows("select period from usage_removed_windows order by period")).toEqual([
      { period: "month" },
      { period: "total" },
    ]);
  });

  test("are not counted in a file that has only those that are kept", async () => {
    const query = { accountId: null, keyId: null, model: null, tool: null, outcome: null };
    const asked = { query, fromMs: 0, toMs: nowMs };
    const count = () => bank.books.job(async tx => (await usageCount(tx, asked)).count);
    expect(await count()).toBe(90);
    await removeAll(bank.books);
    expect(await count()).toBe(30);
  });

  test("wait for one that still runs, and for its day when it has ended late", async () => {
    const { command } = ask("k", 10n);
    if (command.do !== "admit") throw new Error("nothing is admitted");
    // The ids of the others are younger already.
    const late = { ...command.request, id: firstIdAt("req", firstMs + DAY_MS + 2_000) };
    await bank.run({ ...command, request: late });
    const done = await removeAll(bank.books);
    expect(done.waitsFor).toBe(late.id);
    expect((await rows())[0]).toBe(late.id);
    expect(await bank.findings()).toEqual([]);
    await bank.run(settle(late.id, 7n));
    expect((await removeAll(bank.books)).waitsFor).toBe(late.id);
    expect(await bank.findings()).toEqual([]);
    await bank.books.job(tx => rollAll(tx, nowMs));
    expect(await removeAll(bank.books)).toMatchObject({ waitsFor: null });
    expect(ofBefore(await rows())).toEqual([]);
    expect(await bank.findings()).toEqual([]);
    expect((await summary()).totals.requests).toBe(91);
  });

  test("are there as before where it breaks off before the commit, and it goes on from there", async () => {
    const before = await rows();
    await bank.books.job(tx => step(tx, {}));
    const broken = bank.books.job(async tx => {
      await step(tx, { limit: 10 });
      throw new Error("the machine is gone");
    });
    await expect(broken).rejects.toThrow("the machine is gone");
    expect(await rows()).toEqual(before.slice(3));
    expect(await bank.findings()).toEqual([]);
    await removeAll(bank.books);
    expect(await rows()).toEqual(before.slice(60));
    expect(await bank.findings()).toEqual([]);
  });

  test("are removed by one process at a time, and by another when that one is gone", async () => {
    const one = await bank.books.job(tx => step(tx, { bootId: "boot_1" }));
    expect(one.count).toBe(3);
    const other = await bank.books.job(tx => step(tx, { bootId: "boot_2", nowMs: nowMs + 14_000 }));
    expect(other).toEqual({ isOurs: false, count: 0, next: null, waitsFor: null });
    const later = await bank.books.job(tx => step(tx, { bootId: "boot_2", nowMs: nowMs + 16_000 }));
    expect(later.count).toBe(3);
    const back = await bank.books.job(tx => step(tx, { bootId: "boot_1", nowMs: nowMs + 17_000 }));
    expect(back).toMatchObject({ isOurs: false, count: 0 });
  });

  test("can be refunded by their charge, up to what they cost", async () => {
    const [charged] = ofBefore(
      (await bank.rows("select id from usage where cost = 7 order by id")).map(r => text(r["id"])),
    );
    const free = ofBefore(
      (await bank.rows("select id from usage where cost = 0 order by id")).map(r => text(r["id"])),
    )[0];
    await removeAll(bank.books);
    const refund = (requestId: string, amount: bigint | null) =>
      bank.books.job(tx =>
        refundRequest(tx, {
          requestId,
          ledgerId: newId("led"),
          amount,
          why: "a gift",
          by: tester(time.nowMs),
        }),
      );
    expect(await refund(charged ?? "", 5n)).toMatchObject({ amount: 5n, left: 2n });
    await expect(refund(charged ?? "", 3n)).rejects.toThrow("is more than is left");
    await expect(refund(free ?? "", 1n)).rejects.toThrow("There is no request");
    expect(await bank.findings()).toEqual([]);
    await bank.books.job(tx => tx.run("update ledger set amount = 8 where kind = 'refund'"));
    await bank.books.job(tx => tx.run("update accounts set balance = balance + 3"));
    expect((await bank.findings()).length).toBe(1);
  });

  describe("of which some are gone are checked as before:", () => {
    beforeEach(async () => {
      await removeAll(bank.books);
    });
    const found = async (sql: string, ...params: (string | number)[]) => {
      await bank.books.job(tx => tx.run(sql, ...params));
      const invariants = (await bank.findings()).map(finding => (finding as { invariant: string }).invariant);
      return [...new Set(invariants)].sort();
    };
    const SUMS = "the sums of the usage log are those of its rows";
    const SPENT = "what a key spent is the cost of its resolved rows";
    const CHARGES = "each charge line belongs to a resolved row of the same account";

    test("a row that is taken out by hand", async () => {
      const all = await found("delete from usage where id = ?", last);
      expect(all).toEqual(expect.arrayContaining([SUMS, SPENT, CHARGES]));
    });

    test("a free row that is taken out by hand", async () => {
      const sql = "delete from usage where id = (select max(id) from usage where cost = 0)";
      expect(await found(sql)).toEqual([SUMS]);
    });

    test("what removed rows came to, changed by hand", async () => {
      const all = await found("update usage_removed set cost = cost + 1 where cost > 0");
      expect(all).toEqual(expect.arrayContaining([SUMS, SPENT, CHARGES]));
    });

    test("a charge of a removed row that is taken out by hand", async () => {
      const sql = "delete from ledger where id = (select min(id) from ledger where kind = 'charge')";
      expect(await found(sql)).toContain(CHARGES);
    });

    test("a mark that is taken away", async () => {
      expect(await found("delete from house where name = 'usage kept from'")).toEqual([CHARGES]);
    });

    test("a mark that is moved over rows that are taken out by hand", async () => {
      await bank.books.job(tx => tx.run("update house set value = 'req_z' where name = 'usage kept from'"));
      expect(await found("delete from usage where id = ?", last)).toEqual(
        expect.arrayContaining([SUMS, SPENT, CHARGES]),
      );
    });

    test("a window that forgets what removed rows cost", async () => {
      expect(await found("delete from usage_removed_windows")).toEqual([
        "what a window has spent and holds is what the rows that count in it cost and hold",
      ]);
    });
  });
});

describe.each(databases)("random logs on %s", (name, openBooks) => {
  let books: Books;
  beforeAll(async () => {
    books = await openBooks();
  });
  afterAll(() => books.close());

  test("come to the same when any part of them is removed, in chunks of any size", async () => {
    const runs = name === "PostgreSQL" ? 10 : 30;
    const log = fc.array(draw, { minLength: 1, maxLength: 60 });
    const agrees = fc.asyncProperty(
      log,
      fc.nat(6),
      fc.integer({ min: 1, max: 40 }),
      async (drawn, days, limit) => {
        const all = rowsOf(drawn);
        const beforeMs = START_MS + days * DAY_MS;
        const nowMs = START_MS + 30 * DAY_MS;
        const query = { accountId: null, keyId: null, model: null, tool: null, outcome: null };
        const span = { fromMs: START_MS, toMs: START_MS + 7 * DAY_MS, bucket: 24 } as const;
        const look = (tx: Tx) => usageSummary(tx, { query, by: "model", top: 8, ...span });
        await books.job(async tx => {
          await house(tx);
          await write(tx, all);
        });
        // What an older version has left is in no sum, and stays until it is.
        const first = await books.job(tx => step(tx, { beforeMs, limit, nowMs }));
        expect(first.count).toBe(0);
        await books.job(async tx => {
          await sumUp(tx);
          await rollAll(tx, nowMs);
        });
        const before = await books.job(look);
        const { waitsFor } = await removeAll(books, { beforeMs, limit, nowMs });
        const after = await books.job(look);
        expect(after.totals).toEqual(before.totals);
        expect(await books.job(sumFindings)).toEqual([]);
        const ids = all.map(({ id }) => id).sort();
        const open = ids.find(id => all.find(row => row.id === id)?.state === "open") ?? HIGHEST_ID;
        const end = [firstIdAt("req", beforeMs), open].sort()[0] ?? LOWEST_ID;
        expect(waitsFor).toBe(open < firstIdAt("req", beforeMs) ? open : null);
        const left = (await books.job(tx => tx.all("select id from usage order by id"))).map(row =>
          text(row["id"]),
        );
        expect(left).toEqual(ids.filter(id => id >= end));
        const asked = { query: { ...query, low: LOWEST_ID, high: HIGHEST_ID }, limit: 200 };
        const { lines } = await books.job(tx => usageLines(tx, asked));
        expect(lines.reduce((sum, line) => sum + line.count, 0)).toBe(left.length);
      },
    );
    await fc.assert(agrees, { numRuns: runs, seed: 39 });
  });
});
