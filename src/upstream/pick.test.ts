import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Upstream } from "../domain/catalogue.ts";
import { type PickFor, pickUpstream } from "./pick.ts";

function upstream(name: string, given: Partial<Upstream> = {}): Upstream {
  return {
    id: `ups_${name}`,
    name,
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
    ...given,
  };
}

/** The same draws on every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

const ASKED: PickFor = {
  model: "m",
  operation: "chat",
  random: () => 0,
  health: null,
  nowMs: 0,
  affinity: null,
  tried: [],
};

function picking(upstreams: readonly Upstream[], asked: Partial<PickFor> = {}) {
  return pickUpstream(upstreams, { ...ASKED, ...asked });
}

const pick = (upstreams: readonly Upstream[], random: () => number = () => 0) =>
  picking(upstreams, { random })?.upstream.name ?? null;

describe("nobody is picked who", () => {
  test("does not have the model under its public name", () => {
    expect(pick([])).toBeNull();
    expect(pick([upstream("a", { models: new Map() })])).toBeNull();
    expect(pick([upstream("a", { models: new Map([["public", "m"]]) })])).toBeNull();
    expect(pick([upstream("a", { models: new Map([["other", "m"]]) }), upstream("b")])).toBe("b");
  });

  test("is paused, and it is not asked in an emergency either", () => {
    const paused = upstream("a", { isPaused: true });
    expect(pick([paused])).toBeNull();
    expect(pick([paused, upstream("b", { priority: 9 })])).toBe("b");
  });

  test("speaks no dialect at all", () => {
    expect(pick([upstream("a", { speaks: [] })])).toBeNull();
    expect(pick([upstream("a", { speaks: [], priority: -1 }), upstream("b")])).toBe("b");
  });
});

describe("an upstream of another dialect", () => {
  const foreign = upstream("foreign", { speaks: ["messages"], weight: 1_000 });

  test("is asked in its own, where nobody speaks the client's", () => {
    const picked = picking([foreign]);
    expect(picked).toEqual({ upstream: foreign, dialect: "messages", credential: null });
  });

  test("comes after its equals that speak the client's, and before those of a higher number", () => {
    const native = upstream("native");
    expect(pick([foreign, native])).toBe("native");
    expect(pick([foreign, upstream("native", { priority: 1 })])).toBe("foreign");
  });

  test("is asked in the one of its dialects that loses least", () => {
    const both = upstream("both", { speaks: ["chat", "responses"] });
    const picked = picking([both], { operation: "messages" });
    expect(picked?.dialect).toBe("responses");
  });

  test("is not asked for what is no conversation", () => {
    const embed = (upstreams: readonly Upstream[]) => picking(upstreams, { operation: "embeddings" });
    expect(embed([foreign])).toBeNull();
    expect(embed([upstream("openai", { speaks: ["responses"] })])?.upstream.name).toBe("openai");
  });
});

describe("the lowest priority number", () => {
  test("comes first, whatever the weights and the order", () => {
    const [low, high] = [upstream("low", { weight: 1 }), upstream("high", { priority: 1, weight: 1_000 })];
    for (const draw of [0, 0.5, 0.999999]) {
      expect(pick([low, high], () => draw)).toBe("low");
      expect(pick([high, low], () => draw)).toBe("low");
    }
  });
});

describe("equals share by weight", () => {
  test("at exact places", () => {
    const two = [upstream("a", { weight: 1 }), upstream("b", { weight: 3 })];
    const at = (draw: number) => pick(two, () => draw);
    expect([0, 0.2499, 0.25, 0.5, 0.9999].map(at)).toEqual(["a", "a", "b", "b", "b"]);
  });

  test("over many requests", () => {
    const three = [upstream("a", { weight: 1 }), upstream("b", { weight: 3 }), upstream("c", { weight: 6 })];
    const counts: Record<string, number> = {};
    const random = seeded(42);
    for (let draw = 0; draw < 10_000; draw++) {
      const name = pick([...three, upstream("d", { priority: 1, weight: 50 })], random) ?? "nobody";
      counts[name] = (counts[name] ?? 0) + 1;
    }
    expect(Object.keys(counts).sort()).toEqual(["a", "b", "c"]);
    for (const [name, share] of [
      ["a", 1_000],
      ["b", 3_000],
      ["c", 6_000],
    ] as const) {
      expect(Math.abs((counts[name] ?? 0) - share)).toBeLessThan(200);
    }
  });

  test("a weight of zero gets nothing while another has some", () => {
    const some = [
      upstream("none", { weight: 0 }),
      upstream("all", { weight: 1 }),
      upstream("nil", { weight: 0 }),
    ];
    const random = seeded(7);
    for (let draw = 0; draw < 1_000; draw++) expect(pick(some, random)).toBe("all");
  });
});

test("whenever somebody can serve it, somebody of the first priority is picked", () => {
  const rows = fc.array(
    fc.record({
      priority: fc.integer({ min: -3, max: 3 }),
      weight: fc.nat({ max: 100 }),
      able: fc.boolean(),
    }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(rows, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (given, draw) => {
      const all = given.map(({ able, ...row }, place) =>
        upstream(String(place), { ...row, ...(able ? {} : { models: new Map() }) }),
      );
      const able = given.filter(row => row.able);
      const picked = picking(all, { random: () => draw });
      expect(picked?.upstream.priority).toBe(
        able.length === 0 ? undefined : Math.min(...able.map(row => row.priority)),
      );
      if (picked !== null) expect(picked.upstream.models.has("m")).toBe(true);
    }),
  );
});
