import { edenGC, fullGC, heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { refusal } from "../domain/errors.ts";
import type { Id } from "../domain/ids.ts";
import { type RunningRequest, runningRequests, type Stop } from "./running.ts";

/** A request that notes what it is told. */
class Fake implements RunningRequest {
  readonly id: Id<"req">;
  readonly keyId: Id<"key">;
  readonly model = "m";
  readonly startedAtMs = 0;
  expiresAtMs: number | null = null;
  seat = -1;
  stays = 0;
  ticks: number[] = [];
  stops: Stop[] = [];
  onTick: () => void = () => undefined;

  constructor(number: number, key = number) {
    this.id = `req_${number}`;
    this.keyId = `key_${key}`;
  }

  stop(stop: Stop): void {
    this.stops.push(stop);
  }

  stay(): void {
    this.stays += 1;
  }

  tick(nowMs: number): void {
    this.ticks.push(nowMs);
    this.onTick();
  }
}

function three() {
  const running = runningRequests();
  const all = [new Fake(1), new Fake(2, 9), new Fake(3, 9)] as const;
  for (const request of all) running.add(request);
  return { running, all };
}

test("whoever runs is counted once, and whoever left is gone, in whatever order they leave", () => {
  const { running, all } = three();
  const [first, second, third] = all;
  running.add(second);
  expect(running.count()).toBe(3);
  running.remove(first);
  running.remove(first);
  expect(running.count()).toBe(2);
  running.tick(1);
  expect(all.map(({ ticks }) => ticks)).toEqual([[], [1], [1]]);
  running.remove(second);
  running.tick(2);
  expect(all.map(({ ticks }) => ticks)).toEqual([[], [1], [1, 2]]);
  running.remove(third);
  expect(running.count()).toBe(0);
});

test("all that run when a tick begins get theirs, though some leave and others come meanwhile", () => {
  const { running, all } = three();
  const [first, second, third] = all;
  const late = new Fake(4);
  first.onTick = () => {
    running.remove(first);
    running.remove(second);
    running.add(late);
  };
  running.tick(5);
  expect([first, second, third, late].map(({ ticks }) => ticks)).toEqual([[5], [], [5], []]);
  expect(running.count()).toBe(2);
});

test("a key is named once, is found to have expired, and its requests are stopped", () => {
  const { running, all } = three();
  const [first, second, third] = all;
  expect(running.keyIds().toSorted()).toEqual(["key_1", "key_9"]);
  expect(running.anyExpired(10)).toBe(false);
  third.expiresAtMs = 10;
  expect(running.anyExpired(9)).toBe(false);
  expect(running.anyExpired(10)).toBe(true);
  const why = refusal("key_disabled");
  running.stopWhere(
    ({ keyId }) => keyId === "key_9",
    () => why,
  );
  expect(first.stops).toEqual([]);
  expect([second.stops, third.stops]).toEqual([
    [{ kind: "refused", refusal: why }],
    [{ kind: "refused", refusal: why }],
  ]);
});

test("whoever still runs after a few milliseconds is told so, once", async () => {
  const { running, all } = three();
  running.remove(all[1]);
  await Bun.sleep(60);
  expect(all.map(({ stays }) => stays)).toEqual([1, 0, 1]);
});

test("whenever it came, nobody is told so before it has run for as long", async () => {
  const running = runningRequests();
  const waitedMs: number[] = [];
  for (let number = 0; number < 30; number += 1) {
    const request = new Fake(number);
    const cameTick = performance.now();
    request.stay = () => waitedMs.push(performance.now() - cameTick);
    running.add(request);
    await Bun.sleep(1);
  }
  await Bun.sleep(60);
  expect(waitedMs).toHaveLength(30);
  // A timer may be a little early.
  expect(Math.min(...waitedMs)).toBeGreaterThan(4);
});

test("it is idle when the last has left", async () => {
  const { running, all } = three();
  let isIdle = false;
  const idle = running.idle().then(() => {
    isIdle = true;
  });
  for (const request of all) {
    await Bun.sleep(1);
    expect(isIdle).toBe(false);
    running.remove(request);
  }
  await idle;
  await runningRequests().idle();
});

test("what has left is not kept in memory by what came after it", async () => {
  const IN_FLIGHT = 64;
  const ROUNDS = 20;
  const PER_ROUND = 500;
  const running = runningRequests();
  fullGC();
  const before = heapStats().objectTypeCounts["ArrayBuffer"] ?? 0;
  const inFlight: RunningRequest[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let at = 0; at < PER_ROUND; at += 1) {
      // Something that can be counted.
      const request = Object.assign(new Fake(at), { bytes: new ArrayBuffer(8) });
      running.add(request);
      inFlight.push(request);
      const oldest = inFlight.length > IN_FLIGHT ? inFlight.shift() : undefined;
      if (oldest !== undefined) running.remove(oldest);
    }
    // Those that have just come are let go of only then.
    await Bun.sleep(15);
    edenGC();
  }
  const kept = (heapStats().objectTypeCounts["ArrayBuffer"] ?? 0) - before;
  // Of each round, those that ran at its end.
  expect(kept).toBeLessThan(1.5 * ROUNDS * IN_FLIGHT);
});
