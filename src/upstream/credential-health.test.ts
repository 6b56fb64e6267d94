import { beforeEach, describe, expect, test } from "bun:test";
import type { Credential, Upstream } from "../domain/catalogue.ts";
import type { Id } from "../domain/ids.ts";
import { type Failure, type HealthChange, type Place, UpstreamHealth } from "./health.ts";
import { pickUpstream } from "./pick.ts";
import { pickCredential } from "./pick-credential.ts";

/** What is held against a credential, and which one is taken. */

const REFUSED: Failure = { why: "status 401", retryAfterMs: null, isCredential: true };
const FORBIDDEN: Failure = { ...REFUSED, why: "status 403", isForModel: true };
const SLOWER: Failure = { why: "status 429", retryAfterMs: 4_000, isCredential: false, isThrottle: true };
const NOW_MS = 1_000_000;

const credentials: Credential[] = ["a", "b", "c"].map(name => {
  return { id: `crd_${name}` as const, sealed: new Uint8Array() };
});

const upstream: Upstream = {
  ...{ id: "ups_1", name: "up", kind: "openai-compatible", baseUrl: "https://api.example.org/v1" },
  ...{ speaks: ["chat"], credentials, priority: 0, weight: 1 },
  ...{ concurrencyMax: null, probeMinutes: null, resetAtMs: null },
  isPaused: false,
  cost: 10_000,
  models: new Map([
    ["m", "m"],
    ["n", "n"],
  ]),
};

let health: UpstreamHealth;
let changes: HealthChange[];
beforeEach(() => {
  changes = [];
  health = new UpstreamHealth({ credentialRestMs: 60_000, onChange: change => void changes.push(change) });
});

const at = (name: string, model = "m"): Place => {
  return { upstream: "ups_1", model, credential: `crd_${name}` as Id<"crd">, hasOthers: true };
};
const fails = (name: string, failure: Failure, model = "m") =>
  health.failed(at(name, model), { failure, nowMs: NOW_MS });
const taken = (model = "m", nowMs = NOW_MS, affinity: number | null = null) =>
  pickCredential(upstream, { model, health, nowMs, affinity })?.id.slice(4) ?? null;
const manyTaken = (model = "m") => new Set(Array.from({ length: 9 }, () => taken(model)));
const restOf = (model = "m", nowMs = NOW_MS) => health.restOf(upstream, model, nowMs);

describe("a credential is taken", () => {
  test("in turn where they are equally busy, and the least busy otherwise", () => {
    const seen = Array.from({ length: 9 }, () => taken());
    for (const name of ["a", "b", "c"]) expect(seen.filter(one => one === name)).toHaveLength(3);
    health.begins(at("a"), NOW_MS);
    health.begins(at("b"), NOW_MS);
    expect(manyTaken()).toEqual(new Set(["c"]));
    health.ends(at("a"));
    expect(manyTaken()).toEqual(new Set(["a", "c"]));
  });

  test("by affinity, the same each time, evenly over many, and only its own move when one goes", () => {
    const affinities = Array.from({ length: 3_000 }, (_, seed) => Bun.hash.xxHash32(`talk ${seed}`));
    const before = affinities.map(affinity => taken("m", NOW_MS, affinity));
    expect(affinities.map(affinity => taken("m", NOW_MS, affinity))).toEqual(before);
    for (const name of ["a", "b", "c"]) {
      const share = before.filter(one => one === name).length / before.length;
      expect(Math.abs(share - 1 / 3)).toBeLessThan(0.05);
    }
    fails("b", REFUSED);
    const after = affinities.map(affinity => taken("m", NOW_MS, affinity));
    expect(after).not.toContain("b");
    expect(after.filter((name, place) => name !== before[place] && before[place] !== "b")).toEqual([]);
  });
});

