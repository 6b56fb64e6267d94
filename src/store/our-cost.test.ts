import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ask, Bank, newId, settle } from "./bank.case.ts";
import { decodeCommands, encodeCommands } from "./command.ts";
import { databases } from "./databases.case.ts";

/** What an upstream asks of us for a request stands on its row and in the sums, beside what was charged. */

const ANN = "ann@example.org";

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
    await bank.account(ANN, 1000n);
    await bank.key(ANN, "laptop");
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  /** What a request is charged and costs us, after it was settled so. */
  const settled = async (cost: bigint, more: Parameters<typeof settle>[2] = {}) => {
    const { id, command } = ask("laptop", 100n);
    await bank.run(command);
    await bank.run(settle(id, cost, more));
    const row = await bank.one("select cost, our_cost from usage where id = ?", id);
    return [BigInt(Number(row?.["cost"])), BigInt(Number(row?.["our_cost"]))];
  };

  test("it is what was charged where nothing else is said, and what was said otherwise", async () => {
    expect(await settled(20n)).toEqual([20n, 20n]);
    expect(await settled(20n, { ourCost: 16n })).toEqual([20n, 16n]);
    expect(await settled(0n, { ourCost: 16n })).toEqual([0n, 16n]);
    const [sum] = await bank.rows(
      "select sum(cost) as cost, sum(our_cost) as our_cost from usage_sums where span = 1",
    );
    expect([Number(sum?.["cost"]), Number(sum?.["our_cost"])]).toEqual([40, 52]);
  });

  test("a request that delivered nothing costs us nothing", async () => {
    expect(await settled(0n, { state: "voided", ourCost: 16n })).toEqual([0n, 0n]);
  });

  test("a claim that is not believed is believed as far as it was charged, and none breaks the sums", async () => {
    expect(await settled(1_000n, { ourCost: 800n })).toEqual([100n, 80n]);
    expect(await settled(0n, { ourCost: 10n ** 30n })).toEqual([0n, 10n ** 14n]);
    expect(await settled(5n, { ourCost: -1n })).toEqual([5n, 0n]);
  });
});

test("on its way to the store it stays as it is, with attempts and without", () => {
  const attempts = JSON.stringify([{ upstream: "u", why: "x", ms: 1 }]);
  const commands = [
    settle(newId("req"), 5n, { ourCost: 4n }),
    settle(newId("req"), 5n, { ourCost: 2n ** 70n, attempts }),
    settle(newId("req"), 5n, { attempts }),
    settle(newId("req"), 5n),
  ];
  expect(decodeCommands(encodeCommands(commands))).toEqual(commands);
});
