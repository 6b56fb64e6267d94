import { expect, test } from "bun:test";
import { idMaker } from "../domain/ids.ts";
import type { Control } from "./control.ts";
import { keepPrices } from "./keep-prices.ts";

type Planned = { next: () => Promise<number | null>; begin: (ids: number) => { begun: number } };

function rig({ next, begin }: Planned) {
  const nowMs = () => performance.now();
  const control = {
    nowMs,
    newId: idMaker({ nowMs: () => 1, randomBytes: count => new Uint8Array(count) }),
    secrets: { audit: new Uint8Array(32) },
    store: {
      run: async (name: string, { ids, by }: { ids: string[]; by: { through: string } }) => {
        if (name === "prices.next_planned") return next();
        expect(by.through).toBe("house");
        return begin(ids.length);
      },
    },
  } as unknown as Control;
  const lines: string[] = [];
  const log = (_: string, event: string) => void lines.push(event);
  return { keeper: keepPrices({ control, log, everyMs: 10_000 }), lines };
}

test("a planned price begins when its time comes, not at the next look", async () => {
  const at = performance.now() + 150;
  let begunAt: number | null = null;
  const { keeper, lines } = rig({
    next: async () => (begunAt === null ? at : null),
    begin: () => {
      begunAt = performance.now();
      return { begun: 1 };
    },
  });
  await Bun.sleep(600);
  await keeper.stop();
  expect(begunAt ?? 0).toBeGreaterThanOrEqual(at);
  expect(begunAt ?? Number.POSITIVE_INFINITY).toBeLessThan(at + 400);
  expect(lines).toEqual(["prices.begun"]);
});

test("a database that is away is asked again later, and one that is silent holds no stop up", async () => {
  const away = rig({ next: () => Promise.reject(new Error("away")), begin: () => ({ begun: 0 }) });
  await Bun.sleep(20);
  await away.keeper.stop();
  expect(away.lines).toEqual(["prices.waiting"]);
  const silent = rig({ next: () => new Promise<null>(() => {}), begin: () => ({ begun: 0 }) });
  await Bun.sleep(20);
  const since = performance.now();
  await silent.keeper.stop();
  expect(performance.now() - since).toBeLessThan(2_000);
  expect(silent.lines).toEqual([]);
});