describe("one that is refused", () => {
  test("is out for every model, and not the upstream, and nobody else is blamed", () => {
    fails("a", REFUSED);
    for (const model of ["m", "n"]) {
      expect(manyTaken(model)).toEqual(new Set(["b", "c"]));
      expect(restOf(model)).toBeNull();
    }
    expect(health.standing("ups_1", "m")).toBeNull();
  });

  test("for one model alone is out for that model", () => {
    fails("a", FORBIDDEN);
    expect(manyTaken("m")).toEqual(new Set(["b", "c"]));
    expect(manyTaken("n")).toEqual(new Set(["a", "b", "c"]));
  });

  test("is told once, however many requests find it out", () => {
    for (let count = 0; count < 50; count++) fails("a", REFUSED);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({
      subject: { upstream: "ups_1", credential: "crd_a", model: null },
      standing: { state: "resting", why: "status 401", untilMs: NOW_MS + 60_000, isRefused: true },
    });
  });

  test("is tried by one request when its time has passed, and rests as long again where that fails", () => {
    fails("a", REFUSED);
    const laterMs = NOW_MS + 60_000;
    const isOut = () =>
      health.credentialRest({ upstream: "ups_1", credential: "crd_a" }, "m", laterMs) !== null;
    expect(isOut()).toBe(false);
    health.begins(at("a"), laterMs);
    expect(isOut()).toBe(true);
    health.failed(at("a"), { failure: REFUSED, nowMs: laterMs });
    expect(changes.at(-1)?.standing.untilMs).toBe(laterMs + 60_000);
    const lastMs = laterMs + 60_000;
    health.begins(at("a"), lastMs);
    health.answers(at("a"), lastMs);
    expect(health.credentialRest({ upstream: "ups_1", credential: "crd_a" }, "m", lastMs)).toBeNull();
    expect(changes.map(({ standing }) => standing.state)).toEqual([
      "resting",
      "trying",
      "resting",
      "trying",
      "open",
    ]);
  });

  test("leaves the upstream out when all are, until the first of them may be tried", () => {
    fails("a", REFUSED);
    fails("b", REFUSED);
    expect(restOf()).toBeNull();
    fails("c", SLOWER);
    expect(restOf()).toMatchObject({ state: "resting", untilMs: NOW_MS + 4_000 });
    expect(restOf("n")).toBeNull();
    expect(taken()).toBe("c");
    const other: Upstream = { ...upstream, id: "ups_2", name: "other", priority: 5, credentials: [] };
    const asked = {
      operation: "chat",
      random: () => 0,
      health,
      nowMs: NOW_MS,
      affinity: null,
      tried: [],
    } as const;
    expect(pickUpstream([upstream, other], { ...asked, model: "m" })?.upstream.name).toBe("other");
    expect(pickUpstream([upstream, other], { ...asked, model: "n" })?.upstream.name).toBe("up");
  });

  test("is forgotten at a reset, and what other upstreams did is not", () => {
    fails("a", REFUSED);
    const elsewhere: Place = { upstream: "ups_2", model: "m", credential: "crd_z", hasOthers: false };
    health.failed(elsewhere, { failure: REFUSED, nowMs: NOW_MS });
    health.reset("ups_1", NOW_MS);
    expect(manyTaken()).toEqual(new Set(["a", "b", "c"]));
    expect(changes.at(-1)).toMatchObject({
      subject: { credential: "crd_a" },
      standing: { state: "open", why: "reset by the operator" },
    });
    expect(health.credentialRest({ upstream: "ups_2", credential: "crd_z" }, "m", NOW_MS)).not.toBeNull();
  });
});

describe("one that asked for too much", () => {
  test("is left alone for as long as it is told, for this model", () => {
    fails("a", SLOWER);
    expect(manyTaken("m")).toEqual(new Set(["b", "c"]));
    expect(manyTaken("n")).toEqual(new Set(["a", "b", "c"]));
    expect(taken("m", NOW_MS + 4_000)).not.toBeNull();
    expect(changes[0]?.standing).toMatchObject({ untilMs: NOW_MS + 4_000, isAskedFor: true });
  });

  test("rests a moment where nothing was asked for and there are others; alone, it is the upstream's matter", () => {
    const failure = { ...SLOWER, retryAfterMs: null };
    fails("a", failure);
    expect(manyTaken("m")).toEqual(new Set(["b", "c"]));
    expect(changes[0]?.standing).toMatchObject({ untilMs: NOW_MS + 1_000, isAskedFor: false });
    const alone: Place = { ...at("b"), hasOthers: false };
    health.failed(alone, { failure, nowMs: NOW_MS });
    expect(health.credentialRest({ upstream: "ups_1", credential: "crd_b" }, "m", NOW_MS)).toBeNull();
  });
});

describe("as many as it takes", () => {
  const small: Upstream = { ...upstream, concurrencyMax: 2 };
  const asked = {
    model: "m",
    operation: "chat",
    random: () => 0,
    nowMs: NOW_MS,
    affinity: 7,
    tried: [],
  } as const;

  test("are counted over its models and credentials, and the next upstream is taken then", () => {
    const other: Upstream = { ...upstream, id: "ups_2", name: "other", priority: 5 };
    const name = () => pickUpstream([small, other], { ...asked, health })?.upstream.name;
    health.begins(at("a", "m"), NOW_MS);
    expect(name()).toBe("up");
    health.begins(at("b", "n"), NOW_MS);
    expect(name()).toBe("other");
    expect(pickUpstream([small], { ...asked, health })).toBeNull();
    health.ends(at("b", "n"));
    expect(name()).toBe("up");
  });
});

test("a trial has passed at the first good bytes, and a cut after that is one failure like any other", () => {
  const place: Place = { upstream: "ups_1", model: "m", credential: null, hasOthers: false };
  const failure: Failure = { why: "status 500", retryAfterMs: null, isCredential: false };
  for (let count = 0; count < 5; count++) health.failed(place, { failure, nowMs: NOW_MS });
  health.begins(place, NOW_MS + 1_000);
  expect(health.rest("ups_1", "m", NOW_MS + 1_000)?.state).toBe("trying");
  health.answers(place, NOW_MS + 1_010);
  expect(health.rest("ups_1", "m", NOW_MS + 1_010)).toBeNull();
  health.failed(place, { failure, nowMs: NOW_MS + 60_000 });
  expect(health.rest("ups_1", "m", NOW_MS + 60_000)).toBeNull();
});
