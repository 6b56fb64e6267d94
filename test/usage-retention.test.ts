import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { firstIdAt } from "../src/domain/id-time.ts";
import type { Store } from "../src/store/store.ts";
import type { Removed, RemoveOld } from "../src/store/usage-retention.ts";
import { DAY_MS } from "../src/store/usage-sums.ts";
import { DATABASES } from "./console-operator-rig.ts";
import { startConsole } from "./console-rig.ts";
import { freshDir, type Gateway, mustRun, removeDir, setEnvironment, startGateway } from "./harness.ts";
import { type PastHouse, pastHouse, settled } from "./usage-retention-rig.ts";

/** So many days rows are kept here. */
const KEPT_DAYS = 5;
const PER_DAY = 400;

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = performance.now() + 40_000;
  while (performance.now() < endMs) {
    if (await isSo()) return;
    await Bun.sleep(10);
  }
  throw new Error("it did not come to that");
}

async function removedOf({ url }: Gateway): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^wicketgate_usage_rows_removed_total (\d+)$/m.exec(page)?.[1] ?? 0);
}

describe.each(DATABASES)("old rows on %s", database => {
  test("are removed while others are admitted and settled and days are put together, by one of two processes", async () => {
    const house = await pastHouse(database);
    const [store] = house.stores;
    if (store === undefined) throw new Error("there is no store");
    const oldest = await house.fill([12], 150);
    const late = await house.admit(store, (Math.floor(Date.now() / DAY_MS) - 11) * DAY_MS - 1_000);
    const old = [...oldest, ...(await house.fill([11, 10], 150))];
    const beforeMs = Date.now() - KEPT_DAYS * DAY_MS;
    let [isOver, most] = [false, 0];
    const removing = async (own: Store, bootId: string) => {
      for (let from: string | null = null; !isOver; await Bun.sleep(1)) {
        const asked: RemoveOld = { beforeMs, from, limit: 20, bootId, nowMs: Date.now() };
        const { count, next }: Removed = await own.run("usage.remove_old", asked);
        most = Math.max(most, count);
        from = next;
      }
    };
    const rolling = async () => {
      for (; !isOver; await Bun.sleep(2)) await store.run("usage.roll_day", { nowMs: Date.now() });
    };
    const working = house.stores.map((own, at) => removing(own, `boot_${at}`));
    const fresh: string[] = [];
    for (let round = 0; round < 60; round++) {
      const own = house.stores[round % house.stores.length] ?? store;
      const ids = await Promise.all(Array.from({ length: 5 }, () => house.admit(own, Date.now())));
      for (const id of ids) own.settle(settled(id));
      fresh.push(...ids);
      if (round === 20) working.push(rolling());
      if (round === 40) store.settle(settled(late));
    }
    await until(async () => (await house.rows()) === fresh.length);
    isOver = true;
    await Promise.all(working);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(20);
    expect(await store.report("verify", {})).toEqual([]);
    const query = { accountId: null, keyId: null, model: null, tool: null, outcome: null };
    const asked = { query, by: "key", top: 8, bucket: 24, fromMs: 0, toMs: Date.now() + DAY_MS } as const;
    const { totals } = await store.report("usage.summary", { ...asked, fromMs: Date.now() - 30 * DAY_MS });
    expect(totals.requests).toBe(old.length + fresh.length + 1);
    expect(totals.cost).toBe(BigInt(5 * (old.length + fresh.length + 1)));
    await house.dispose();
  });

  test("are not lost or counted twice where the server is killed amid it; receipts say that they are too old", async () => {
    const house = await pastHouse(database);
    const days = [12, 11, 10, 9, 8];
    const [old = ""] = await house.fill(days, PER_DAY);
    const [young = ""] = await house.fill([2, 1], 10);
    await house.leave();
    const env = { WICKETGATE_USAGE_DAYS: String(KEPT_DAYS), WICKETGATE_DEMO: "off" };
    const all = days.length * PER_DAY + 20;
    const first = await startGateway(house.dir, env);
    await until(async () => (await house.rows()) < all - 300);
    await first.kill();
    const left = await house.rows();
    expect(left).toBeGreaterThan(20);
    expect(await mustRun(house.dir, ["verify"])).toContain("clean");
    const rig = await startConsole(env, house.dir);
    await until(async () => (await house.rows()) === 20);
    await until(async () => (await removedOf(rig.gateway)) === left - 20);
    await until(async () => {
      const { kept_from } = await rig.operator.call("GET /operator/usage");
      return kept_from !== null && Date.parse(kept_from) % DAY_MS === 0;
    });
    const page = await rig.operator.call("GET /operator/usage");
    const keptFrom = new Date((Math.floor(Date.now() / DAY_MS) - KEPT_DAYS) * DAY_MS).toISOString();
    expect(page.kept_from).toBe(keptFrom);
    expect(page.rows).toHaveLength(20);
    const from = new Date(Date.now() - 300 * DAY_MS).toISOString();
    const { totals } = await rig.operator.call("GET /operator/usage/summary", { query: { from } });
    expect(totals.requests).toBe(all);

    expect((await rig.operator.call("GET /operator/usage/{id}", { params: { id: young } })).row.id).toBe(
      young,
    );
    const sentence = `This request is too old: single requests from before ${keptFrom.slice(0, 10)} 00:00 UTC are not kept here: rows older than ${KEPT_DAYS} days are not kept. What it cost is still in the ledger and in the charts.`;
    for (const id of [old, firstIdAt("req", 1)]) {
      const gone = await rig.operator.refused("GET /operator/usage/{id}", { params: { id } });
      expect(gone).toMatchObject({ status: 404, error: { code: "not_found", message: sentence } });
      const own = await rig.operator.refused("GET /usage/{id}", { params: { id } });
      expect(own.error.message).toBe(sentence);
    }
    const never = await rig.operator.refused("GET /operator/usage/{id}", {
      params: { id: firstIdAt("req", Date.now()) },
    });
    expect(never.error.message).toBe("There is no request with this id.");
    expect((await rig.operator.call("GET /usage")).kept_from).toBe(keptFrom);

    expect(await removedOf(rig.gateway)).toBe(left - 20);
    await rig.gateway.stop();
    expect(await mustRun(house.dir, ["verify"])).toContain("clean");
    await copied(house);
    await house.dispose();
  });
});

/** What rows came to goes with a copy, and what is checked there is the same. */
async function copied({ dir, secret }: Pick<PastHouse, "dir" | "secret">): Promise<void> {
  const other = freshDir();
  const file = join(other, "copy");
  await mustRun(dir, ["backup", file]);
  setEnvironment(other, secret);
  await mustRun(other, ["restore", file]);
  expect(await mustRun(other, ["verify"])).toContain("clean");
  removeDir(other);
}
