import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Outcome } from "../domain/outcome.ts";
import { type Books, clear } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { houseOverview } from "./overview.ts";
import { houseConcerns } from "./overview-attention.ts";
import type { SqlRow, SqlValue, Tx } from "./tx.ts";
import { upstreamErrors, upstreamHours } from "./upstream-admin-figures.ts";
import { addSums } from "./usage-backfill.ts";
import { HIGHEST_ID, idSpan, LOWEST_ID, type UsageQuery } from "./usage-filter.ts";
import { usageLines, usageRows } from "./usage-lines.ts";
import { usageNames } from "./usage-names.ts";
import { houseLines } from "./usage-operator.ts";
import { usageReceipt } from "./usage-receipt.ts";
import { rollDay } from "./usage-roll.ts";
import {
  BIG_ACCOUNT,
  filledPages,
  house,
  KEY_5,
  OLD_KEY,
  RARE_MODEL,
  USAGE_COLUMNS,
} from "./usage-rows-test-rig.ts";
import { usageCount, usageSummary } from "./usage-summary.ts";

/** However long the log is, no statement of the console walks along all of it: so say the databases themselves. */

const NOW_MS = Date.UTC(2027, 0, 20);
const DAY_MS = 86_400_000;
const ROWS = 20_000;
const ROWS_PER_STATEMENT = 200;

async function insert(tx: Tx, { table, columns, rows }: Parameters<typeof statementOf>[0]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    const some = rows.slice(from, from + ROWS_PER_STATEMENT);
    await tx.run(statementOf({ table, columns, rows: some }), ...some.flat());
  }
}

function statementOf(of: { table: string; columns: readonly string[]; rows: SqlValue[][] }): string {
  const marks = `(${of.columns.map(() => "?").join(", ")})`;
  const all = of.rows.map(() => marks).join(", ");
  return `insert into ${of.table} (${of.columns.join(", ")}) values ${all}`;
}

const ANY: UsageQuery = {
  ...{ accountId: BIG_ACCOUNT, keyId: null, model: null, tool: null, outcome: null },
  ...{ low: LOWEST_ID, high: HIGHEST_ID },
};

const SUMMARY = { by: "key", bucket: 24, top: 8, fromMs: NOW_MS - 365 * DAY_MS, toMs: NOW_MS } as const;

const page = (query: Partial<UsageQuery>) => (tx: Tx) =>
  usageLines(tx, { query: { ...ANY, ...query }, limit: 50 });

const LAST_WEEK = { fromMs: NOW_MS - 7 * DAY_MS, toMs: NOW_MS };

const OUTCOMES: Outcome[] = ["ok", "stopped", "failed", "refused", "running"];
const questions: readonly (readonly [string, (tx: Tx) => Promise<unknown>])[] = [
  ["the first page", page({})],
  ["a page far down", page({ high: idSpan({ fromMs: null, toMs: NOW_MS - 200 * DAY_MS }).high })],
  ["a page by key", page({ keyId: KEY_5 })],
  ["a page of a key that is used no more", page({ keyId: OLD_KEY })],
  ["a page by model", page({ model: "model-3" })],
  ["a page of a rare model", page({ model: RARE_MODEL })],
  ["a page by tool", page({ tool: "tool-3" })],
  ...OUTCOMES.map(outcome => [`a page of those that are ${outcome}`, page({ outcome })] as const),
  ["a page by everything", page({ keyId: KEY_5, model: "model-5", tool: "tool-5", outcome: "failed" })],
  ["a year by key", tx => usageSummary(tx, { ...SUMMARY, query: ANY })],
  ["a year by model", tx => usageSummary(tx, { ...SUMMARY, query: ANY, by: "model" })],
  ["a year of a tool", tx => usageSummary(tx, { ...SUMMARY, query: { ...ANY, tool: "tool-3" } })],
  [
    "an odd span of minutes",
    tx => usageSummary(tx, { ...SUMMARY, query: ANY, fromMs: NOW_MS - DAY_MS - 1_234_567, bucket: 1 }),
  ],
  ["the names", tx => usageNames(tx, { accountId: BIG_ACCOUNT })],
  ["the count", tx => usageCount(tx, { query: ANY, fromMs: 0, toMs: NOW_MS })],
  ["a page of a file", tx => usageRows(tx, { query: ANY, limit: 500 })],
  ["a receipt", tx => usageReceipt(tx, { accountId: BIG_ACCOUNT, id: "req_00000000000000000000000001" })],
];

const EVERYBODY: UsageQuery = { ...ANY, accountId: null };
const wholePage = (query: Partial<UsageQuery>) => (tx: Tx) =>
  houseLines(tx, { query: { ...EVERYBODY, ...query }, limit: 50 });
