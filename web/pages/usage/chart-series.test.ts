import { describe, expect, test } from "bun:test";
import { averageText, bucketText, drawnSeries, marginOf, REST_ID, type Summary } from "./chart-series.ts";

const SUMMARY: Summary = {
  totals: {
    ...{ requests: 7, refused: 1, failed: 1, cost_usd: "0.3", first_byte_ms: null },
    tokens: { input: 1, cache_read: 0, cache_write: 0, output: 1, reasoning: 0 },
  },
  buckets: ["2026-11-14T00:00:00.000Z", "2026-11-15T00:00:00.000Z"],
  bucket: "day",
  series: [
    {
      name: "laptop",
      id: "key_1",
      cost_usd: ["0.1", "0.000000001"],
      requests: [3, 1],
      errors: [0, 0],
      tokens: [9, 9],
    },
    { name: null, id: null, cost_usd: ["0.2", "0.00"], requests: [2, 1], errors: [1, 1], tokens: [0, 0] },
  ],
};
const draw = (measure: "cost" | "tokens" | "requests" | "errors") =>
  drawnSeries(SUMMARY, { measure, language: "en", rest: "all others" });

describe("the chart's series", () => {
  test("money is drawn by length and told to the last digit", () => {
    const { series, totalText } = draw("cost");
    expect(series.map(({ texts }) => texts)).toEqual([
      ["$0.1000", "$0.000000001"],
      ["$0.2000", "$0.0000"],
    ]);
    expect([totalText(0), totalText(1)]).toEqual(["$0.3000", "$0.000000001"]);
  });

  test("the rest has a name and an id of its own", () => {
    expect(draw("requests").series[1]).toMatchObject({ id: REST_ID, name: "all others" });
  });

  test("a series with nothing of what is drawn is left out, and still counts in no total", () => {
    const { series, totalText } = draw("errors");
    expect(series.map(({ id }) => id)).toEqual([REST_ID]);
    expect(totalText(0)).toBe("1");
    expect(draw("tokens").series.map(({ id }) => id)).toEqual(["key_1"]);
  });

  test("a margin may be less than nothing, and is told to the last digit too", () => {
    const [first, second] = SUMMARY.series;
    if (first === undefined || second === undefined) throw new Error("two series are drawn");
    const withCost = {
      ...SUMMARY,
      series: [
        { ...first, our_cost_usd: ["0.04", "0.000000003"] },
        { ...second, our_cost_usd: ["0.00", "0.00"] },
      ],
    };
    const margin = drawnSeries(withCost, { measure: "margin", language: "en", rest: "all others" });
    expect(margin.series[0]?.texts).toEqual(["$0.0600", "−$0.000000002"]);
    expect(margin.series[0]?.values[1]).toBeLessThan(0);
    expect(margin.totalText(0)).toBe("$0.2600");
    expect(margin.show(-0.5)).toBe("−$0.5");
    const ours = drawnSeries(withCost, { measure: "our_cost", language: "en", rest: "all others" });
    expect(ours.series.map(({ id }) => id)).toEqual(["key_1"]);
    expect(marginOf("0.02", "0.05")).toBe("-0.03");
  });

  test("a scale has no half requests", () => {
    const { show } = draw("requests");
    expect([show(2), show(2.5), show(20_000)]).toEqual(["2", "", "20K"]);
    expect(draw("cost").show(0.00025)).toBe("$0.00025");
  });
});

test("days are named as they were summed up, in UTC", () => {
  const at = "2026-11-14T00:00:00.000Z";
  expect(bucketText(at, { bucket: "day", language: "en", isLong: true })).toBe("14 Nov 2026");
  expect(bucketText(at, { bucket: "day", language: "zh", isLong: false })).toBe("11月14日");
});

test.each([
  ["45.9016", 30, "$1.53"],
  ["0.02", 30, "<$0.01"],
  ["0", 30, "$0.00"],
  ["1000000", 7, "$142,857.14"],
])("%s over %p days is %s a day", (usd, days, text) => {
  expect(averageText(usd, days, "en")).toBe(text);
});
