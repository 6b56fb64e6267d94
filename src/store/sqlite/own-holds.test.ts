import { edenGC, fullGC, heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { Id } from "../../domain/ids.ts";
import type { OpenHold } from "../ledger.ts";
import { OwnHolds } from "./own-holds.ts";

function holdOf(number: number): OpenHold {
  const id: Id<"req"> = `req_${number}`;
  const rest = { hold: 1n, multiplier: 10_000, pocket: "balance", windows: [] } as const;
  return { id, keyId: "key_1", ...rest, inputTokensGuessed: 1, model: "m", tool: "" };
}

/** What a batch wrote that made these holds and resolved those. */
function written(made: readonly OpenHold[], resolved: readonly OpenHold[]) {
  return { inserts: made.map(hold => ({ hold })), updates: resolved.map(({ id }) => ({ end: { id } })) };
}

test("a hold is known from its commit until it is resolved, whatever came and went meanwhile", () => {
  const own = new OwnHolds();
  const long = holdOf(0);
  own.remember(written([long], []));
  let before: OpenHold[] = [];
  for (let batch = 0; batch < 40; batch += 1) {
    const made = Array.from({ length: 10 }, (_, at) => holdOf(1 + batch * 10 + at));
    own.remember(written(made, before));
    for (const { id } of before) expect(own.get(id)).toBeUndefined();
    for (const hold of made) expect(own.get(hold.id)).toBe(hold);
    expect(own.get(long.id)).toBe(long);
    before = made;
  }
  own.remember(written([], [long]));
  expect(own.get(long.id)).toBeUndefined();
  own.forget();
  for (const { id } of before) expect(own.get(id)).toBeUndefined();
});

test("what was resolved is not kept in memory by what came after it", () => {
  const BATCHES = 400;
  const PER_BATCH = 50;
  const BATCHES_PER_SEARCH = 20;
  const own = new OwnHolds();
  fullGC();
  const before = heapStats().objectTypeCounts["ArrayBuffer"] ?? 0;
  let last: OpenHold[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    // Something that can be counted.
    const made = Array.from({ length: PER_BATCH }, (_, at) =>
      Object.assign(holdOf(batch * PER_BATCH + at), { bytes: new ArrayBuffer(8) }),
    );
    own.remember(written(made, last));
    last = made;
    if (batch % BATCHES_PER_SEARCH === 0) edenGC();
  }
  const kept = (heapStats().objectTypeCounts["ArrayBuffer"] ?? 0) - before;
  // Those that were there at a search, and what has been made since the last: 4,000. Of one old map, all 20,000.
  expect(kept).toBeLessThan((BATCHES * PER_BATCH) / 3);
});