const overview = (days: number, bucket: 1 | 24) => (tx: Tx) =>
  houseOverview(tx, {
    ...{ fromMs: NOW_MS - days * DAY_MS, toMs: NOW_MS, bucket, top: 8, seenAfterMs: NOW_MS },
    health: { fromMs: NOW_MS - DAY_MS, toMs: NOW_MS },
  });

/** Of every account: the sums of everybody in some hours are what is asked for here. */
const houseQuestions: typeof questions = [
  ["the first page", wholePage({})],
  ["a page by account", wholePage({ accountId: BIG_ACCOUNT })],
  ["a page by upstream", wholePage({ upstream: "u-3" })],
  ["a page by model", wholePage({ model: "model-3" })],
  ...OUTCOMES.map(outcome => [`a page of those that are ${outcome}`, wholePage({ outcome })] as const),
  ["a year by account", tx => usageSummary(tx, { ...SUMMARY, query: EVERYBODY, by: "account" })],
  ["a year by upstream", tx => usageSummary(tx, { ...SUMMARY, query: EVERYBODY, by: "upstream" })],
  [
    "a year of an upstream",
    tx => usageSummary(tx, { ...SUMMARY, query: { ...EVERYBODY, upstream: "u-3" }, by: "model" }),
  ],
  ["the overview of a day", overview(1, 1)],
  ["the overview of a year", overview(365, 24)],
  ["what needs attention", tx => houseConcerns(tx, { nowMs: NOW_MS, usedAfterMs: 0, low: 1n })],
  ["the errors of an upstream", tx => upstreamErrors(tx, { ...LAST_WEEK, name: "u-3", limit: 50 })],
  ["the hours of an upstream", tx => upstreamHours(tx, { ...LAST_WEEK, name: "u-3" })],
];

const WALKS = /^SCAN (usage|sums|ledger|keys)\b|usage_sums_by_start/;

type Asked = { sql: string; params: SqlValue[] };

/** What a question asks the database, as it asks it. */
async function statements(tx: Tx, question: (tx: Tx) => Promise<unknown>): Promise<Asked[]> {
  const asked = new Map<string, Asked>();
  await question({
    ...tx,
    all: (sql, ...params) => {
      asked.set(sql, { sql, params });
      return tx.all(sql, ...params);
    },
  });
  return [...asked.values()];
}

const plans: Record<string, (tx: Tx, asked: Asked) => Promise<string[]>> = {
  SQLite: async (tx, { sql, params }) => {
    const rows = await tx.all(`explain query plan ${sql}`, ...params);
    return rows
      .map(row => String(row["detail"]))
      .filter(line => WALKS.test(line) && !line.includes("usage_not_summed"));
  },
  PostgreSQL: async (tx, { sql, params }) => {
    const rows = await tx.all(`explain ${sql}`, ...params);
    const lines = rows.map((row: SqlRow) => String(row["QUERY PLAN"]).trim());
    return lines.filter(line => /Seq Scan on (usage|usage_sums|ledger)\b/.test(line));
  },
};

describe.each(databases)("on %s,", (name, openBooks) => {
  let books: Books;
  beforeAll(async () => {
    books = await openBooks();
    await books.job(async tx => {
      await clear(tx);
      for (const table of house(NOW_MS)) await insert(tx, table);
      for (const { rows, book } of filledPages({ count: ROWS, nowMs: NOW_MS, pageRows: 5_000 })) {
        await insert(tx, { table: "usage", columns: USAGE_COLUMNS, rows });
        await addSums(tx, book);
      }
      while ((await rollDay(tx, { nowMs: NOW_MS })).dayMs !== null);
      await tx.run("analyze");
    });
  }, 60_000);
  afterAll(() => books.close());

  test.each(questions)("%s is found by an index, and not by reading all", async (_, question) => {
    await books.job(async tx => {
      const asked = await statements(tx, question);
      expect(asked.length).toBeGreaterThan(0);
      for (const one of asked)
        expect({ sql: one.sql, found: await plans[name]?.(tx, one) }).toEqual({ sql: one.sql, found: [] });
    });
  });

  test.each(houseQuestions)("of everybody, %s is found by an index, too", async (_, question) => {
    await books.job(async tx => {
      const asked = await statements(tx, question);
      expect(asked.length).toBeGreaterThan(0);
      for (const one of asked) {
        const lines = (await plans[name]?.(tx, one)) ?? ["there is no plan"];
        const found = lines.filter(line => !/usage_sums_by_start|usage_open/.test(line));
        expect({ sql: one.sql, found }).toEqual({ sql: one.sql, found: [] });
      }
    });
  });
});
