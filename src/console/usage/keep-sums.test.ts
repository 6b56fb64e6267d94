import { expect, test } from "bun:test";
import type { Store } from "../../store/store.ts";
import { keepSums } from "./keep-sums.ts";

type Line = { event: string; fields: Record<string, unknown> | undefined };

function rig(rows: number, days: number) {
  let [left, toRoll, failures] = [rows, days, 0];
  const asked: string[] = [];
  const lines: Line[] = [];
  const run = (async (name: string, args: { limit: number }) => {
    asked.push(name);
    if (failures > 0) {
      failures -= 1;
      throw new Error("the database is away");
    }
    if (name === "usage.sum_up") {
      const count = Math.min(left, args.limit);
      left -= count;
      return { count };
    }
    toRoll -= 1;
    return { dayMs: toRoll < 0 ? null : toRoll };
  }) as Store["run"];
  return {
    ...{ store: { run }, asked, lines, left: () => left, toRoll: () => toRoll },
    log: (_level: string, event: string, fields?: Record<string, unknown>) =>
      void lines.push({ event, fields }),
    failNext: (count: number) => {
      failures = count;
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo() && tries < 400; tries++) await Bun.sleep(5);
  expect(isSo()).toBe(true);
}

test("old rows are summed up page by page, then days that are over are put together, and it is told", async () => {
  const { store, log, lines, left, toRoll } = rig(25, 2);
  const keeper = keepSums({ store, log, nowMs: () => 0, everyMs: 10, pageRows: 10 });
  await until(() => left() === 0 && toRoll() < 0);
  await keeper.stop();
  expect(lines.at(-1)).toEqual({ event: "usage.summed_up", fields: { rows: 25 } });
});

test("a database that is away is waited for", async () => {
  const { store, log, lines, left, failNext } = rig(5, 0);
  failNext(2);
  const keeper = keepSums({ store, log, nowMs: () => 0, everyMs: 5, pageRows: 10 });
  await until(() => left() === 0);
  await keeper.stop();
  expect(lines.filter(({ event }) => event === "usage.sums_waiting")).toHaveLength(2);
});

test("after it is stopped it asks for nothing", async () => {
  const { store, log, asked } = rig(10_000, 10);
  const keeper = keepSums({ store, log, nowMs: () => 0, everyMs: 5, pageRows: 1 });
  await until(() => asked.length > 0);
  await keeper.stop();
  const { length } = asked;
  await Bun.sleep(120);
  expect(asked.length).toBe(length);
});
