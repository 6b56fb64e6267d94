import { beforeEach, describe, expect, test } from "bun:test";
import type { Upstream } from "../domain/catalogue.ts";
import { type Place, UpstreamHealth } from "./health.ts";
import { type PickFor, pickUpstream } from "./pick.ts";

/** Who is passed over, and who is asked all the same. */

function upstream(name: string, given: Partial<Upstream> = {}): Upstream {
  return {
    ...BARE,
    id: `ups_${name}`,
    name,
    ...given,
  };
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
  models: new Map([
    ["m", "m"],
    ["n", "n"],
  ]),
};

const NOW_MS = 1_000_000;
const [a, b, c] = [upstream("a"), upstream("b"), upstream("c")];
let health: UpstreamHealth;
beforeEach(() => {
  health = new UpstreamHealth();
});

function picking(upstreams: readonly Upstream[], more: Partial<PickFor> = {}) {
  const asked: PickFor = {
    ...{ model: "m", operation: "chat", random: () => 0, health, nowMs: NOW_MS },
    ...{ affinity: null, tried: [] },
  };
  return pickUpstream(upstreams, { ...asked, ...more });
}

function nameOf(upstreams: readonly Upstream[], more: Partial<PickFor> = {}): string | null {
  const picked = picking(upstreams, more);
  return picked !== null ? picked.upstream.name : null;
}

/** Not asked for: so many failures, one after the other. */
function wearOut({ id }: Upstream, atMs = NOW_MS): void {
  const failure = { why: "status 500", retryAfterMs: null, isCredential: false };
  for (let at = 0; at < 5; at++) health.failed(place({ id }, "m"), { failure, nowMs: atMs });
}

function asksForRest({ id }: Upstream, retryAfterMs: number): void {
  const failure = { why: "status 429", retryAfterMs, isCredential: false };
  health.failed(place({ id }, "m"), { failure, nowMs: NOW_MS });
}

describe("one that rests", () => {
  test("is passed over, for this model alone, until its time", () => {
    wearOut(a);
    expect(nameOf([a, b])).toBe("b");
    expect(nameOf([a, b], { model: "n" })).toBe("a");
    expect(nameOf([a, b], { nowMs: NOW_MS + 1_000 })).toBe("a");
  });

  test("is passed over for one of a higher number, and for one of another dialect", () => {
    wearOut(a);
    expect(nameOf([a, upstream("later", { priority: 9 })])).toBe("later");
    expect(nameOf([a, upstream("foreign", { speaks: ["messages"] })])).toBe("foreign");
  });

  test("is passed over whatever the affinity", () => {
    wearOut(a);
    for (let affinity = 0; affinity < 100; affinity++) expect(nameOf([a, b], { affinity })).toBe("b");
  });

  test("is tried by one request when its time has come, while the others go elsewhere", () => {
    wearOut(a);
    const nowMs = NOW_MS + 1_000;
    expect(nameOf([a, b], { nowMs })).toBe("a");
    health.begins(place(a, "m"), nowMs);
    expect(nameOf([a, b], { nowMs })).toBe("b");
    health.succeeded(place(a, "m"), nowMs);
    expect(nameOf([a, b], { nowMs })).toBe("a");
  });
});

describe("where all of them rest", () => {
  test("the one whose rest ends first is asked all the same", () => {
    wearOut(a, NOW_MS);
    wearOut(b, NOW_MS - 500);
    wearOut(c, NOW_MS - 100);
    expect(nameOf([a, b, c])).toBe("b");
    expect(nameOf([a])).toBe("a");
  });

  test("one that asked for its rest is asked, too, where there is no other", () => {
    asksForRest(a, 7_000);
    expect(nameOf([a])).toBe("a");
    asksForRest(b, 4_000);
    expect(nameOf([a, b])).toBe("b");
  });

  test("one that did not ask for it is taken before one that did, whichever ends first", () => {
    wearOut(a);
    for (const retryAfterMs of [10, 5_000]) {
      asksForRest(b, retryAfterMs);
      expect(nameOf([a, b])).toBe("a");
      expect(nameOf([b, a])).toBe("a");
    }
  });

  test("one that is being tried is asked all the same", () => {
    wearOut(a);
    health.begins(place(a, "m"), NOW_MS);
    expect(nameOf([a])).toBe("a");
  });
});

describe("those that were tried", () => {
  test("are not asked again, whoever they are", () => {
    expect(nameOf([a, b], { tried: [a] })).toBe("b");
    expect(nameOf([a, upstream("later", { priority: 5 })], { tried: [a] })).toBe("later");
    expect(picking([a, b], { tried: [a, b] })).toBeNull();
  });

  test("are not asked again where the catalogue was read anew meanwhile", () => {
    expect(picking([{ ...a, weight: 7 }], { tried: [a] })).toBeNull();
  });

  test("are not asked although all others rest", () => {
    wearOut(b);
    expect(nameOf([a, b], { tried: [a] })).toBe("b");
    asksForRest(c, 3_000);
    expect(picking([a, c], { tried: [a] })).toBeNull();
  });
});

test("where nobody has the model, nobody is asked", () => {
  asksForRest(a, 3_000);
  expect(picking([a], { model: "unknown" })).toBeNull();
  expect(picking([])).toBeNull();
});

describe("of two that are drawn", () => {
  const drawing = (...draws: number[]) => {
    let at = 0;
    return () => draws[at++ % draws.length] ?? 0;
  };

  test("the less busy is taken, and the first where they are alike", () => {
    const random = () => drawing(0, 0.9);
    expect(nameOf([a, b], { random: random() })).toBe("a");
    health.begins(place(a, "m"), NOW_MS);
    expect(nameOf([a, b], { random: random() })).toBe("b");
    health.begins(place(b, "n"), NOW_MS);
    expect(nameOf([a, b], { random: random() })).toBe("a");
  });

  test("one of a larger weight may be busier", () => {
    const big = upstream("big", { weight: 4 });
    for (let at = 0; at < 4; at++) health.begins(place(big, "m"), NOW_MS);
    health.begins(place(a, "m"), NOW_MS);
    expect(nameOf([a, big], { random: drawing(0.9, 0) })).toBe("big");
    health.begins(place(big, "m"), NOW_MS);
    expect(nameOf([a, big], { random: drawing(0.9, 0) })).toBe("a");
  });

  test("many that never end are spread evenly", () => {
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return (state >>> 8) / 2 ** 24;
    };
    for (let at = 0; at < 900; at++) {
      const picked = picking([a, b, c], { random });
      if (picked !== null) health.begins(place(picked.upstream, "m"), NOW_MS);
    }
    for (const { id } of [a, b, c]) expect(Math.abs(health.running(id) - 300)).toBeLessThan(10);
  });
});
