import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_USAGE } from "../domain/usage.ts";
import { ask, Bank, type Books, checkpoint, settle, time, voided } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { play } from "./history.case.ts";
import { histories } from "./history-world.case.ts";
import { text } from "./rows.ts";
import { partsOf } from "./usage-summary.ts";
import { DAY_MS, HOUR_MS, KnownSeries, SUMMED_TOKENS_MAX, SumBook, seriesOf } from "./usage-sums.ts";

const EMAIL = "ann@example.org";

const ENDED = {
  id: "req_01jf000000000000000000000a",
  accountId: "acc_1",
  keyId: "key_1",
  model: "m",
  tool: "curl/8.5.0",
  upstream: "u",
  state: "settled",
  reason: null,
  usage: { ...NO_USAGE, input: 10, cacheWrite5m: 1, cacheWrite1h: 2 },
  cost: 5n,
  ourCost: 4n,
} as const;

describe("a batch", () => {
  test("adds one line to the sums for all rows of a series and an hour", () => {
    const book = new SumBook();
    for (let row = 0; row < 100; row++) book.add(ENDED);
    book.add({ ...ENDED, keyId: "key_2" });
    const sums = book.sums();
    expect(sums).toHaveLength(2);
    expect(sums.find(({ requests }) => requests === 100n)).toMatchObject({
      ...{ span: 1, input: 1_000n, cacheWrite: 300n, cost: 500n },
    });
  });

  test("has its sums in the order of their names", () => {
    const book = new SumBook();
    for (let key = 0; key < 20; key++) book.add({ ...ENDED, keyId: `key_${key}` });
    const ids = book.sums().map(({ series }) => series);
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test("believes no number of tokens that would not fit into a sum", () => {
    const book = new SumBook();
    book.add({ ...ENDED, usage: { ...NO_USAGE, output: 9e15 } });
    expect(book.sums()[0]?.output).toBe(BigInt(SUMMED_TOKENS_MAX));
  });
});

describe("a series", () => {
  test("is the same however many others of its key come between", () => {
    const models = Array.from({ length: 200 }, (_, number) => `m-${number}`);
    const idsOf = (order: readonly string[]) =>
      new Map(order.map(model => [model, seriesOf({ ...ENDED, keyId: "key_many", model }).id]));
    const first = idsOf(models);
    expect(new Set(first.values()).size).toBe(models.length);
    for (const order of [models, models.toReversed(), models.filter((_, at) => at % 7 === 0)])
      for (const [model, id] of idsOf(order)) expect(id).toBe(first.get(model) ?? 0n);
  });

  test("is another one for each thing that can be filtered by, and the same for another version of a tool", () => {
    const { id } = seriesOf(ENDED);
    const others = [
      ...[{ accountId: "acc_2", keyId: "key_2" }, { keyId: "key_3" }, { model: "n" }, { tool: "node" }],
      ...[
        { upstream: "v" },
        { reason: "client_left" },
        { state: "voided", reason: "upstream_failed" } as const,
      ],
    ];
    const ids = others.map(other => seriesOf({ ...ENDED, ...other }).id);
    expect(new Set([id, ...ids]).size).toBe(others.length + 1);
    expect(seriesOf({ ...ENDED, tool: "curl/9.0" }).id).toBe(id);
    expect(id).toBeGreaterThanOrEqual(0n);
    expect(id).toBeLessThan(2n ** 63n);
  });

  test("is written once by each process, and its day once, unless it is over", () => {
    const [known, book] = [new KnownSeries(), new SumBook()];
    book.add(ENDED);
    const [day = 0] = book.days;
    expect(known.newOf(book)).toHaveLength(1);
    expect(known.newDaysOf(book, day + DAY_MS)).toEqual([{ startMs: day, isLate: false }]);
    known.add(book);
    expect(known.newOf(book)).toEqual([]);
    expect(known.newDaysOf(book, day + DAY_MS)).toEqual([]);
    expect(known.newDaysOf(book, day + DAY_MS + HOUR_MS)).toEqual([{ startMs: day, isLate: true }]);
  });
});

describe("a span of time", () => {
  const day = Date.UTC(2027, 0, 10);
  const rolled = new Set([day, day + DAY_MS, day + 3 * DAY_MS]);

  test("is cut into days that are put together, hours, and minutes, without a gap", () => {
    const span = { fromMs: day - 90 * 60_000, toMs: day + 4 * DAY_MS + 61 * 60_000, bucket: 24 } as const;
    const parts = partsOf(span, rolled);
    expect(parts.map(({ source }) => source)).toEqual(["rows", 1, 24, 1, 24, 1, "rows"]);
    expect(parts[0]?.fromMs).toBe(span.fromMs);
    expect(parts.at(-1)?.toMs).toBe(span.toMs);
    for (const [at, part] of parts.slice(1).entries()) expect(part.fromMs).toBe(parts[at]?.toMs ?? 0);
  });

  test("of some minutes is read from the rows, and an empty one from nowhere", () => {
    const [fromMs, toMs] = [day + 60_000, day + 120_000];
    expect(partsOf({ fromMs, toMs, bucket: 1 }, rolled)).toEqual([{ fromMs, toMs, source: "rows" }]);
    expect(partsOf({ fromMs, toMs: fromMs, bucket: 24 }, rolled)).toEqual([]);
  });
});

const LEFT_OUT = "select id from usage where (series is null) <> (state = 'open')";

describe.each(databases)("the sums on %s", (name, openBooks) => {
  describe("of a bank", () => {
    let bank: Bank;
    beforeEach(async () => {
      time.nowMs = Date.UTC(2027, 0, 15, 12);
      bank = await new Bank(await openBooks()).open();
      await bank.account(EMAIL, 1_000n);
      await bank.key(EMAIL, "k");
    });
    afterEach(async () => {
      expect(await bank.findings()).toEqual([]);
      expect(await bank.rows(LEFT_OUT)).toEqual([]);
      await bank.books.close();
    });

    /** `outcome reason: requests, cost`, over everything. */
    const told = async () => {
      const rows = await bank.rows(
        `select outcome, reason, sum(requests) as requests, sum(cost) as cost from usage_sums
          join usage_series on usage_series.id = usage_sums.series where span = 1 group by outcome, reason`,
      );
      const lines = rows.map(row =>
        `${text(row["outcome"])} ${text(row["reason"])}: ${row["requests"]}, ${row["cost"]}`.replace(
          " :",
          ":",
        ),
      );
      return lines.sort();
    };

    test("count every request where it ends, and no sooner", async () => {
      const [good, bad, left, lost] = [ask("k", 10n), ask("k", 10n), ask("k", 10n), ask("k", 10n)];
      await bank.run(good.command, bad.command, left.command, lost.command);
      expect(await told()).toEqual([]);
      await bank.run(settle(good.id, 7n), voided(bad.id), ask("k", 5_000n).command, checkpoint(lost.id, 4n));
      await bank.run(settle(left.id, 3n, { reason: "client_left", status: 499 }));
      const before = [
        "failed: 1, 0",
        "ok: 1, 7",
        "refused balance_exhausted: 1, 0",
        "stopped client_left: 1, 3",
      ];
      expect(await told()).toEqual(before);
      expect(await bank.restart()).toBe(1);
      expect(await told()).toEqual(["failed interrupted: 1, 4", ...before].toSorted());
    });

    test("count a settlement once that is sent again by another process", async () => {
      const { command, id } = ask("k", 10n);
      await bank.run(command);
      await bank.run(settle(id, 7n));
      await bank.run(settle(id, 7n), settle(id, 9n));
      await bank.restart();
      await bank.run(settle(id, 7n));
      expect(await told()).toEqual(["ok: 1, 7"]);
    });

    test("keep nothing of a batch that was rolled back, and take its series the next time", async () => {
      const { command, id } = ask("k", 10n);
      await bank.run(command);
      const other = bank.books.teller(bank.bootId);
      await other.run([settle(id, 7n)], () => {});
      // This process still takes the hold for its own and open, so that its batch fails as a whole, on SQLite.
      await bank.run(settle(id, 7n), ask("k", 5_000n).command).catch(() => {});
      await bank.run(ask("k", 5_000n).command);
      const refused = name === "SQLite" ? 1 : 2;
      expect(await told()).toEqual(["ok: 1, 7", `refused balance_exhausted: ${refused}, 0`]);
    });
  });

  describe("of random histories", () => {
    let database: Books;
    beforeAll(async () => {
      database = await openBooks();
    });
    afterAll(() => database.close());

    test("leave out no row that has ended, and count none that is open", async () => {
      const isPostgres = name === "PostgreSQL";
      const options = { database, atOnce: isPostgres, stepsPerLook: 50 };
      const agrees = fc.asyncProperty(histories(30), async history => {
        await play(history, options);
        expect(await database.job(tx => tx.all(LEFT_OUT))).toEqual([]);
      });
      await fc.assert(agrees, { numRuns: isPostgres ? 10 : 40, seed: 66 });
    });
  });
});
