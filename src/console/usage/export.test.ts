import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import type { Store } from "../../store/store.ts";
import { HIGHEST_ID, LOWEST_ID, type UsageQuery } from "../../store/usage-filter.ts";
import type { UsageRow } from "../../store/usage-lines.ts";
import { csvCell } from "./csv.ts";
import { exportStream } from "./export.ts";

const QUERY: UsageQuery = {
  ...{ accountId: "acc_1", keyId: null, model: null, tool: null, outcome: null },
  ...{ low: LOWEST_ID, high: HIGHEST_ID },
};

function rowAt(at: number): UsageRow {
  return {
    ...{ id: `req_${String(at).padStart(26, "0")}`, keyId: "key_1", key: "k", model: "m", operation: "chat" },
    ...{ stream: true, tool: "curl", address: "203.0.113.7", state: "settled", outcome: "ok", status: 200 },
    ...{ reason: null, startedAtMs: at, firstByteMs: 5, durationMs: 10, cost: 1_234n, source: "reported" },
    usage: { input: 1, cacheRead: 2, cacheWrite5m: 3, cacheWrite1h: 4, output: 5, reasoning: 0 },
    series: 1n,
  };
}

/** A log of so many rows, made when they are asked for. */
function logOf(count: number) {
  const asked: number[] = [];
  const report = (async (_name: string, { query, limit }: { query: UsageQuery; limit: number }) => {
    const top = query.high === HIGHEST_ID ? count : Number(query.high.slice("req_".length));
    const size = Math.min(limit, top);
    asked.push(size);
    const rows = Array.from({ length: size }, (_, at) => rowAt(top - 1 - at));
    return { rows, next: size < limit ? null : (rows.at(-1)?.id ?? null) };
  }) as Store["report"];
  return { store: { report }, asked };
}

/** What is really in use: the process as a whole has what other tests have left. */
function liveBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}

describe("an export", () => {
  test("of a hundred thousand rows is whole, and never has more than a page of them in memory", async () => {
    const { store, asked } = logOf(100_000);
    let [lines, largest, pieces, held] = [0, 0, 0, 0];
    const before = liveBytes();
    for await (const piece of exportStream(store, { query: QUERY, format: "csv" })) {
      largest = Math.max(largest, piece.length);
      pieces += 1;
      if (pieces % 25 === 0) held = Math.max(held, liveBytes() - before);
      for (const byte of piece) if (byte === 10) lines += 1;
    }
    expect(lines).toBe(100_001);
    expect(asked.every(size => size <= 1_000)).toBe(true);
    expect(largest).toBeLessThan(400_000);
    expect(pieces).toBeGreaterThanOrEqual(100);
    expect(held).toBeLessThan(20_000_000);
  });

  test("asks for a page only when the one before was taken, and for none when the client has left", async () => {
    const { store, asked } = logOf(50_000);
    const reader = exportStream(store, { query: QUERY, format: "csv" }).getReader();
    for (let piece = 0; piece < 3; piece++) await reader.read();
    await Bun.sleep(20);
    const taken = asked.length;
    expect(taken).toBeLessThanOrEqual(4);
    await reader.cancel();
    await Bun.sleep(20);
    expect(asked.length).toBe(taken);
  });

  test.each([0, 1, 1_000, 1_001, 2_500])("of %d rows is JSON that can be read", async count => {
    const text = await new Response(
      exportStream(logOf(count).store, { query: QUERY, format: "json" }),
    ).text();
    const rows = JSON.parse(text) as { id: string }[];
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(count);
  });

  test("is cut where the database fails, so that half a file is not taken for a whole one", async () => {
    const { store } = logOf(5_000);
    let pages = 0;
    const report = (async (...asked: Parameters<Store["report"]>) => {
      pages += 1;
      if (pages === 3) throw new Error("the database is away");
      return store.report(...asked);
    }) as Store["report"];
    const reading = new Response(exportStream({ report }, { query: QUERY, format: "csv" })).text();
    await expect(reading).rejects.toThrow("the database is away");
  });
});

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ['say "hi"', '"say ""hi"""'],
  ["a,b", '"a,b"'],
  ["two\nlines", '"two\nlines"'],
  ["=a,b", `"'=a,b"`],
  ["plain", "plain"],
  ["", ""],
])("the cell %j is written %j", (given, written) => {
  expect(csvCell(given)).toBe(written);
});

test("numbers are numbers in a cell, and nothing is nothing", () => {
  expect([csvCell(-5), csvCell(null), csvCell(true)]).toEqual(["-5", "", "true"]);
});
