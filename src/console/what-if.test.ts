import { expect, test } from "bun:test";
import { idTimeMs } from "../domain/id-time.ts";
import type { Price } from "../domain/model.ts";
import { NO_USAGE } from "../domain/usage.ts";
import { cost } from "../pricing/price.ts";
import type { Store } from "../store/store.ts";
import type { ChargedRow, ChargedSpan } from "../store/what-if-rows.ts";
import { repriced } from "./what-if.ts";

const NOW = Date.UTC(2027, 0, 15);
const WEEK_MS = 7 * 86_400_000;

const price = (output: bigint): Price => ({
  ...{
    id: "prc_1",
    inputPicos: 3_000_000n,
    cacheReadPicos: 300_000n,
    cacheWrite5mPicos: 0n,
    cacheWrite1hPicos: 0n,
  },
  ...{ outputPicos: output, requestPicos: 1_000n },
  tiers: [
    {
      ...{ aboveTokens: 1_000, inputPicos: 6_000_000n, cacheReadPicos: 1n, cacheWrite5mPicos: 0n },
      ...{ cacheWrite1hPicos: 0n, outputPicos: output * 2n },
    },
  ],
});
const OLD = price(15_000_000n);

function row(id: string, given: Partial<ChargedRow> = {}): ChargedRow {
  const usage = { ...NO_USAGE, input: 777, output: 33, ...given.usage };
  const multiplier = given.multiplier ?? 10_000;
  const charged = { id, accountId: "acc_1", groupId: "grp_1", model: "m", priceId: "prc_1" };
  return { ...charged, multiplier, cost: cost(usage, OLD, multiplier), ...given, usage };
}

type Asked = {
  spans: ChargedSpan[];
  isMuch: boolean;
  rows: (span: ChargedSpan) => ChargedRow[];
  onRows?: () => void;
};

function store(asked: Asked): Pick<Store, "report"> {
  const report = async (name: string, args: unknown): Promise<unknown> => {
    if (name === "what_if.has_more") return asked.isMuch;
    if (name === "what_if.prices") return new Map([["prc_1", OLD]]);
    asked.spans.push(args as ChargedSpan);
    asked.onRows?.();
    return asked.rows(args as ChargedSpan);
  };
  return { report: report as Store["report"] };
}

test("every row costs what it would, to the last digit, page after page", async () => {
  const rows = Array.from({ length: 4_500 }, (_, at) =>
    row(`req_${String(at).padStart(26, "0")}`, {
      usage: { ...NO_USAGE, input: at, cacheRead: 7, output: at % 13 },
      multiplier: at % 2 === 0 ? 10_000 : 7_777,
      groupId: at % 3 === 0 ? "grp_1" : "grp_2",
      accountId: `acc_${at % 2}`,
    }),
  );
  const asked: Asked = {
    ...{ spans: [], isMuch: false },
    rows: ({ afterId, limit }) =>
      rows.filter(({ id }) => asked.spans.length === 1 || id > afterId).slice(0, limit),
  };
  const supposed = { group: { id: "grp_1", multiplier: 12_345 }, model: { name: "m", price: price(1n) } };
  const found = await repriced({ store: store(asked), nowMs: () => NOW, days: 7 }, supposed);
  const would = rows.map(one =>
    cost(one.usage, supposed.model.price, one.groupId === "grp_1" ? 12_345 : one.multiplier),
  );
  const sum = (all: readonly bigint[]) => all.reduce((total, one) => total + one, 0n);
  expect(found).toMatchObject({ requests: 4_500, parts: found.partsAll, fromMs: NOW - WEEK_MS, toMs: NOW });
  expect(found.before).toBe(sum(rows.map(one => one.cost)));
  expect(found.after).toBe(sum(would));
  expect([...found.accounts.keys()]).toEqual(["acc_0", "acc_1"]);
  expect(asked.spans).toHaveLength(2);
});

test("what its hold did not cover stays uncovered in the same measure, and an unknown price as it is", async () => {
  const capped = row("req_1", { cost: cost(row("").usage, OLD, 10_000) / 2n });
  const unknown = row("req_2", { priceId: "prc_gone", cost: 5n });
  const asked: Asked = { spans: [], isMuch: false, rows: () => [capped, unknown] };
  const supposed = { group: { id: "grp_1", multiplier: 20_000 }, model: null };
  const { after } = await repriced({ store: store(asked), nowMs: () => NOW, days: 7 }, supposed);
  expect(after).toBe(capped.cost * 2n + 5n);
});

test("of too much, parts that are spread over the week are looked at until the time is up", async () => {
  let now = NOW;
  const asked: Asked = {
    ...{ spans: [], isMuch: true },
    rows: ({ afterId }) => [row(afterId)],
    onRows: () => {
      now += 10;
    },
  };
  const supposed = { group: { id: "grp_1", multiplier: 20_000 }, model: null };
  const found = await repriced({ store: store(asked), nowMs: () => now, days: 7 }, supposed);
  expect(found.parts).toBeLessThan(200);
  expect(found.parts).toBeGreaterThan(100);
  expect(found.requests).toBe(found.parts);
  const days = asked.spans.map(({ afterId }) =>
    Math.floor((idTimeMs(afterId) - (NOW - WEEK_MS)) / 86_400_000),
  );
  const perDay = Array.from({ length: 7 }, (_, day) => days.filter(one => one === day).length);
  for (const count of perDay) expect(count).toBeGreaterThan(found.parts / 7 / 2);
  expect(new Set(asked.spans.map(({ afterId }) => afterId)).size).toBe(asked.spans.length);
});

test("thirty days are looked at whole, each part once", async () => {
  const asked: Asked = { spans: [], isMuch: true, rows: ({ afterId }) => [row(afterId)] };
  const supposed = { group: { id: "grp_1", multiplier: 20_000 }, model: null };
  const found = await repriced({ store: store(asked), nowMs: () => NOW, days: 30 }, supposed);
  expect(found).toMatchObject({ fromMs: NOW - 30 * 86_400_000, toMs: NOW, parts: 30 * 24 * 6 });
  expect(found.partsAll).toBe(found.parts);
  const starts = new Set(asked.spans.map(({ afterId }) => afterId));
  expect(starts.size).toBe(found.parts);
});
