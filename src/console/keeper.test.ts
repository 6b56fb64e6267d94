import { expect, test } from "bun:test";
import { keep } from "./keeper.ts";

test("a round follows a round after the rest it asked for, and none once it is stopped", async () => {
  let rounds = 0;
  const kept = keep({ round: async () => (rounds++ < 3 ? 1 : 60_000), onFailure: () => {}, restMs: 60_000 });
  while (rounds < 4) await Bun.sleep(1);
  await kept.stop();
  await Bun.sleep(5);
  expect(rounds).toBe(4);
});

test("a round that fails is told, and the next one comes after the usual rest", async () => {
  const told: string[] = [];
  let rounds = 0;
  const round = async () => {
    rounds += 1;
    if (rounds === 1) throw new Error("the database is away");
    return 60_000;
  };
  const kept = keep({ round, onFailure: why => told.push(why), restMs: 1 });
  while (rounds < 2) await Bun.sleep(1);
  await kept.stop();
  expect(told).toEqual(["the database is away"]);
});

test("a rest within a round ends when it is stopped", async () => {
  const seen: boolean[] = [];
  const kept = keep({
    round: async ({ rest, isStopped }) => {
      await rest(60_000);
      seen.push(isStopped());
      return 0;
    },
    onFailure: () => {},
    restMs: 1,
  });
  await kept.stop();
  expect(seen).toEqual([true]);
});

test("who stops does not wait for a database that never answers, nor hears of what failed because of it", async () => {
  const told: string[] = [];
  const silent = Promise.withResolvers<number>();
  const kept = keep({ round: () => silent.promise, onFailure: why => told.push(why), restMs: 1 });
  await kept.stop();
  silent.reject(new Error("closed"));
  await Bun.sleep(5);
  expect(told).toEqual([]);
});
