import { describe, expect, test } from "bun:test";
import { array, assert, double, property } from "fast-check";
import { layBars, reachOf, roundUp, scaleOf, totalsOf } from "./bar-geometry.ts";
import { compareValues, nextSorting } from "./table-column.ts";

describe("bars", () => {
  test("are stacked without gaps and never leave their box", () => {
    const values = array(double({ min: 0, max: 1e9, noNaN: true }), { minLength: 3, maxLength: 3 });
    assert(
      property(values, values, (first, second) => {
        const series = [
          { id: "a", name: "a", values: first },
          { id: "b", name: "b", values: second },
        ];
        const totals = totalsOf(series, 3);
        const top = roundUp(Math.max(...totals));
        const bars = layBars({ series, buckets: 3, width: 300, height: 100, top });
        for (const bar of bars) {
          expect(bar.y).toBeGreaterThanOrEqual(-1e-6);
          expect(bar.x).toBeGreaterThanOrEqual(0);
          expect(bar.x + bar.width).toBeLessThanOrEqual(300 + 1e-6);
        }
        for (let bucket = 0; bucket < 3; bucket += 1) {
          const drawn = bars.filter(bar => bar.bucket === bucket).reduce((sum, bar) => sum + bar.height, 0);
          expect(drawn).toBeCloseTo(((totals[bucket] ?? 0) / top) * 100, 6);
        }
      }),
    );
  });

  test("have a round number as their top", () => {
    expect([0, 0.03, 1, 1.1, 3, 7, 45.9].map(roundUp)).toEqual([1, 0.03, 1, 2, 3, 8, 50]);
  });

  test("hang below zero where something is less than nothing, and both sides fit", () => {
    const series = [
      { id: "a", name: "a", values: [3, -1] },
      { id: "b", name: "b", values: [-2, -1] },
    ];
    const reach = reachOf(series, 2);
    expect(reach).toEqual({ top: 3, bottom: 2 });
    const bars = layBars({ series, buckets: 2, width: 20, height: 100, ...reach });
    expect(bars.map(({ series: at, bucket, y, height }) => [at, bucket, y, height])).toEqual([
      [0, 0, 0, 60],
      [1, 0, 60, 40],
      [0, 1, 60, 20],
      [1, 1, 80, 20],
    ]);
    expect(totalsOf(series, 2)).toEqual([1, -2]);
    expect(scaleOf(reach)).toEqual([
      { value: 3, share: 0 },
      { value: 0, share: 0.6 },
      { value: -2, share: 1 },
    ]);
    expect(scaleOf({ top: 100, bottom: 1 }).map(({ value }) => value)).toEqual([100, 0]);
    expect(scaleOf({ top: 8, bottom: 0 }).map(({ value }) => value)).toEqual([8, 4, 0]);
  });

  test("of nothing are none", () => {
    expect(layBars({ series: [], buckets: 0, width: 10, height: 10, top: 1 })).toEqual([]);
  });
});

describe("sorting", () => {
  test("goes one way, the other, then back to how the rows came", () => {
    const by = { id: "spent", descFirst: true };
    expect(nextSorting(null, by)).toEqual({ id: "spent", desc: true });
    expect(nextSorting({ id: "spent", desc: true }, by)).toEqual({ id: "spent", desc: false });
    expect(nextSorting({ id: "spent", desc: false }, by)).toBeNull();
    expect(nextSorting({ id: "name", desc: false }, by)).toEqual({ id: "spent", desc: true });
  });

  test("reads numbers in names as numbers", () => {
    expect(["key 10", "key 9", "Key 1"].sort(compareValues)).toEqual(["Key 1", "key 9", "key 10"]);
  });
});
