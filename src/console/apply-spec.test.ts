import { describe, expect, test } from "bun:test";
import { NO_LIMITS } from "../domain/limits.ts";
import { houseSettings } from "../domain/settings-house.ts";
import type { Store } from "../store/store.ts";
import { readApplyFile } from "./apply-file.ts";
import { toApplySpec } from "./apply-spec.ts";
import type { Control } from "./control.ts";

let ids = 0;
const control: Control = {
  // To turn a file into a specification asks nothing of the database.
  store: {} as Store,
  nowMs: () => 0,
  newId: kind => `${kind}_${++ids}`,
  randomBytes: count => new Uint8Array(count),
  secrets: {
    lookup: new Uint8Array(32),
    seal: new Uint8Array(32),
    mark: new Uint8Array(32),
    codes: new Uint8Array(32),
    audit: new Uint8Array(32),
  },
  settings: () => houseSettings({ fixed: { sealedCopies: "off" }, stored: {} }).settings,
  fixedSettings: {},
  actor: "test",
  through: "apply",
  address: null,
};

function spec(text: string) {
  const result = readApplyFile(new TextEncoder().encode(text), {});
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  return toApplySpec(control, result.file.document, true).spec;
}

function tierOf(price: string) {
  const [tier] = spec(`models: [{ name: m, price: ${price} }]\n`).models[0]?.price?.tiers ?? [];
  return tier;
}

describe("a price that a tier leaves out", () => {
  test("is that of the base", () => {
    const base = "input: 1, output: 2, cache_read: 3, cache_write_5m: 4, cache_write_1h: 5";
    expect(tierOf(`{ ${base}, tiers: [{ above: 9, output: 7 }] }`)).toEqual({
      aboveTokens: 9,
      inputPicos: 1_000_000n,
      cacheReadPicos: 3_000_000n,
      cacheWrite5mPicos: 4_000_000n,
      cacheWrite1hPicos: 5_000_000n,
      outputPicos: 7_000_000n,
    });
  });

  test("is the tier's own input price for cached tokens, where the base has none either", () => {
    expect(tierOf("{ input: 1, cache_read: 0, tiers: [{ above: 9, input: 6 }] }")).toEqual({
      aboveTokens: 9,
      inputPicos: 6_000_000n,
      cacheReadPicos: 0n,
      cacheWrite5mPicos: 6_000_000n,
      cacheWrite1hPicos: 6_000_000n,
      outputPicos: 0n,
    });
  });
});

describe("what is left out", () => {
  test("of an upstream is what its kind is known to have", () => {
    const { upstreams } = spec(`
upstreams:
  - { name: a, kind: deepseek, models: [m] }
  - { name: b, kind: ollama, base_url: "http://10.0.0.2:11434", speaks: [chat], models: [m] }
`);
    expect(upstreams[0]).toMatchObject({ baseUrl: "https://api.deepseek.com", speaks: ["chat", "messages"] });
    expect(upstreams[1]).toMatchObject({ baseUrl: "http://10.0.0.2:11434", speaks: ["chat"] });
  });

  test("has no limits on a group or key, and is left alone on an account", () => {
    const { groups, keys, accounts } = spec(`
groups: [{ name: g, models: [] }]
accounts: [{ email: a@b.c }, { email: d@e.f, limits: {}, subscriptions: [] }]
keys: [{ account: a@b.c, name: k, group: g }]
`);
    expect(groups[0]?.limits).toEqual(NO_LIMITS);
    expect(keys[0]).toMatchObject({ ...NO_LIMITS, quota: null, expiresAtMs: null });
    expect(accounts[0]).toMatchObject({ limits: null, subscriptions: null });
    expect(accounts[1]).toMatchObject({ limits: NO_LIMITS, subscriptions: [] });
  });

  test("of a map of limits is off", () => {
    const { accounts } = spec("accounts: [{ email: a@b.c, limits: { spend_per_week: 2 } }]\n");
    expect(accounts[0]?.limits).toEqual({ ...NO_LIMITS, spendPerWeek: 2_000_000_000n });
  });
});
