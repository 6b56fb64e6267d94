import { beforeEach, describe, expect, test } from "bun:test";
import type { Id } from "../domain/ids.ts";
import { type Failure, type Place, UpstreamHealth } from "./health.ts";

const UP = "ups_a" as Id<"ups">;
const OTHER = "ups_b" as Id<"ups">;
const PLAIN: Failure = { why: "status 500", retryAfterMs: null, isCredential: false };

/** Without a credential. */
const at = (upstream: Id<"ups">, model = "m"): Place => {
  return { upstream, model, credential: null, hasOthers: false };
};

let health: UpstreamHealth;
let nowMs: number;
beforeEach(() => {
  health = new UpstreamHealth();
  nowMs = 1_000_000;
});

const isResting = (model = "m", upstream = UP) => health.rest(upstream, model, nowMs) !== null;
const begins = () => health.begins(at(UP), nowMs);
const succeeded = () => health.succeeded(at(UP), nowMs);
const standing = () => health.standing(UP, "m");

function failed(more: Partial<Failure> = {}, times = 1): void {
  for (let count = 0; count < times; count++)
    health.failed(at(UP), { failure: { ...PLAIN, ...more }, nowMs });
}

/** How long it rests from now on. */
function restMs(): number {
  return (health.rest(UP, "m", nowMs)?.untilMs ?? nowMs) - nowMs;
}

/** Its rest is over, it is tried, and fails again. */
function failsAgain(more: Partial<Failure> = {}): void {
  nowMs += restMs();
  begins();
  failed(more);
}

describe("failures in a row", () => {
  test("give it a rest at the fifth, and not before", () => {
    failed({}, 4);
    expect(isResting()).toBe(false);
    failed({ why: "status 502" });
    expect(standing()).toEqual({
      ...{ state: "resting", sinceMs: nowMs, why: "status 502" },
      ...{ untilMs: nowMs + 1_000, isAskedFor: false },
    });
    expect(isResting()).toBe(true);
  });

  test("are forgotten at a success", () => {
    failed({}, 4);
    succeeded();
    failed({}, 4);
    expect(isResting()).toBe(false);
  });

  test("rest this model of this upstream alone", () => {
    failed({}, 5);
    expect(isResting("other model")).toBe(false);
    expect(isResting("m", OTHER)).toBe(false);
  });
});

