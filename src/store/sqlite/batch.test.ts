import { beforeEach, describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../domain/usage.ts";
import { enableAccount } from "../accounts.ts";
import { deleteKey, enableKey } from "../keys.ts";
import { ask, Bank, reason, settle, time } from "./bank.case.ts";

let bank: Bank;
beforeEach(async () => {
  bank = await new Bank().open();
  await bank.account("ann@example.org", 100n);
});

describe("a hold", () => {
  test("of 60 out of 100 leaves 40, is settled at 25, and 75 are left", async () => {
    await bank.key("ann@example.org", "laptop");
    const { command, id } = ask("laptop", 60n);
    expect(bank.run(command).map(reason)).toEqual(["admitted"]);
    expect(bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 60n });
    bank.run(settle(id, 25n));
    expect(bank.balance("ann@example.org")).toEqual({ balance: 75n, held: 0n });
    const line = bank.one("select kind, amount, usage_id from ledger where kind = 'charge'");
    expect(line).toEqual({ kind: "charge", amount: -25n, usage_id: id });
    expect(await bank.findings()).toEqual([]);
  });

  test("is resolved once: a second settlement, or one after a void, changes nothing", async () => {
    await bank.key("ann@example.org", "laptop");
    const { command, id } = ask("laptop", 60n);
    bank.run(command);
    bank.run(settle(id, 25n), settle(id, 60n));
    bank.run(settle(id, 60n, "voided"), settle(id, 60n));
    expect(bank.balance("ann@example.org")).toEqual({ balance: 75n, held: 0n });
    expect(await bank.findings()).toEqual([]);
  });

  test("bounds the charge: an upstream that claims more is charged the hold and marked, less than nothing is nothing", async () => {
    await bank.key("ann@example.org", "laptop");
    const greedy = ask("laptop", 30n);
    const odd = ask("laptop", 30n);
    bank.run(greedy.command, odd.command);
    bank.run(settle(greedy.id, 10n ** 18n), settle(odd.id, -5n));
    expect(bank.balance("ann@example.org")).toEqual({ balance: 70n, held: 0n });
    const marked = bank.db.query("select cost, source from usage order by id").all();
    expect(marked).toEqual([
      { cost: 30n, source: "clamped" },
      { cost: 0n, source: "clamped" },
    ]);
    expect(await bank.findings()).toEqual([]);
  });

  test("that was voided costs nothing and leaves no ledger line", async () => {
    await bank.key("ann@example.org", "laptop");
    const { command, id } = ask("laptop", 60n);
    bank.run(command);
    bank.run(settle(id, 60n, "voided"));
    expect(bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 0n });
    expect(bank.one("select count(*) as n from ledger where kind = 'charge'")).toEqual({ n: 0n });
  });
});

describe("one batch", () => {
  test("of twenty for the last cent admits exactly as many as the money pays for", async () => {
    await bank.key("ann@example.org", "laptop");
    const asked = Array.from({ length: 20 }, () => ask("laptop", 30n).command);
    const reasons = bank.run(...asked).map(reason);
    expect(reasons.filter(found => found === "admitted")).toHaveLength(3);
    expect(reasons.filter(found => found === "balance_exhausted")).toHaveLength(17);
    expect(bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 90n });
  });

  test("names the pocket that is empty: the key's quota before the balance", async () => {
    await bank.key("ann@example.org", "small", { quota: 50n });
    await bank.key("ann@example.org", "large");
    const asked = [ask("small", 40n), ask("small", 20n), ask("large", 60n), ask("large", 1n)];
    const reasons = bank.run(...asked.map(({ command }) => command)).map(reason);
    expect(reasons).toEqual(["admitted", "key_quota_exhausted", "admitted", "balance_exhausted"]);
  });

  test("sees every key of an account, and gives back what is settled within it", async () => {
    await bank.key("ann@example.org", "a");
    await bank.key("ann@example.org", "b");
    const first = ask("a", 100n);
    bank.run(first.command);
    const second = ask("b", 90n);
    expect(bank.run(settle(first.id, 10n), second.command).map(reason)).toEqual(["admitted"]);
    expect(bank.balance("ann@example.org")).toEqual({ balance: 90n, held: 90n });
  });

  test("records a refusal for a known key, and nothing for an unknown one", async () => {
    await bank.key("ann@example.org", "laptop");
    bank.run(ask("laptop", 1_000n).command, ask("nobody", 1n).command);
    const rows = bank.db.query("select state, reason, status, cost, hold from usage").all();
    expect(rows).toEqual([
      { state: "refused", reason: "balance_exhausted", status: 402n, cost: 0n, hold: 0n },
    ]);
  });
});

