import { describe, expect, test } from "bun:test";
import { concernsOf, type Entry, placeOf } from "./attention-entries.ts";
import { drawnMoney, drawnRequests } from "./chart-data.ts";
import { changeText, errorRateText, marginOf, marginShare, rateText } from "./figure-text.ts";
import { type Known, stepsOf } from "./use-first-steps.ts";

const entry = (kind: Entry["kind"], given: Partial<Entry> = {}): Entry => ({
  ...{ kind, gravity: "warn", name: null, id: null, since: null, figure: null },
  ...given,
});

describe("what needs attention", () => {
  test("leads to the page where it is mended", () => {
    expect(placeOf(entry("credential_rejected", { id: "ups_1" }))).toEqual({
      ...{ to: "/operator/upstreams", search: { upstream: "ups_1", part: "keys" } },
    });
    expect(placeOf(entry("balance_low", { id: "acc_1" }))).toEqual({
      ...{ to: "/operator/accounts", search: { account: "acc_1" } },
    });
    expect(placeOf(entry("backup_missing"))).toBeNull();
  });

  test("stands one by one while it is little, and together where it is much, in the order it came", () => {
    const unpriced = ["a", "b", "c", "d"].map(name => entry("model_unpriced", { name }));
    const broken = entry("audit_broken", { gravity: "bad" });
    expect(concernsOf([broken, ...unpriced.slice(0, 3)])).toMatchObject([
      { kind: "audit_broken" },
      { kind: "model_unpriced", names: ["a"] },
      { kind: "model_unpriced", names: ["b"] },
      { kind: "model_unpriced", names: ["c"] },
    ]);
    const [first, all] = concernsOf([broken, ...unpriced]);
    expect(first?.kind).toBe("audit_broken");
    expect(all).toMatchObject({
      count: 4,
      names: ["a", "b", "c", "d"],
      place: { search: { only: "unpriced" } },
    });
  });

  test("counts what the books disagree about", () => {
    expect(concernsOf([entry("books_disagree", { figure: "3" })])[0]?.count).toBe(3);
  });
});

describe("figures", () => {
  test("of success are never rounded up to all of it, nor of errors down to nothing", () => {
    expect(rateText(0.99999, "en")).toBe("99.99%");
    expect(rateText(1, "en")).toBe("100%");
    expect(errorRateText(0.000001, "en")).toBe("0.01%");
    expect(errorRateText(0, "en")).toBe("0%");
  });

  test("of the margin are exact, and a loss is less than nothing", () => {
    expect(marginOf({ revenue_usd: "1.000000001", cost_usd: "0.4" })).toBe("0.600000001");
    expect(marginOf({ revenue_usd: "1", cost_usd: "1.25" })).toBe("-0.25");
    expect(marginShare({ revenue_usd: "2", cost_usd: "1" })).toBe(0.5);
    expect(marginShare({ revenue_usd: "0", cost_usd: "1" })).toBeNull();
  });

  test("are compared with the time before, where there was something", () => {
    expect(changeText(112, 100, "en")).toBe("+12%");
    expect(changeText(80, 100, "zh")).toBe("-20%");
    expect(changeText(5, 0, "en")).toBeNull();
  });
});

describe("charts", () => {
  const series = {
    ...{ requests: [10, 0], errors: [3, 0] },
    ...{ revenue_usd: ["1.5", "0.1"], cost_usd: ["0.5", "0.3"] },
  };

  test("of requests add up to all of them", () => {
    const drawn = drawnRequests({ series }, { language: "en", names: { answered: "ok", errors: "bad" } });
    expect(drawn.series.map(({ values }) => values)).toEqual([
      [7, 0],
      [3, 0],
    ]);
    expect(drawn.totalText(0)).toBe("10");
    expect(drawn.isEmpty).toBe(false);
  });

  test("of money add up to what was charged, a loss below", () => {
    const drawn = drawnMoney({ series }, { language: "en", names: { cost: "cost", margin: "margin" } });
    expect(drawn.series[1]?.texts).toEqual(["$1.0000", "−$0.2000"]);
    expect(drawn.totalText(1)).toBe("$0.1000");
    expect(drawn.show(-0.25)).toBe("−$0.25");
  });
});

describe("the first steps", () => {
  const price = {
    ...{ input: "1", output: "1", cache_read: "1", cache_write_5m: "1", cache_write_1h: "1" },
    ...{ request: "0", tiers: [] },
  };
  const model = { id: "mdl_1", name: "m", context_tokens: null, max_output_tokens: null, price_since: null };
  const nothing: Known = {
    ...{ upstreams: [], groups: [], accounts: [], invitations: [], requests: 5 },
    models: [{ ...model, name: "demo", price, upstreams: [], groups: [] }],
  };
  const done = (known: Known) =>
    stepsOf(known)
      .filter(({ isDone }) => isDone)
      .map(({ name }) => name);

  test("are all open in a house that has the demonstration alone", () => {
    expect(done(nothing)).toEqual([]);
  });

  test("are ticked off by what is there", () => {
    const by = [{ id: "ups_1", name: "u", upstream_model: "m", speaks: ["chat" as const] }];
    const sold = { ...nothing, models: [{ ...model, price, upstreams: by, groups: [] }] };
    expect(done(sold)).toEqual(["price"]);
    expect(done({ ...sold, models: [{ ...model, price: null, upstreams: by, groups: [] }] })).toEqual([]);
    const invitations = [{ id: "inv_1" }] as unknown as Known["invitations"];
    expect(done({ ...sold, invitations })).toEqual(["price", "invite"]);
  });
});
