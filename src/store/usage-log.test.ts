import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { idTimeMs } from "../domain/id-time.ts";
import type { Id } from "../domain/ids.ts";
import { outcomeOf } from "../domain/outcome.ts";
import { toolName } from "../domain/tool-name.ts";
import type { Books } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import type { Tx } from "./tx.ts";
import { HIGHEST_ID, idSpan, LOWEST_ID, type UsageQuery } from "./usage-filter.ts";
import { usageRows } from "./usage-lines.ts";
import {
  ANY,
  allLines,
  DAYS,
  draw,
  folded,
  house,
  naive,
  query,
  type Row,
  rowsOf,
  START_MS,
  sumUp,
  write,
} from "./usage-log.case.ts";
import { usageNames } from "./usage-names.ts";
import { rollDay } from "./usage-roll.ts";
import { type Summary, usageCount, usageSummary } from "./usage-summary.ts";
import { DAY_MS, HOUR_MS, spanStart } from "./usage-sums.ts";
import { sumFindings } from "./usage-verify.ts";

describe.each(databases)("the usage log on %s", (name, openBooks) => {
  const runs = name === "PostgreSQL" ? 15 : 40;
  let books: Books;
  beforeAll(async () => {
    books = await openBooks();
  });
  afterAll(() => books.close());

  const holds = async (check: (tx: Tx, rows: Row[], wanted: UsageQuery) => Promise<void>) => {
    const log = fc.array(draw, { minLength: 1, maxLength: 60 });
    const property = fc.asyncProperty(log, query, async (drawn, wanted) => {
      const rows = rowsOf(drawn);
      await books.job(async tx => {
        await house(tx);
        await write(tx, rows);
        await sumUp(tx);
      });
      await books.job(tx => check(tx, rows, wanted));
    });
    await fc.assert(property, { numRuns: runs, seed: 6 });
  };

  test("gives exactly the rows that a filter means, in order, whatever the filter and the page", () =>
    holds(async (tx, rows, wanted) => {
      const found: string[] = [];
      for (let high: string | null = wanted.high; high !== null; ) {
        const page = await usageRows(tx, { query: { ...wanted, high }, limit: 4 });
        found.push(...page.rows.map(row => row.id));
        high = page.next;
      }
      expect(found).toEqual(naive(rows, wanted).map(row => row.id));
    }));

  test("folds refusals that repeat, the same for every size of a page", () =>
    holds(async (tx, rows, wanted) => {
      const expected = folded(naive(rows, wanted));
      for (const limit of [1, 3, 100]) expect(await allLines(tx, wanted, limit)).toEqual(expected);
    }));

  test("folds a long run into one line without reading it, whatever stands around it", async () => {
    const same = { account: 0, key: 0, model: 0, tool: 0, ending: 3, n: 0 };
    const rows = rowsOf([
      ...Array.from({ length: 700 }, (_, at) => ({ ...same, ms: at * 61_000 })),
      { ...same, ending: 7, ms: DAY_MS },
      ...Array.from({ length: 300 }, (_, at) => ({ ...same, ms: DAY_MS + 1 + at })),
      { ...same, key: 1, ending: 0, ms: 2 * DAY_MS },
      { ...same, account: 1, ms: 2 * DAY_MS + 1 },
      ...Array.from({ length: 300 }, (_, at) => ({ ...same, ms: 2 * DAY_MS + 2 + at * 300_000 })),
    ]);
    await books.job(async tx => {
      await house(tx);
      await write(tx, rows);
      await sumUp(tx);
    });
    const filters = [{}, { keyId: "key_00" }, { outcome: "refused" as const }, { model: "m1" }];
    for (const filter of filters) {
      const wanted = { ...ANY, ...filter };
      const expected = folded(naive(rows, wanted));
      for (const limit of [1, 2, 50])
        expect(await books.job(tx => allLines(tx, wanted, limit))).toEqual(expected);
    }
    expect(folded(naive(rows, ANY))).toHaveLength(5);
  });

  test("sums up to the same as its rows, before its days are put together and after", () =>
    holds(async (tx, rows, wanted) => {
      const ended = rows.filter(({ state }) => state !== "open");
      const [fromMs, toMs] = [timeOf(wanted.low, START_MS), timeOf(wanted.high, START_MS + DAYS * DAY_MS)];
      const within = naive(ended, { ...wanted, ...idSpan({ fromMs, toMs }) });
      for (const isRolled of [false, true]) {
        if (isRolled) while ((await rollDay(tx, { nowMs: START_MS + 3.5 * DAY_MS })).dayMs !== null);
        expect(await sumFindings(tx)).toEqual([]);
        for (const by of ["key", "model", "account", "upstream"] as const) {
          for (const bucket of [1, 24] as const) {
            const asked = { query: wanted, fromMs, toMs, by, bucket, top: 1 };
            expect(plain(await usageSummary(tx, asked))).toEqual(sums(within, { by, bucket }));
          }
        }
        expect(await usageCount(tx, { query: wanted, fromMs, toMs })).toEqual({ count: within.length });
      }
    }));

  test("names what was seen of the account, and nothing of others", () =>
    holds(async (tx, rows) => {
      const own = rows.filter(({ account, state }) => account === "acc_0" && state !== "open");
      const names = await usageNames(tx, { accountId: "acc_0" });
      const seen = (of: (row: Row) => string) => [...new Set(own.map(of))].sort();
      expect(names.models).toEqual(seen(row => row.model));
      expect(names.tools).toEqual(seen(row => toolName(row.tool)));
      expect(names.keys.map(({ id }) => id)).toEqual(["key_00", "key_01"]);
    }));

  test("counts a row of an older version once, however often it is summed up", async () => {
    const rows = rowsOf(fc.sample(draw, { numRuns: 40, seed: 8 }));
    const count = await books.job(async tx => {
      await house(tx);
      await write(tx, rows);
      return (await sumUp(tx)) + (await sumUp(tx));
    });
    expect(count).toBe(rows.filter(({ state }) => state !== "open").length);
    const [sum] = await books.job(tx => tx.all("select sum(requests) as n from usage_sums where span = 1"));
    expect(Number(sum?.["n"])).toBe(count);
  });

  test("says where a sum is not that of its rows", async () => {
    const rows = rowsOf(fc.sample(draw, { numRuns: 20, seed: 9 }));
    const found = await books.job(async tx => {
      await house(tx);
      await write(tx, rows);
      await sumUp(tx);
      await rollDay(tx, { nowMs: START_MS + 30 * DAY_MS });
      await tx.run("update usage_sums set cost = cost + 1 where span = 1");
      return sumFindings(tx);
    });
    expect(found.length).toBeGreaterThan(0);
    expect(found.some(({ found: what }) => what.includes("do not come to its day"))).toBe(true);
  });

  test("does a day again where a row of it ends late", async () => {
    const [row] = rowsOf([{ account: 0, key: 0, model: 0, tool: 0, ending: 0, ms: 5 * HOUR_MS, n: 0 }]);
    if (row === undefined) throw new Error("no row");
    const nowMs = START_MS + 3 * DAY_MS;
    await books.job(async tx => {
      await house(tx);
      await write(tx, [row]);
      await sumUp(tx);
      while ((await rollDay(tx, { nowMs })).dayMs !== null);
      await write(tx, [{ ...row, id: `${row.id.slice(0, -1)}9` as Id<"req"> }]);
      await sumUp(tx);
      const asked = { query: ANY, fromMs: START_MS, toMs: nowMs, by: "key", bucket: 24, top: 8 } as const;
      expect((await usageSummary(tx, asked)).totals.requests).toBe(2);
      expect(await rollDay(tx, { nowMs })).toEqual({ dayMs: START_MS });
      expect((await usageSummary(tx, asked)).totals.requests).toBe(2);
      expect(await sumFindings(tx)).toEqual([]);
    });
  });
});