describe("limits", () => {
  test("five requests a minute: five at once, the sixth waits twelve seconds", async () => {
    await bank.key("ann@example.org", "laptop", { requestsPerMinute: 5 });
    const reasons = bank.run(...Array.from({ length: 6 }, () => ask("laptop", 1n).command)).map(reason);
    expect(reasons).toEqual([...Array(5).fill("admitted"), "rate_limited"]);
    time.nowMs += 11_999;
    expect(bank.run(ask("laptop", 1n).command).map(reason)).toEqual(["rate_limited"]);
    time.nowMs += 1;
    const both = bank.run(ask("laptop", 1n).command, ask("laptop", 1n).command).map(reason);
    expect(both).toEqual(["admitted", "rate_limited"]);
  });

  test("two at a time: a slot returns however a request ends", async () => {
    await bank.key("ann@example.org", "laptop", { concurrency: 2 });
    const [first, second] = [ask("laptop", 1n), ask("laptop", 1n)];
    const third = ask("laptop", 1n).command;
    expect(bank.run(first.command, second.command, third).map(reason)).toEqual([
      "admitted",
      "admitted",
      "concurrency_limited",
    ]);
    bank.run(settle(first.id, 1n), settle(second.id, 1n, "voided"));
    const again = bank.run(ask("laptop", 1n).command, ask("laptop", 1n).command);
    expect(again.map(reason)).toEqual(["admitted", "admitted"]);
    bank.restart();
    expect(bank.run(ask("laptop", 1n).command).map(reason)).toEqual(["admitted"]);
  });

  test("tokens per minute: what was guessed is put right by what was used", async () => {
    await bank.key("ann@example.org", "laptop", { tokensPerMinute: 30 });
    const first = ask("laptop", 1n);
    bank.run(first.command);
    bank.run(settle(first.id, 1n));
    expect(bank.run(ask("laptop", 1n).command).map(reason)).toEqual(["admitted"]);
    expect(bank.run(ask("laptop", 1n).command).map(reason)).toEqual(["rate_limited"]);
    time.nowMs += 60_000;
    expect(bank.run(ask("laptop", 1n).command).map(reason)).toEqual(["admitted"]);
  });
});

describe("a key's state", () => {
  test("is looked at in the same transaction: disabled, expired, deleted, its account disabled", async () => {
    const key = await bank.key("ann@example.org", "laptop", { expiresAtMs: time.nowMs + 1_000 });
    const now = () => reason(bank.run(ask("laptop", 1n).command)[0]);
    expect(now()).toBe("admitted");
    await enableKey(bank.tx, { id: key, enabled: false });
    expect(now()).toBe("key_disabled");
    await enableKey(bank.tx, { id: key, enabled: true });
    await enableAccount(bank.tx, { email: "ann@example.org", enabled: false });
    expect(now()).toBe("account_disabled");
    await enableAccount(bank.tx, { email: "ann@example.org", enabled: true });
    time.nowMs += 1_000;
    expect(now()).toBe("key_expired");
    await deleteKey(bank.tx, { id: key, nowMs: time.nowMs });
    expect(now()).toBe("key_deleted");
  });
});

describe("a killed process", () => {
  test("leaves holds that the next one resolves at the last checkpoint, never above the hold", async () => {
    await bank.key("ann@example.org", "laptop");
    const [silent, running, wild] = [ask("laptop", 20n), ask("laptop", 20n), ask("laptop", 20n)];
    bank.run(silent.command, running.command, wild.command);
    const usage = { ...NO_USAGE, input: 10, output: 3 };
    bank.run(
      { do: "checkpoint", checkpoint: { id: running.id, usage, cost: 7n } },
      { do: "checkpoint", checkpoint: { id: wild.id, usage, cost: 500n } },
    );
    expect(bank.restart()).toBe(3);
    expect(bank.balance("ann@example.org")).toEqual({ balance: 73n, held: 0n });
    expect(bank.one("select count(*) as n from usage where state = 'interrupted'")).toEqual({ n: 3n });
    expect(bank.restart()).toBe(0);
    expect(await bank.findings()).toEqual([]);
  });

  test("that was only thought dead cannot charge again what another has resolved", async () => {
    await bank.key("ann@example.org", "laptop");
    const { command, id } = ask("laptop", 60n);
    bank.run(command);
    const thoughtDead = bank.batcher;
    bank.restart();
    expect(() => thoughtDead.run([settle(id, 60n)], () => {})).toThrow("not open any more");
    thoughtDead.run([settle(id, 60n)], () => {});
    expect(bank.balance("ann@example.org")).toEqual({ balance: 100n, held: 0n });
    expect(await bank.findings()).toEqual([]);
  });
});
