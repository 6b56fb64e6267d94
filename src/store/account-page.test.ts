import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Id } from "../domain/ids.ts";
import { subscriptionState } from "../domain/pocket.ts";
import { accountLedger, accountPage } from "./account-page.ts";
import { accountByEmail } from "./accounts.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, Bank, settle, time } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { changeProfile } from "./profiles.ts";

const EMAIL = "ann@example.org";
const NOON = Date.UTC(2027, 0, 15, 12);
const MIDNIGHT = Date.UTC(2027, 0, 16);

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  let accountId: Id<"acc">;
  beforeEach(async () => {
    time.nowMs = NOON;
    bank = await new Bank(await openBooks()).open([
      { name: "daily", groups: ["subscribed"], quota: 100n, window: "day" },
      { name: "once", groups: ["first"], quota: 30n, window: "total" },
    ]);
    await bank.account(EMAIL, 100n);
    const account = await bank.books.job(tx => accountByEmail(tx, EMAIL));
    if (account === null) throw new Error("no account");
    accountId = account.id;
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  const page = async () => {
    const found = await bank.books.job(tx => accountPage(tx, { accountId }));
    if (found === null) throw new Error("no page");
    return found;
  };

  /** By plan: what is left, and when it fills again. */
  const states = async () => {
    const { pockets } = await page();
    return Object.fromEntries(
      pockets.subscriptions.map(one => {
        const { left, resetsAtMs, isOver } = subscriptionState(one, {
          windows: pockets.windows,
          nowMs: time.nowMs,
        });
        return [one.plan.name, [left, resetsAtMs, isOver]];
      }),
    );
  };

  async function pay(key: string, cost: bigint): Promise<Id<"req">> {
    const { id, command } = ask(key, cost);
    expect(await bank.ask(command)).toEqual(["admitted"]);
    await bank.run(settle(id, cost));
    return id;
  }

  test("the page tells what is left of each period as admission sees it", async () => {
    await bank.subscribe(EMAIL, "daily");
    await bank.subscribe(EMAIL, "once", NOON + 1_000);
    await bank.key(EMAIL, "k", { group: "subscribed" });
    await pay("k", 40n);
    const open = ask("k", 10n);
    await bank.ask(open.command);
    expect(await states()).toEqual({ daily: [50n, MIDNIGHT, false], once: [30n, null, false] });
    expect(await bank.ask(ask("k", 51n).command)).toEqual(["subscription_exhausted"]);
    await bank.run(settle(open.id, 5n));
    time.nowMs = NOON + 1_000;
    expect(await states()).toEqual({ daily: [55n, MIDNIGHT, false], once: [30n, null, true] });
    time.nowMs = MIDNIGHT;
    expect((await states())["daily"]).toEqual([100n, MIDNIGHT + 86_400_000, false]);
  });

  test("somebody who was never in the console has a page without choices", async () => {
    const fresh = await page();
    expect(fresh.person.profile).toMatchObject({
      name: "",
      passwordHash: null,
      theme: "system",
      lowBalance: null,
    });
    expect(fresh.passkeys).toEqual([]);
    await bank.books.job(tx =>
      changeProfile(tx, { accountId, change: { lowBalance: 7n, name: "Ann" }, by: tester(time.nowMs) }),
    );
    expect((await page()).person.profile).toMatchObject({ name: "Ann", lowBalance: 7n, theme: "system" });
    const none = await bank.books.job(tx => accountPage(tx, { accountId: "acc_none" }));
    expect(none).toBe(null);
  });

  test("the ledger names the plan that paid, by pages, newest first", async () => {
    await bank.subscribe(EMAIL, "daily");
    await bank.key(EMAIL, "k", { group: "subscribed" });
    await bank.key(EMAIL, "own", { group: "default" });
    const first = await pay("own", 3n);
    const second = await pay("k", 2n);
    const read = (beforeId: string | null, limit: number) =>
      bank.books.job(tx => accountLedger(tx, { accountId, beforeId, limit }));
    const lines = await read(null, 100);
    const told = lines.map(({ amount, pocket, requestId }) => [amount, pocket, requestId]);
    expect(told).toContainEqual([-3n, "balance", first]);
    expect(told).toContainEqual([-2n, "daily", second]);
    expect(told).toContainEqual([100n, "balance", null]);
    expect(told).toHaveLength(3);
    expect(lines.map(({ id }) => id)).toEqual(
      lines
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const top = await read(null, 2);
    expect([...top, ...(await read(top.at(-1)?.id ?? null, 2))]).toEqual(lines);
    await bank.account("bob@example.org", 1n);
    expect(await read(null, 100)).toEqual(lines);
  });
});
