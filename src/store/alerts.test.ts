import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Id } from "../domain/ids.ts";
import { NO_LIMITS } from "../domain/limits.ts";
import type { NoticeEvent } from "../domain/notice.ts";
import { moveBalance } from "./accounts.ts";
import { claimSweep, levelOf, tellAlerts } from "./alerts.ts";
import { type AlertPlace, alertPage, FIRST_PLACE } from "./alerts-page.ts";
import { tester } from "./audit-test-rig.ts";
import { Bank, newId, time } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { writeProfile } from "./profiles.ts";
import { createWebhook } from "./webhooks.ts";

const USD = 1_000_000_000n;
const DAY_MS = 86_400_000;
const ANN = "ann@example.org";

test.each([
  [0n, 100n, 0],
  [79n, 100n, 0],
  [80n, 100n, 80],
  [99n, 100n, 80],
  [9_989n, 10_000n, 80],
  [9_990n, 10_000n, 100],
  [100n, 100n, 100],
  [150n, 100n, 100],
  [5n, 0n, 0],
])("%p spent of %p is told as %p percent", (spent, limit, level) => {
  expect(levelOf(spent, limit)).toBe(level);
});

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  const startMs = time.nowMs;
  beforeEach(async () => {
    time.nowMs = startMs;
    const plan = { name: "small", groups: ["subscribed"], quota: 10n * USD, window: "month" } as const;
    bank = await new Bank(await openBooks()).open([plan]);
    await hook(["balance.low", "spend.alert"]);
    await bank.account(ANN, 20n * USD);
  });
  afterEach(async () => {
    time.nowMs = startMs;
    await bank.books.close();
  });

  const job = <T>(work: Parameters<typeof bank.books.job<T>>[0]) => bank.books.job(work);
  const hook = (events: readonly NoticeEvent[]) =>
    job(tx => {
      const made = { id: newId("whk"), name: "hook", url: "https://example.org/in", events };
      return createWebhook(tx, { ...made, secret: new Uint8Array([1]), by: tester(time.nowMs) });
    });

  const WANTS = { balance: true, spend: true };
  const page = (place: AlertPlace, rows = 100) =>
    job(tx => alertPage(tx, { place, rows, nowMs: time.nowMs, wants: WANTS }));
  async function found(rows = 100) {
    const findings: Awaited<ReturnType<typeof page>>["findings"] = [];
    let place: AlertPlace | null = FIRST_PLACE;
    let pages = 0;
    while (place !== null) {
      const one: Awaited<ReturnType<typeof page>> = await page(place, rows);
      findings.push(...one.findings);
      place = one.next;
      pages += 1;
    }
    return { findings, pages };
  }
  const tell = (findings: Awaited<ReturnType<typeof found>>["findings"], mails = false) =>
    job(tx => tellAlerts(tx, { findings, mails, nowMs: time.nowMs }));

  type Data = Record<string, unknown>;
  async function told(mails = false): Promise<[event: string, to: string, data: Data][]> {
    await tell((await found()).findings, mails);
    return sent();
  }
  async function sent(): Promise<[event: string, to: string, data: Data][]> {
    const rows = await bank.rows("select * from deliveries order by id");
    await bank.rows("delete from deliveries");
    return rows.map(row => {
      const { data } = JSON.parse(String(row["body"])) as { data: Data };
      return [String(row["event"]), String(row["recipient"] ?? "webhook"), data];
    });
  }
  const levels = async () =>
    (await told()).map(([event, , data]) => [event, data["what"], data["period"], data["level"]]);

  const move = (usd: bigint) =>
    job(tx =>
      moveBalance(tx, {
        ...{ email: ANN, ledgerId: newId("led"), amount: usd * USD, why: "test", by: tester(time.nowMs) },
      }),
    );
  const choose = async (usd: bigint | null) => {
    const accountId = String((await bank.one("select id from accounts"))["id"]) as Id<"acc">;
    const lowBalance = usd === null ? null : usd * USD;
    await job(tx => writeProfile(tx, { accountId, change: { lowBalance } }));
  };
  const spend = (owner: string, period: string, usd: bigint) =>
    job(tx =>
      tx.run(
        `insert into windows (owner_id, period, start_ms, spent, held, clock_back) values (?, ?, ?, ?, 0, 0)
          on conflict (owner_id, period) do update set start_ms = excluded.start_ms, spent = excluded.spent`,
        ...[owner, period, dayOf(period), usd * USD],
      ),
    );
  const dayOf = (period: string) => {
    const date = new Date(time.nowMs);
    return period === "month"
      ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
      : Math.floor(time.nowMs / DAY_MS) * DAY_MS;
  };

  test("a balance is told of once below what its holder chose, and again after it was filled up", async () => {
    await choose(5n);
    expect(await told()).toEqual([]);
    await move(-16n);
    const [[event, to, data] = []] = await told();
    expect([event, to]).toEqual(["balance.low", "webhook"]);
    expect(data).toMatchObject({ account: { email: ANN }, balance_usd: "4.00", threshold_usd: "5.00" });
    await move(-1n);
    expect(await told()).toEqual([]);
    await move(7n);
    expect(await told()).toEqual([]);
    await move(-8n);
    expect(await told()).toHaveLength(1);
  });

  test("without a choice it is told of when nothing is left, and of whoever never had anything not at all", async () => {
    await bank.account("zero@example.org", 0n);
    await move(-19n);
    expect(await told()).toEqual([]);
    await move(-1n);
    expect(await told()).toMatchObject([
      ["balance.low", "webhook", { account: { email: ANN }, balance_usd: "0.00" }],
    ]);
    expect((await found()).findings).toEqual([]);
  });

  test("holders hear of it by e-mail where mails can be sent", async () => {
    await move(-20n);
    expect((await told(true)).map(([event, to]) => [event, to])).toEqual([
      ["balance.low", "webhook"],
      ["balance.low", ANN],
    ]);
    await bank.rows("delete from webhooks");
    await move(20n);
    await told(true);
    await move(-20n);
    expect((await told(true)).map(([, to]) => to)).toEqual([ANN]);
  });

  test("a key's quota is told of at 80 and at 100 percent, each once, and anew when it is raised", async () => {
    const id = await bank.key(ANN, "k", { quota: 10n * USD });
    const spent = (usd: bigint) => bank.rows("update keys set spent = ? where id = ?", usd * USD, id);
    await spent(7n);
    expect(await levels()).toEqual([]);
    await spent(8n);
    const [[, , data = {}] = []] = await told();
    expect(data).toMatchObject({ what: "key_quota", period: "total", level: 80, key: { id, name: "k" } });
    expect(data).toMatchObject({
      spent_usd: "8.00",
      limit_usd: "10.00",
      resets_at: null,
      account: { email: ANN },
    });
    await spent(9n);
    expect(await levels()).toEqual([]);
    await spent(10n);
    expect(await levels()).toEqual([["spend.alert", "key_quota", "total", 100]]);
    await bank.rows("update keys set quota = ? where id = ?", 20n * USD, id);
    expect(await levels()).toEqual([]);
    await spent(16n);
    expect(await levels()).toEqual([["spend.alert", "key_quota", "total", 80]]);
  });

  test("limits of a key, its group and its account are told of in each period anew", async () => {
    const id = await bank.key(ANN, "k", { ...NO_LIMITS, spendPerDay: 10n * USD });
    const byGroup = await bank.key(ANN, "of the group", { group: "first" });
    await bank.rows("update groups set spend_per_week = ? where name = 'first'", 10n * USD);
    await bank.rows("update accounts set spend_per_month = ?", 100n * USD);
    const accountId = String((await bank.one("select id from accounts"))["id"]);
    await spend(id, "day", 8n);
    await spend(accountId, "month", 100n);
    expect((await levels()).toSorted()).toEqual([
      ["spend.alert", "account_limit", "month", 100],
      ["spend.alert", "key_limit", "day", 80],
    ]);
    expect(await levels()).toEqual([]);
    // A group's week began on a Monday at some time before.
    const weekMs = 4 * DAY_MS + Math.floor((time.nowMs - 4 * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS;
    await spend(byGroup, "week", 10n);
    await bank.rows("update windows set start_ms = ? where owner_id = ?", weekMs, byGroup);
    expect(await levels()).toEqual([["spend.alert", "key_limit", "week", 100]]);
    time.nowMs += DAY_MS;
    expect(await levels()).toEqual([]);
    await spend(id, "day", 10n);
    const [[, , data = {}] = []] = await told();
    expect(data).toMatchObject({ what: "key_limit", level: 100, period: "day", key: { name: "k" } });
    expect(data["resets_at"]).toBe(new Date(dayOf("day") + DAY_MS).toISOString());
  });

  test("a subscription is told of while it lasts", async () => {
    const id = await bank.subscribe(ANN, "small", time.nowMs + 5 * DAY_MS);
    await spend(id, "month", 9n);
    const [[event, , data = {}] = []] = await told();
    expect(event).toBe("spend.alert");
    expect(data).toMatchObject({ what: "subscription", level: 80, subscription: { id, plan: "small" } });
    await spend(id, "month", 10n);
    await bank.rows("update subscriptions set until_ms = ?", time.nowMs - 1);
    expect(await levels()).toEqual([]);
  });

  test("two that look at once tell it once", async () => {
    await move(-20n);
    const [one, other] = [await found(), await found()];
    expect(one.findings).toHaveLength(1);
    await tell(one.findings);
    await tell(other.findings);
    expect(await sent()).toHaveLength(1);
    const at = { nowMs: time.nowMs, everyMs: 5_000 };
    expect(await job(tx => claimSweep(tx, at))).toBe(true);
    expect(await job(tx => claimSweep(tx, at))).toBe(false);
    expect(await job(tx => claimSweep(tx, { ...at, nowMs: at.nowMs + 4_999 }))).toBe(false);
    expect(await job(tx => claimSweep(tx, { ...at, nowMs: at.nowMs + 5_000 }))).toBe(true);
    // A clock that was far ahead must not stop the looking for good.
    expect(await job(tx => claimSweep(tx, { ...at, nowMs: at.nowMs - DAY_MS }))).toBe(true);
  });

  test("the mark and what is told are there together, or neither", async () => {
    await move(-20n);
    const { findings } = await found();
    const failing = job(async tx => {
      await tellAlerts(tx, { findings, mails: false, nowMs: time.nowMs });
      throw new Error("the power went");
    });
    await failing.catch(() => undefined);
    expect(await sent()).toEqual([]);
    expect(await told()).toHaveLength(1);
  });

  test("pages end, and each account is on one of them", async () => {
    const emails = ["b", "c", "d", "e"].map(name => `${name}@example.org`);
    for (const email of emails) {
      await bank.account(email, USD);
      await bank.rows("update accounts set balance = 0 where email = ?", email);
    }
    await move(-20n);
    const { findings, pages } = await found(2);
    expect(findings.map(({ told: one }) => one?.email ?? "").toSorted()).toEqual([ANN, ...emails]);
    // Five accounts on three pages, no keys and no windows on one each.
    expect(pages).toBe(5);
  });

  test("keys that are deleted or disabled, and accounts that are disabled, are told of no more", async () => {
    const id = await bank.key(ANN, "k", { quota: 10n * USD });
    await bank.rows("update keys set spent = ?, enabled = 0 where id = ?", 10n * USD, id);
    expect(await levels()).toEqual([]);
    await bank.rows("update keys set enabled = 1, deleted_at_ms = 1 where id = ?", id);
    expect(await levels()).toEqual([]);
    await move(-20n);
    await bank.rows("update accounts set enabled = 0");
    expect(await levels()).toEqual([]);
  });
});
