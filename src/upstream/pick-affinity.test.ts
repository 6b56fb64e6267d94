import { describe, expect, test } from "bun:test";
import type { Upstream } from "../domain/catalogue.ts";
import { type Place, UpstreamHealth } from "./health.ts";
import { pickUpstream } from "./pick.ts";

/** Requests that begin alike go to the same upstream. */

function upstream(name: string, given: Partial<Upstream> = {}): Upstream {
  return { ...BARE, id: `ups_01jd8z6r7v0000000000000${name}`, name, ...given };
}

const place = ({ id }: Pick<Upstream, "id">, model: string): Place => {
  return { upstream: id, model, credential: null, hasOthers: false };
};

const BARE: Upstream = {
  id: "ups_",
  name: "",
  kind: "openai-compatible",
  baseUrl: "https://api.example.org/v1",
  speaks: ["chat"],
  credentials: [],
  concurrencyMax: null,
  probeMinutes: null,
  resetAtMs: null,
  isPaused: false,
  cost: 10_000,
  priority: 0,
  weight: 1,
  models: new Map([["m", "m"]]),
};

const health = new UpstreamHealth();
const COUNT = 20_000;
/** As they come: of texts that differ in little. */
const affinities = Array.from({ length: COUNT }, (_, at) => Bun.hash.xxHash32(`conversation ${at}`));

function nameOf(upstreams: readonly Upstream[], affinity: number): string {
  const picked = pickUpstream(upstreams, {
    ...{ model: "m", operation: "chat", health, nowMs: 0, affinity, tried: [] },
    random: () => {
      throw new Error("nothing is left to chance");
    },
  });
  if (picked === null) throw new Error("there is one");
  return picked.upstream.name;
}

function shares(upstreams: readonly Upstream[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const affinity of affinities) {
    const name = nameOf(upstreams, affinity);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / COUNT]));
}

const four = ["a", "b", "c", "d"].map(name => upstream(name));

describe("the same beginning", () => {
  test("goes to the same upstream, whatever their order and however busy it is", () => {
    const backwards = [...four].reverse();
    for (const affinity of affinities.slice(0, 500)) {
      const name = nameOf(four, affinity);
      const taken = four.find(one => one.name === name);
      if (taken !== undefined) health.begins(place(taken, "m"), 0);
      expect(nameOf(four, affinity)).toBe(name);
      expect(nameOf(backwards, affinity)).toBe(name);
    }
  });
});

describe("over many beginnings", () => {
  test("equals have equal shares", () => {
    const found = shares(four);
    for (const { name } of four) expect(Math.abs((found[name] ?? 0) - 0.25)).toBeLessThan(0.015);
  });

  test("shares follow the weights", () => {
    const found = shares([
      upstream("a", { weight: 1 }),
      upstream("b", { weight: 3 }),
      upstream("c", { weight: 6 }),
    ]);
    for (const [name, share] of [
      ["a", 0.1],
      ["b", 0.3],
      ["c", 0.6],
    ] as const) {
      expect(Math.abs((found[name] ?? 0) - share)).toBeLessThan(0.015);
    }
  });

  test("a weight of zero gets nothing while another has some", () => {
    expect(shares([upstream("none", { weight: 0 }), upstream("all")])).toEqual({ all: 1 });
    expect(shares([upstream("all"), upstream("none", { weight: 0 })])).toEqual({ all: 1 });
    expect(Object.values(shares([upstream("x", { weight: 0 }), upstream("y", { weight: 0 })]))).toEqual([1]);
  });
});

describe("where one leaves", () => {
  test("only its own conversations move, and to all of the others", () => {
    const left = four.slice(1);
    const moved: Record<string, number> = {};
    for (const affinity of affinities) {
      const [before, after] = [nameOf(four, affinity), nameOf(left, affinity)];
      if (before !== "a") expect(after).toBe(before);
      else moved[after] = (moved[after] ?? 0) + 1;
    }
    const all = Object.values(moved).reduce((sum, count) => sum + count, 0);
    for (const { name } of left) expect(Math.abs((moved[name] ?? 0) / all - 1 / 3)).toBeLessThan(0.03);
  });

  test("they come back when it does", () => {
    const resting = new UpstreamHealth();
    const [first] = four;
    if (first === undefined) throw new Error("there are four");
    const mine = affinities.filter(affinity => nameOf(four, affinity) === "a").slice(0, 200);
    const failure = { why: "status 429", retryAfterMs: 5_000, isCredential: false };
    resting.failed(place(first, "m"), { failure, nowMs: 0 });
    const at = (affinity: number, nowMs: number) => {
      const asked = { model: "m", operation: "chat", random: () => 0, tried: [] } as const;
      const picked = pickUpstream(four, { ...asked, health: resting, nowMs, affinity });
      return picked !== null ? picked.upstream.name : null;
    };
    for (const affinity of mine) {
      expect(at(affinity, 4_999)).not.toBe("a");
      expect(at(affinity, 5_000)).toBe("a");
    }
  });

  test("a larger weight takes from the others, and nothing moves between those", () => {
    const grown = four.map(one => (one.name === "a" ? { ...one, weight: 2 } : one));
    for (const affinity of affinities.slice(0, 5_000)) {
      const [before, after] = [nameOf(four, affinity), nameOf(grown, affinity)];
      if (after !== before) expect(after).toBe("a");
    }
  });
});

test("the beginning does not stand above the priority", () => {
  const first = upstream("first");
  for (const affinity of affinities.slice(0, 200)) {
    expect(nameOf([upstream("later", { priority: 1, weight: 100 }), first], affinity)).toBe("first");
  }
});
