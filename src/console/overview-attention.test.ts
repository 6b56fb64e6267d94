import { expect, test } from "bun:test";
import type { Catalogue, Upstream } from "../domain/catalogue.ts";
import { NO_LIMITS } from "../domain/limits.ts";
import type { Model } from "../domain/model.ts";
import type { HouseConcerns } from "../store/overview-attention.ts";
import type { UpstreamState } from "../store/upstream-record.ts";
import { attentionList, type Concerns } from "./overview-attention.ts";

const NOW_MS = Date.parse("2027-02-01T00:00:00Z");
const DAY_MS = 86_400_000;
const PRICE: Model["price"] = {
  ...{ id: "prc_1", inputPicos: 1n, outputPicos: 1n, cacheReadPicos: 1n, cacheWrite5mPicos: 1n },
  ...{ cacheWrite1hPicos: 1n, requestPicos: 0n, tiers: [] },
};
const UPSTREAM: Upstream = {
  ...{
    id: "ups_1",
    name: "up",
    kind: "openai",
    baseUrl: null,
    speaks: ["chat"],
    credentials: [],
    priority: 0,
  },
  ...{ weight: 1, concurrencyMax: null, probeMinutes: null, resetAtMs: null, isPaused: false, cost: 10_000 },
  models: new Map([
    ["good", "good"],
    ["unpriced", "unpriced"],
  ]),
};

function model(name: string, price: Model["price"]): [string, Model] {
  const bounds = { contextTokens: null, outputTokensMax: null, createdAtMs: 0 };
  return [name, { id: `mdl_${name}`, name, price, ...bounds }];
}

function catalogue(upstream: Partial<Upstream> = {}): Catalogue {
  return {
    revision: 1,
    upstreams: [{ ...UPSTREAM, ...upstream }],
    models: new Map([
      model("good", PRICE),
      model("unpriced", null),
      model("unserved", PRICE),
      model("unoffered", PRICE),
      model("demo", PRICE),
    ]),
    groups: new Map([
      [
        "grp_1",
        {
          ...{ id: "grp_1", name: "g", enabled: true, multiplier: 10_000, models: ["good", "un*ed", "demo"] },
          ...{ billing: "balance", limits: NO_LIMITS, description: "", accounts: null },
        },
      ],
    ]),
  };
}

const NOTHING: HouseConcerns = {
  ...{ lowAccounts: [], verified: null, lightFindings: 0, backedUpAtMs: NOW_MS, beganAtMs: 0, webhooks: [] },
};

function list(concerns: Partial<Concerns>) {
  const well: Concerns = {
    ...{ catalogue: { ...catalogue(), models: new Map() }, states: [], house: NOTHING, chain: "whole" },
    ...{ isRegistrationOpen: false, nowMs: NOW_MS },
  };
  return attentionList({ ...well, ...concerns });
}

const kinds = (concerns: Partial<Concerns>) => list(concerns).map(({ kind }) => kind);

const state = (given: Partial<UpstreamState>): UpstreamState => ({
  ...{ upstreamId: "ups_1", model: null, credentialId: null, state: "resting", why: "x", sinceMs: NOW_MS },
  ...{ untilMs: null, ...given },
});

test("where all is well there is nothing to look at", () => {
  expect(list({})).toEqual([]);
});

test("models without a price or without an upstream are named, where somebody could ask for them", () => {
  const found = list({ catalogue: catalogue() });
  expect(found.map(({ kind, name }) => [kind, name])).toEqual([
    ["model_unpriced", "unpriced"],
    ["model_unserved", "unserved"],
    ["model_unserved", "unoffered"],
  ]);
  const paused = list({ catalogue: catalogue({ isPaused: true }) });
  expect(paused.map(({ name }) => name)).toContain("good");
});

test("a refused key and a breaker are told once, since the first instance saw it, and not of a paused upstream", () => {
  const states = [
    state({ credentialId: "crd_12345678", sinceMs: NOW_MS - 1_000 }),
    state({ credentialId: "crd_12345678", sinceMs: NOW_MS - 5_000 }),
    state({ credentialId: "crd_87654321", model: "good" }),
    state({ model: "good" }),
  ];
  const found = list({ states, catalogue: { ...catalogue(), models: new Map() } });
  expect(found).toEqual([
    {
      ...{ kind: "credential_rejected", gravity: "bad", name: "up", id: "ups_1", figure: "12345678" },
      since: new Date(NOW_MS - 5_000).toISOString(),
    },
    {
      ...{ kind: "breaker_open", gravity: "warn", name: "up", id: "ups_1", figure: "good" },
      since: new Date(NOW_MS).toISOString(),
    },
  ]);
  expect(kinds({ states, catalogue: { ...catalogue({ isPaused: true }), models: new Map() } })).toEqual([]);
});

test("a broken audit and books that disagree come before all else", () => {
  const house = {
    ...{ ...NOTHING, verified: { atMs: NOW_MS - DAY_MS, findings: 3 }, backedUpAtMs: null },
    lowAccounts: [{ id: "acc_1", email: "ann@example.org", left: 500_000_000n }],
  };
  const found = list({ house, chain: "broken", isRegistrationOpen: true });
  expect(found.map(({ kind, figure }) => [kind, figure])).toEqual([
    ["books_disagree", "3"],
    ["audit_broken", null],
    ["backup_missing", null],
    ["balance_low", "0.50"],
    ["registration_open", null],
  ]);
});

test("a chain that is still being walked through is not called broken", () => {
  expect(kinds({ chain: "checking" })).toEqual([]);
});

test("a backup is missed after a week, and of a new house after a day", () => {
  const backup = (backedUpAtMs: number | null, beganAtMs: number) =>
    kinds({ house: { ...NOTHING, backedUpAtMs, beganAtMs } });
  expect(backup(null, NOW_MS - DAY_MS / 2)).toEqual([]);
  expect(backup(null, NOW_MS - 2 * DAY_MS)).toEqual(["backup_missing"]);
  expect(backup(NOW_MS - 6 * DAY_MS, 0)).toEqual([]);
  expect(backup(NOW_MS - 8 * DAY_MS, 0)).toEqual(["backup_missing"]);
});

test("a webhook that fails is something to look at, and a grave one when the house has switched it off", () => {
  const webhook = { id: "whk_1", name: "alerts", sinceMs: NOW_MS - DAY_MS };
  const webhooks = [
    { ...webhook, isOff: false },
    { ...webhook, id: "whk_2", isOff: true },
  ];
  const since = new Date(NOW_MS - DAY_MS).toISOString();
  const entry = { kind: "webhook_failing", name: "alerts", since };
  expect(list({ house: { ...NOTHING, webhooks } })).toEqual([
    { ...entry, gravity: "bad", id: "whk_2", figure: "off" },
    { ...entry, gravity: "warn", id: "whk_1", figure: null },
  ] as ReturnType<typeof list>);
});