describe("a rest", () => {
  test("is over at its time, to the millisecond", () => {
    failed({}, 5);
    nowMs += 999;
    expect(isResting()).toBe(true);
    nowMs += 1;
    expect(isResting()).toBe(false);
  });

  test("is twice as long each time it fails again, up to a minute", () => {
    failed({}, 5);
    const rests = [restMs()];
    for (let at = 0; at < 8; at++) {
      failsAgain();
      rests.push(restMs());
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test("is short again once it has been well", () => {
    failed({}, 5);
    for (let at = 0; at < 4; at++) failsAgain();
    nowMs += restMs();
    begins();
    succeeded();
    failed({}, 5);
    expect(restMs()).toBe(1_000);
  });

  test("is not made longer by those that were under way when it began", () => {
    failed({}, 50);
    expect(restMs()).toBe(1_000);
    failsAgain();
    expect(restMs()).toBe(2_000);
  });

  test("is not ended by those that were under way when it began", () => {
    failed({ retryAfterMs: 30_000 });
    succeeded();
    expect(restMs()).toBe(30_000);
    nowMs += 30_000;
    begins();
    succeeded();
    expect(standing()?.state).toBe("open");
  });
});

describe("what the upstream asked for", () => {
  test("is kept to at the first failure", () => {
    failed({ why: "status 429", retryAfterMs: 7_500 });
    expect(standing()).toMatchObject({ state: "resting", why: "status 429", isAskedFor: true });
    expect(restMs()).toBe(7_500);
  });

  test("is at most ten minutes", () => {
    failed({ retryAfterMs: 86_400_000 });
    expect(restMs()).toBe(600_000);
  });

  test("does not make the next rest longer", () => {
    failed({ retryAfterMs: 7_000 });
    failsAgain({ retryAfterMs: 3_000 });
    expect(restMs()).toBe(3_000);
    failsAgain();
    expect(restMs()).toBe(1_000);
  });

  test("can be made longer while it lasts, and not shorter, and is one entry of the record", () => {
    failed({ retryAfterMs: 7_000 });
    failed({ retryAfterMs: 2_000 });
    expect(restMs()).toBe(7_000);
    failed({ why: "later", retryAfterMs: 9_000 });
    expect(restMs()).toBe(9_000);
    expect(standing()).toMatchObject({ why: "later", sinceMs: nowMs });
    expect(health.record(UP, "m")).toHaveLength(1);
  });

  test("stands above a rest that is only our guess", () => {
    failed({}, 5);
    failed({ retryAfterMs: 400 });
    expect(standing()).toMatchObject({ state: "resting", isAskedFor: true });
    expect(restMs()).toBe(400);
  });
});

describe("a refused credential", () => {
  test("is enough by itself, and rests for half a minute, then for a whole one", () => {
    failed({ why: "status 401", isCredential: true });
    expect(standing()).toMatchObject({ state: "resting", why: "status 401", isAskedFor: false });
    expect(restMs()).toBe(30_000);
    failsAgain({ isCredential: true });
    expect(restMs()).toBe(60_000);
  });
});

describe("after its rest", () => {
  beforeEach(() => {
    failed({}, 5);
    nowMs += 1_000;
  });

  test("one request tries it, and the others pass it over meanwhile", () => {
    expect(isResting()).toBe(false);
    begins();
    expect(standing()).toMatchObject({ state: "trying", sinceMs: nowMs, why: "status 500" });
    expect(isResting()).toBe(true);
    nowMs += 119_999;
    expect(isResting()).toBe(true);
  });

  test("a trial of which nobody hears anything more is over in two minutes", () => {
    begins();
    nowMs += 120_000;
    expect(isResting()).toBe(false);
    begins();
    expect(standing()).toMatchObject({ state: "trying", sinceMs: nowMs });
    expect(isResting()).toBe(true);
  });

  test("it is taken back when the trial succeeds", () => {
    begins();
    succeeded();
    expect(standing()).toEqual({
      ...{ state: "open", sinceMs: nowMs, why: null },
      ...{ untilMs: null, isAskedFor: false },
    });
    expect(isResting()).toBe(false);
    failed({}, 4);
    expect(isResting()).toBe(false);
  });

  test("one failure of the trial is enough for the next rest", () => {
    begins();
    failed({ why: "again" });
    expect(standing()).toMatchObject({ state: "resting", why: "again" });
    expect(restMs()).toBe(2_000);
  });

  test("the next request may try where nobody waited for what became of it", () => {
    begins();
    health.unheard(at(UP), nowMs);
    expect(isResting()).toBe(false);
    begins();
    expect(isResting()).toBe(true);
  });

  test("nobody having waited says nothing of one that is well or rests", () => {
    begins();
    failed();
    health.unheard(at(UP), nowMs);
    expect(restMs()).toBe(2_000);
    health.unheard(at(OTHER), nowMs);
    expect(health.standing(OTHER, "m")).toBeNull();
  });

  test("those that go there all the same, as there is no other, are one trial", () => {
    begins();
    const before = health.record(UP, "m").length;
    for (let at = 0; at < 50; at++) begins();
    expect(health.record(UP, "m")).toHaveLength(before);
  });
});

describe("statistics", () => {
  /** Failures never more than four in a row. */
  function mixed(good: number, bad: number): void {
    for (let at = 0; at < Math.max(good, bad); at++) {
      if (at < bad) failed();
      if (at < good) succeeded();
    }
  }

  test("give a rest to one that fails more than three of ten", () => {
    failed();
    for (let at = 0; at < 12; at++) succeeded();
    mixed(2, 4);
    failed();
    expect(isResting()).toBe(false);
    failed();
    expect(isResting()).toBe(true);
  });

  test("leave alone one that fails three of ten or less", () => {
    for (let round = 0; round < 40; round++) {
      mixed(7, 3);
      nowMs += 300;
    }
    expect(isResting()).toBe(false);
  });

  test("say nothing before twenty requests", () => {
    mixed(9, 10);
    expect(isResting()).toBe(false);
    failed();
    expect(isResting()).toBe(true);
  });

  test("forget what is older than two windows", () => {
    mixed(9, 10);
    nowMs += 20_000;
    mixed(9, 10);
    expect(isResting()).toBe(false);
  });

  test("begin anew once it is taken back", () => {
    mixed(9, 11);
    expect(isResting()).toBe(true);
    nowMs += 1_000;
    begins();
    succeeded();
    mixed(9, 10);
    expect(isResting()).toBe(false);
  });
});

describe("the record", () => {
  test("tells what was before, with why and since when, newest last", () => {
    const openedMs = nowMs;
    failed({}, 5);
    nowMs += 1_000;
    begins();
    nowMs += 10;
    succeeded();
    expect(health.record(UP, "m").map(({ state, sinceMs, why }) => [state, sinceMs - openedMs, why])).toEqual(
      [
        ["open", 0, null],
        ["resting", 0, "status 500"],
        ["trying", 1_000, "status 500"],
      ],
    );
    expect(standing()).toMatchObject({ state: "open", sinceMs: nowMs });
  });

  test("keeps the last twenty", () => {
    failed({}, 5);
    for (let at = 0; at < 100; at++) failsAgain({ why: `failure ${at}` });
    const record = health.record(UP, "m");
    expect(record).toHaveLength(20);
    expect(record.at(-1)).toMatchObject({ state: "trying", why: "failure 98" });
  });

  test("is empty for one that never failed, however much it did", () => {
    for (let count = 0; count < 100; count++) {
      begins();
      succeeded();
      health.ends(at(UP));
    }
    expect(standing()).toBeNull();
    expect(health.record(UP, "m")).toEqual([]);
  });
});

test("what runs is counted for the upstream, over its models, and never below nothing", () => {
  begins();
  health.begins(at(UP, "other model"), nowMs);
  expect([health.running(UP), health.running(OTHER)]).toEqual([2, 0]);
  health.ends(at(UP));
  expect(health.running(UP)).toBe(1);
  health.ends(at(UP));
  health.ends(at(UP));
  expect(health.running(UP)).toBe(0);
});
