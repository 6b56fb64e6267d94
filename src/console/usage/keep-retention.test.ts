import { expect, test } from "bun:test";
import type { Store } from "../../store/store.ts";
import type { RemoveOld } from "../../store/usage-retention.ts";
import { DAY_MS } from "../../store/usage-sums.ts";
import { type KeepRetention, keepRetention, keptSince } from "./keep-retention.ts";

const NOW_MS = Date.UTC(2027, 0, 31, 13);

type Line = { event: string; fields: Record<string, unknown> | undefined };

function rig(rows: number, usageDays = 30) {
  let [left, days, failures] = [rows, usageDays, 0];
  const asked: RemoveOld[] = [];
  const lines: Line[] = [];
  const removed: number[] = [];
  const run = (async (_name: string, args: RemoveOld) => {
    asked.push(args);
    if (failures > 0) {
      failures -= 1;
      throw new Error("the database is away");
    }
    const count = Math.min(left, args.limit);
    left -= count;
    return { isOurs: true, count, next: count === 0 ? null : `req_${left}`, waitsFor: null };
  }) as Store["run"];
  const options: KeepRetention = {
    ...{ store: { run }, bootId: "boot_1", nowMs: () => NOW_MS, everyMs: 5 },
    settings: () => ({ usageDays: days }),
    onRemoved: count => removed.push(count),
    log: (_level, event, fields) => void lines.push({ event, fields }),
  };
  return {
    ...{ options, asked, lines, removed, left: () => left },
    setDays: (wanted: number) => {
      days = wanted;
    },
    failNext: (count: number) => {
      failures = count;
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 1_000; tries++) await Bun.sleep(5);
  expect(isSo()).toBe(true);
}

test("rows are kept for so many whole days at least, and for ever where nobody says how long", () => {
  expect(keptSince(0, NOW_MS)).toBeNull();
  expect(keptSince(1, NOW_MS)).toBe(Date.UTC(2027, 0, 30));
  expect(keptSince(30, NOW_MS)).toBe(Date.UTC(2027, 0, 1));
});

test("old rows go in small chunks one after the other, and it is told and counted", async () => {
  const { options, asked, lines, removed, left } = rig(450);
  const keeper = keepRetention(options);
  await until(() => left() === 0 && lines.length > 0);
  await keeper.stop();
  expect(removed).toEqual([100, 100, 100, 100, 50]);
  expect(Math.max(...asked.map(({ limit }) => limit))).toBe(100);
  expect(asked[0]).toMatchObject({ from: null, bootId: "boot_1", beforeMs: keptSince(30, NOW_MS) ?? 0 });
  expect(asked[1]?.from).toBe("req_350");
  expect(lines).toContainEqual({ event: "usage.removed", fields: { rows: 450 } });
});

test("between two chunks there is room for others, the more the longer one has taken", async () => {
  const times: number[] = [];
  const { options } = rig(400);
  const { run } = options.store;
  const slow = (async (name: "usage.remove_old", args: RemoveOld) => {
    times.push(performance.now());
    await Bun.sleep(10);
    return run(name, args);
  }) as Store["run"];
  const keeper = keepRetention({ ...options, store: { run: slow } });
  await until(() => times.length >= 4);
  await keeper.stop();
  const gaps = times.slice(1).map((at, place) => at - (times[place] ?? 0));
  expect(Math.min(...gaps.slice(0, 3))).toBeGreaterThanOrEqual(90);
});

test("where rows are kept for ever, nothing is asked; a new setting counts at once, also in the middle", async () => {
  const { options, asked, setDays, left } = rig(100_000, 0);
  const keeper = keepRetention(options);
  await Bun.sleep(30);
  expect(asked).toEqual([]);
  setDays(7);
  await until(() => asked.length >= 3);
  expect(asked.at(-1)?.beforeMs).toBe(NOW_MS - 7 * DAY_MS - (NOW_MS % DAY_MS));
  setDays(0);
  await Bun.sleep(60);
  const { length } = asked;
  await Bun.sleep(60);
  expect(asked.length).toBe(length);
  expect(left()).toBeGreaterThan(0);
  await keeper.stop();
});

test("a database that is away is waited for", async () => {
  const { options, lines, left, failNext } = rig(5);
  failNext(2);
  const keeper = keepRetention(options);
  await until(() => left() === 0);
  await keeper.stop();
  expect(lines.filter(({ event }) => event === "usage.removal_failed")).toHaveLength(2);
});

test("after it is stopped it asks for nothing", async () => {
  const { options, asked } = rig(100_000);
  const keeper = keepRetention(options);
  await until(() => asked.length > 0);
  await keeper.stop();
  const { length } = asked;
  await Bun.sleep(120);
  expect(asked.length).toBe(length);
});
