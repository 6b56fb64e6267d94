import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Price } from "../domain/model.ts";
import { tester } from "./audit-test-rig.ts";
import { Bank, newId, time } from "./bank.case.ts";
import { readCatalogue, revision } from "./catalogue.ts";
import { databases } from "./databases.case.ts";
import { createModel, priceVersions, removeModel } from "./models.ts";
import { beginPrices, nextPlanned, plannedPrices, planPrice, unplanPrice } from "./planned-prices.ts";
import type { Tx } from "./tx.ts";

const NOON = Date.UTC(2027, 0, 15, 12);
const HOUR_MS = 3_600_000;

const price = (outputPicos: bigint): Price => ({
  ...{ id: newId("prc"), inputPicos: 1n, cacheReadPicos: 1n, cacheWrite5mPicos: 1n, cacheWrite1hPicos: 1n },
  ...{ outputPicos, requestPicos: 7n },
  tiers: [
    {
      ...{ aboveTokens: 1_000, inputPicos: 2n, cacheReadPicos: 2n, cacheWrite5mPicos: 2n },
      ...{ cacheWrite1hPicos: 2n, outputPicos: outputPicos * 2n },
    },
  ],
});

describe.each(databases)("planned prices on %s", (database, openBooks) => {
  let bank: Bank;
  let modelId: string;
  const job = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => bank.books.job(work);
  const output = async () => (await job(readCatalogue)).models.get("later")?.price?.outputPicos;
  const ids = (count: number) => Array.from({ length: count }, () => newId("prc"));
  const begin = (nowMs: number, count = 10) =>
    job(tx => beginPrices(tx, { ids: ids(count), by: tester(nowMs) }));
  const plan = (outputPicos: bigint, startsAtMs: number) =>
    job(tx => planPrice(tx, { modelId, price: price(outputPicos), startsAtMs, by: tester(NOON) }));

  beforeEach(async () => {
    time.nowMs = NOON;
    bank = await new Bank(await openBooks()).open([]);
    const spec = { id: newId("mdl"), name: "later", contextTokens: null, outputTokensMax: null };
    await job(tx => createModel(tx, { spec: { ...spec, price: price(10n) }, by: tester(NOON) }));
    modelId = (await job(readCatalogue)).models.get("later")?.id ?? "";
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  test("begin at their time, in their order, whole, and once where several look", async () => {
    await plan(30n, NOON + 2 * HOUR_MS);
    await plan(20n, NOON + HOUR_MS);
    expect(await job(nextPlanned)).toBe(NOON + HOUR_MS);
    expect(await begin(NOON + HOUR_MS - 1)).toEqual({ begun: 0 });
    expect(await output()).toBe(10n);
    const before = await job(revision);
    // SQLite has one writer, so that there they come one after the other.
    const first = begin(NOON + HOUR_MS);
    if (database === "SQLite") await first;
    const begun = await Promise.all([first, begin(NOON + HOUR_MS)]);
    expect(begun.reduce((sum, one) => sum + one.begun, 0)).toBe(1);
    expect(await job(revision)).toBeGreaterThan(before);
    expect(await output()).toBe(20n);
    expect((await job(readCatalogue)).models.get("later")?.price?.tiers).toEqual(price(20n).tiers);
    // Several that are due at once end with the last of them.
    await plan(40n, NOON + 3 * HOUR_MS);
    expect(await begin(NOON + 4 * HOUR_MS)).toEqual({ begun: 2 });
    expect(await output()).toBe(40n);
    const versions = await job(tx => priceVersions(tx, { modelId }));
    expect(versions?.map(one => one.price.outputPicos)).toEqual([40n, 30n, 20n, 10n]);
    expect(await job(nextPlanned)).toBeNull();
  });

  test("are taken back before they begin, and end with their model", async () => {
    await plan(20n, NOON + HOUR_MS);
    const [planned] = await job(tx => plannedPrices(tx, { modelId }));
    const priceId = planned?.price.id ?? "";
    expect(await job(tx => unplanPrice(tx, { modelId: "mdl_none", priceId, by: tester(NOON) }))).toBe(false);
    expect(await job(tx => unplanPrice(tx, { modelId, priceId, by: tester(NOON) }))).toBe(true);
    expect(await job(tx => unplanPrice(tx, { modelId, priceId, by: tester(NOON) }))).toBe(false);
    await plan(20n, NOON + HOUR_MS);
    await job(tx => removeModel(tx, { id: modelId, by: tester(NOON) }));
    expect(await plan(30n, NOON + HOUR_MS)).toBe(false);
    expect(await begin(NOON + HOUR_MS)).toEqual({ begun: 0 });
    expect(await job(nextPlanned)).toBeNull();
  });
});