/** Of a bound that is open, the other. */
function timeOf(id: string, otherwise: number): number {
  return id === LOWEST_ID || id === HIGHEST_ID ? otherwise : idTimeMs(id);
}

type Plain = { requests: number; errors: number; cost: bigint; tokens: number; bars: string[] };

function plain({ totals, bars }: Summary): Plain {
  const lines = bars.map(({ startMs, name, ...bar }) => ({ place: `${startMs} ${name}`, ...bar }));
  // Of rows of an older version what was charged, before the multiplier, is what they cost us.
  expect(totals.ourCost).toBe(totals.cost);
  return {
    requests: totals.requests,
    errors: totals.refused + totals.failed,
    cost: totals.cost,
    tokens: totals.input + totals.cacheRead + totals.cacheWrite + totals.output,
    bars: joined(lines),
  };
}

type Piece = { place: string; requests: number; errors: number; tokens: number; cost: bigint };

/** Parts of the span may each have a piece of the same bar. */
function joined(pieces: readonly Piece[]): string[] {
  const found = new Map<string, Omit<Piece, "place">>();
  for (const { place, requests, errors, tokens, cost } of pieces) {
    const before = found.get(place) ?? { requests: 0, errors: 0, tokens: 0, cost: 0n };
    found.set(place, {
      requests: before.requests + requests,
      errors: before.errors + errors,
      tokens: before.tokens + tokens,
      cost: before.cost + cost,
    });
  }
  return [...found]
    .map(
      ([place, { requests, errors, tokens, cost }]) => `${place}: ${requests}, ${errors}, ${tokens}, ${cost}`,
    )
    .sort();
}

type SummedBy = { by: "key" | "model" | "account" | "upstream"; bucket: 1 | 24 };

function sums(rows: readonly Row[], { by, bucket }: SummedBy): Plain {
  const costs = new Map<string, { cost: bigint; count: number }>();
  const nameOf = (row: Row) => row[by] ?? "";
  for (const row of rows) {
    const before = costs.get(nameOf(row)) ?? { cost: 0n, count: 0 };
    costs.set(nameOf(row), { cost: before.cost + row.cost, count: before.count + 1 });
  }
  const order = [...costs].sort(
    ([one, a], [other, b]) => Number(b.cost - a.cost) || b.count - a.count || (one < other ? -1 : 1),
  );
  const top = order[0]?.[0];
  const pieces = rows.map(row => ({
    place: `${spanStart(bucket, idTimeMs(row.id))} ${nameOf(row) === top ? top : null}`,
    requests: 1,
    errors: ["failed", "refused"].includes(outcomeOf(row.state, row.reason)) ? 1 : 0,
    tokens: row.tokens + 3,
    cost: row.cost,
  }));
  const total = (of: (piece: Piece) => number) => pieces.reduce((sum, piece) => sum + of(piece), 0);
  return {
    requests: pieces.length,
    errors: total(({ errors }) => errors),
    cost: pieces.reduce((sum, { cost }) => sum + cost, 0n),
    tokens: total(({ tokens }) => tokens),
    bars: joined(pieces),
  };
}
