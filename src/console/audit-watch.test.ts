import { describe, expect, test } from "bun:test";
import type { ChainAsked } from "../store/audit-page.ts";
import { AuditWatch } from "./audit-watch.ts";
import type { Control } from "./control.ts";

const MINUTE = 60_000;

/** A chain of so many entries, of which some may be wrong. */
function chainOf(entries: number) {
  const house = { entries, wrongAt: null as number | null, nowMs: 0, looks: [] as (number | null)[] };
  const report = async (_name: string, { from, most }: ChainAsked) => {
    const begin = from?.number ?? 0;
    house.looks.push(from?.number ?? null);
    const end = Math.min(begin + most, house.entries);
    const { wrongAt } = house;
    const isWhole = (wrongAt === null || wrongAt <= begin || wrongAt > end) && house.entries >= begin;
    return { isWhole, last: { number: end, hash: String(end) }, isAtEnd: end - begin < most };
  };
  const store = { report } as unknown as Control["store"];
  const secrets = { audit: new Uint8Array(32) } as Control["secrets"];
  return { house, watch: new AuditWatch({ store, secrets, nowMs: () => house.nowMs }) };
}

describe("the watch over the audit's chain", () => {
  test("looks at what was added since, and at no more", async () => {
    const { house, watch } = chainOf(3_000);
    expect(await watch.state()).toBe("whole");
    house.entries = 3_002;
    expect(await watch.state()).toBe("whole");
    expect(await watch.state()).toBe("whole");
    expect(house.looks).toEqual([null, 3_000, 3_002]);
  });

  test("walks through a long one in parts, and says so until it is through", async () => {
    const { house, watch } = chainOf(23_000);
    expect(await watch.state()).toBe("checking");
    expect(house.looks).toHaveLength(2);
    house.nowMs += 100 * MINUTE;
    expect(await watch.state()).toBe("checking");
    expect(await watch.state()).toBe("whole");
  });

  test("finds what was changed long ago in due time, and shows the old answer until it knows", async () => {
    const { house, watch } = chainOf(13_000);
    await watch.state();
    expect(await watch.state()).toBe("whole");
    house.wrongAt = 12_000;
    expect(await watch.state()).toBe("whole");
    house.nowMs += 2 * MINUTE;
    expect(await watch.state()).toBe("whole");
    house.nowMs += MINUTE;
    expect(await watch.state()).toBe("whole");
    expect(await watch.state()).toBe("broken");
    expect(await watch.state()).toBe("broken");
    house.wrongAt = null;
    expect(await watch.state()).toBe("whole");
  });

  test("finds a chain that has become shorter", async () => {
    const { house, watch } = chainOf(100);
    expect(await watch.state()).toBe("whole");
    house.entries = 99;
    expect(await watch.state()).toBe("broken");
  });

  test("asks once for all who ask at the same time", async () => {
    const { house, watch } = chainOf(10);
    expect(await Promise.all([watch.state(), watch.state()])).toEqual(["whole", "whole"]);
    expect(house.looks).toEqual([null]);
  });
});
