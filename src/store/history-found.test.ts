import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { NO_USAGE } from "../domain/usage.ts";
import { limitAccount } from "./account-limits.ts";
import { tester } from "./audit-test-rig.ts";
import { ask, askStream, Bank, checkpoint, extend, settle, time } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { editKey } from "./keys.ts";
import { id } from "./rows.ts";

/** What the random histories have found, told in short, so that it is never found again. */

const EMAIL = "ann@example.org";
const MIDNIGHT = Date.UTC(2027, 0, 16);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NO_KEY_LIMITS = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
const NO_SPEND = { spendPerDay: null, spendPerWeek: null, spendPerMonth: null };

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    time.nowMs = MIDNIGHT - 4 * MINUTE_MS;
    bank = await new Bank(await openBooks()).open([
      { name: "daily", groups: ["subscribed", "first"], quota: 100n, window: "day" },
    ]);
    await bank.account(EMAIL, 1_000n);
  });
  afterEach(async () => {
    expect(await bank.findings()).toEqual([]);
    await bank.books.close();
  });

  test("a stream that outlasts its period takes no more of the next than is left there", async () => {
    const sub = await bank.subscribe(EMAIL, "daily");
    await bank.key(EMAIL, "k", { group: "subscribed" });
    const stream = askStream("k", { first: 64, asked: 90 });
    await bank.run(stream.command);
    time.nowMs += 5 * MINUTE_MS;
    expect(await bank.ask(ask("k", 90n).command)).toEqual(["admitted"]);
    expect(await bank.ask(extend(stream.id, 80))).toEqual(["64 subscription_exhausted"]);
    expect(await bank.window(sub, "day")).toEqual({ spent: 0n, held: 90n });
    await bank.run(settle(stream.id, 80n, { bound: 90n }));
    expect(await bank.window(sub, "day")).toEqual({ spent: 0n, held: 90n });
    expect(await bank.one("select cost from usage where id = ?", stream.id)).toEqual({ cost: 64n });
  });

  test("a stream that grows where another machine's clock is ahead counts in the period of that clock", async () => {
    await bank.account("bob@example.org", 64n);
    const sub = await bank.subscribe("bob@example.org", "daily");
    await bank.key("bob@example.org", "k", { group: "first" });
    time.nowMs = MIDNIGHT;
    const [small, stream] = [ask("k", 40n), askStream("k", { first: 64, asked: 90 })];
    await bank.run(small.command, stream.command);
    expect(await bank.balance("bob@example.org")).toEqual({ balance: 64n, held: 64n });
    await bank.run(settle(small.id, 10n));
    time.nowMs = MIDNIGHT - MINUTE_MS;
    expect(await bank.ask(extend(stream.id, 70))).toEqual(["70 held"]);
    expect(await bank.window(sub, "day")).toEqual({ spent: 10n, held: 70n });
    const row = await bank.one("select start_ms, clock_back from windows where owner_id = ?", sub);
    expect(row).toEqual({ start_ms: BigInt(MIDNIGHT), clock_back: 0n });
  });

  test("a subscription gets its hold back though the key was moved to a group that the balance pays", async () => {
    const sub = await bank.subscribe(EMAIL, "daily");
    const key = await bank.key(EMAIL, "k", { group: "subscribed" });
    const { command, id: request } = ask("k", 60n);
    await bank.run(command);
    const group = await bank.one("select id from groups where name = 'default'");
    const edit = { ...NO_KEY_LIMITS, ...NO_SPEND, quota: null, expiresAtMs: null };
    await bank.books.job(tx => editKey(tx, { ...edit, id: key, groupId: id("grp", group["id"]) }));
    await bank.run(ask("k", 1n).command);
    await bank.run(settle(request, 25n));
    expect(await bank.window(sub, "day")).toEqual({ spent: 25n, held: 0n });
    expect(await bank.balance(EMAIL)).toEqual({ balance: 1_000n, held: 1n });
  });

  test("a clock that is set back twice to the same millisecond mixes up no holds", async () => {
    time.nowMs = MIDNIGHT - DAY_MS / 2;
    const key = await bank.key(EMAIL, "k", { spendPerDay: 200n });
    const asked = [1n, 2n, 4n, 8n, 16n].map(nanos => ask("k", nanos));
    for (const [place, { command }] of asked.entries()) {
      expect(await bank.ask(command)).toEqual(["admitted"]);
      time.nowMs += place % 2 === 0 ? DAY_MS : -DAY_MS;
    }
    for (const { id: request } of asked) await bank.run(settle(request, 0n));
    expect((await bank.window(key, "day")).held).toBe(0n);
  });

  test("an upstream that claims two thousand million tokens is believed for an hour, and breaks nothing", async () => {
    await bank.key(EMAIL, "k", { tokensPerMinute: 1 });
    const limits = { ...NO_KEY_LIMITS, ...NO_SPEND, tokensPerMinute: 1 };
    await bank.books.job(tx => limitAccount(tx, { email: EMAIL, limits, by: tester(time.nowMs) }));
    const { command, id: request } = ask("k", 10n);
    await bank.run(command);
    await bank.run(settle(request, 5n, { usage: { ...NO_USAGE, input: 1e9, output: 1e9 } }));
    expect(await bank.ask(ask("k", 1n).command)).toEqual(["rate_limited"]);
    time.nowMs += 60 * MINUTE_MS;
    expect(await bank.ask(ask("k", 1n).command)).toEqual(["admitted"]);
  });

  test("a checkpoint that is beyond sense is worth the hold, one of less than nothing is worth nothing", async () => {
    await bank.key(EMAIL, "k");
    const [wild, odd] = [ask("k", 10n), ask("k", 10n)];
    await bank.run(wild.command, odd.command);
    await bank.run(checkpoint(wild.id, 10n ** 30n), checkpoint(odd.id, -5n));
    expect(await bank.findings()).toEqual([]);
    expect(await bank.restart()).toBe(2);
    expect(await bank.balance(EMAIL)).toEqual({ balance: 990n, held: 0n });
  });

  test("a stream whose subscription has ended is told so when it wants to go on", async () => {
    await bank.subscribe(EMAIL, "daily", time.nowMs + 1_000);
    await bank.key(EMAIL, "k", { group: "subscribed" });
    const stream = askStream("k", { first: 64, asked: 90 });
    await bank.run(stream.command);
    time.nowMs += 1_000;
    expect(await bank.ask(extend(stream.id, 80))).toEqual(["64 subscription_exhausted"]);
  });
});
