import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Id } from "../../domain/ids.ts";
import { NO_USAGE } from "../../domain/usage.ts";
import { moveBalance } from "../accounts.ts";
import { enableKey } from "../keys.ts";
import { ask, Bank, newId, settle, time } from "./bank.case.ts";

type Move = { do: "credit" | "debit"; nanos: number };
type Step =
  | { do: "admit"; key: number; nanos: number }
  | { do: "settle" | "void" | "checkpoint"; pick: number; cost: number }
  | Move
  | { do: "toggle"; key: number; enabled: boolean }
  | { do: "crash" }
  | { do: "wait"; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("admit" as const), key: fc.nat(2), nanos: fc.nat(60) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("settle" as const, "void" as const, "checkpoint" as const),
      pick: fc.nat(20),
      cost: fc.integer({ min: -10, max: 120 }),
    }),
  },
  fc.record({
    do: fc.constantFrom("credit" as const, "debit" as const),
    nanos: fc.integer({ min: 1, max: 80 }),
  }),
  fc.record({ do: fc.constant("toggle" as const), key: fc.nat(2), enabled: fc.boolean() }),
  fc.record({ do: fc.constant("crash" as const) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(30_000) }),
);

describe("any order of things", () => {
  test("never overspends a pocket, loses a charge or lets the books disagree", async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), play), { numRuns: 60 });
  }, 60_000);
});

async function play(steps: readonly Step[]): Promise<void> {
  const house = await new Bank().open();
  await house.account("ann@example.org", 100n);
  const names = ["quota", "rate", "plain"];
  const keys = [
    await house.key("ann@example.org", "quota", { quota: 70n }),
    await house.key("ann@example.org", "rate", { requestsPerMinute: 4, concurrency: 2 }),
    await house.key("ann@example.org", "plain"),
  ];
  let open: Id<"req">[] = [];
  for (const next of steps) {
    if (next.do === "admit") {
      const { command, id } = ask(names[next.key] ?? "", BigInt(next.nanos));
      if (house.run(command)[0]?.admitted) open.push(id);
    } else if (next.do === "crash") {
      house.restart();
      open = [];
    } else if (next.do === "wait") time.nowMs += next.ms;
    else if (next.do === "toggle")
      await enableKey(house.tx, { id: keys[next.key] ?? "", enabled: next.enabled });
    else if ("nanos" in next) await move(house, next);
    else {
      const id = open[next.pick % Math.max(1, open.length)];
      if (id === undefined) continue;
      if (next.do === "checkpoint") {
        const cost = BigInt(Math.max(0, next.cost));
        house.run({ do: "checkpoint", checkpoint: { id, usage: NO_USAGE, cost } });
      } else house.run(settle(id, BigInt(next.cost), next.do === "void" ? "voided" : "settled"));
    }
    const { balance, held } = house.balance("ann@example.org");
    expect(balance).toBeGreaterThanOrEqual(held);
    expect(await house.findings()).toEqual([]);
  }
  house.restart();
  expect(house.balance("ann@example.org").held).toBe(0n);
  expect(await house.findings()).toEqual([]);
  house.db.close();
}

async function move(house: Bank, next: Move): Promise<void> {
  const amount = BigInt(next.do === "credit" ? next.nanos : -next.nanos);
  const line = {
    email: "ann@example.org",
    ledgerId: newId("led"),
    why: "test",
    actor: "test",
    nowMs: time.nowMs,
  };
  // A debit beyond what is free is refused, and then nothing has moved.
  await moveBalance(house.tx, { ...line, amount }).catch(() => undefined);
}
