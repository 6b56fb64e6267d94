import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Bring, CLAIM_MS, type Outcome } from "../src/console/deliver.ts";
import { RETRY_MS, retryAt } from "../src/console/deliver-retries.ts";
import type { ClaimedDelivery } from "../src/store/deliveries.ts";
import { eventually } from "./harness.ts";
import { newId, type Outbox, openOutbox, PLACES } from "./webhook-rig.ts";

/** What becomes of what is in the outbox: brought once, by one of several instances, and tried again where it fails. */

const DAY_MS = 86_400_000;
const GOOD: Outcome = { ok: true, status: 200, problem: null };
const BAD: Outcome = { ok: false, status: 500, problem: "The receiver fails (500)." };

test("it is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h and 12 h, more or less, and no more", () => {
  const waits = (random: number) =>
    RETRY_MS.map((_, at) => (retryAt(at + 1, { nowMs: 1_000, random: () => random }) ?? 0) - 1_000);
  expect(waits(0.5)).toEqual([5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200].map(seconds => seconds * 1_000));
  expect(waits(0)).toEqual(RETRY_MS.map(ms => ms * 0.8));
  expect(waits(1)).toEqual(RETRY_MS.map(ms => ms * 1.2));
  expect(retryAt(9, { nowMs: 0, random: () => 0.5 })).toBeNull();
  // A receiver that asks for more time has it, and no more tries for it.
  expect(retryAt(1, { nowMs: 0, random: () => 0.5, restMs: 90_000 })).toBe(90_000);
  expect(retryAt(3, { nowMs: 0, random: () => 0.5, restMs: 90_000 })).toBe(120_000);
  expect(retryAt(9, { nowMs: 0, random: () => 0.5, restMs: 90_000 })).toBeNull();
});

describe.each(PLACES)("on %s,", place => {
  let outbox: Outbox;
  beforeEach(async () => {
    outbox = await openOutbox(place);
  });
  afterEach(() => outbox.close());

  const audit = async () => {
    const filter = { by: null, noun: "webhook", name: null, fromMs: null, toMs: null };
    const entries = await outbox.store.report("audit.page", { filter, before: null, limit: 10 });
    return entries.map(({ action, actor, through, fields }) => ({ action, actor, through, fields }));
  };
  const webhooks = () => outbox.store.report("webhooks", {});

  test("exactly one of two instances brings each of 500 deliveries", async () => {
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.push(...(await outbox.fill(await outbox.webhook(name), 167)));
    expect(ids).toHaveLength(501);
    const brought: string[][] = [[], []];
    const bring =
      (at: number): Bring =>
      async row => {
        await Bun.sleep(1);
        brought[at]?.push(row.id);
        return GOOD;
      };
    for (const at of [0, 1]) outbox.start({ ...(await outbox.instance()), bring: bring(at) });
    expect(await eventually(() => brought.flat().length >= ids.length, 60_000)).toBe(true);
    // Nothing comes a second time.
    await Bun.sleep(300);
    expect(brought.flat().toSorted()).toEqual(ids.toSorted());
    expect(brought[0]?.length).toBeGreaterThan(0);
    expect(brought[1]?.length).toBeGreaterThan(0);
    const rows = (await Promise.all((await webhooks()).map(({ id }) => outbox.rows(id)))).flat();
    expect(new Set(rows.map(({ state, tries, nextAtMs }) => `${state} ${tries} ${nextAtMs}`))).toEqual(
      new Set(["delivered 1 null"]),
    );
  });

  test("what fails is tried again when its time has come, with the same name and body, and then given up", async () => {
    const webhook = await outbox.webhook();
    const [id = ""] = await outbox.fill(webhook, 1);
    const tries: ClaimedDelivery[] = [];
    const counted: string[] = [];
    outbox.start({
      ...(await outbox.instance()),
      bring: async row => {
        tries.push(row);
        return BAD;
      },
      onTried: (to, outcome) => counted.push(`${to} ${outcome}`),
    });
    for (const [at, wait] of RETRY_MS.entries()) {
      await eventually(async () => (await outbox.rows(webhook))[0]?.tries === at + 1);
      const [row] = await outbox.rows(webhook);
      expect(row).toMatchObject({ id, state: "waiting", status: 500, problem: BAD.problem, tries: at + 1 });
      expect(row?.nextAtMs).toBe(outbox.clock.nowMs + wait);
      outbox.clock.nowMs += wait - 1;
      await Bun.sleep(20);
      expect(tries).toHaveLength(at + 1);
      outbox.clock.nowMs += 1;
    }
    await eventually(async () => (await outbox.rows(webhook))[0]?.state === "given_up");
    const [row] = await outbox.rows(webhook);
    expect(row).toMatchObject({ state: "given_up", tries: 9, nextAtMs: null, problem: BAD.problem });
    expect(counted).toEqual([...RETRY_MS.map(() => "webhook failed"), "webhook given_up"]);
    expect(new Set(tries.map(one => `${one.id} ${one.body}`))).toEqual(new Set([`${id} ${row?.body}`]));
  });

  test("a process that dies over it has taken it away from nobody: another one brings it, with the same name", async () => {
    const webhook = await outbox.webhook();
    const ids = await outbox.fill(webhook, 3);
    const [dying, other] = [await outbox.instance(), await outbox.instance()];
    const claim = { by: dying.bootId, nowMs: outbox.clock.nowMs, untilMs: outbox.clock.nowMs + CLAIM_MS };
    const claimed = await dying.store.run("deliveries.claim", { ids: ids as ClaimedDelivery["id"][], claim });
    expect(claimed).toHaveLength(3);
    const brought: string[] = [];
    const bring: Bring = async row => {
      brought.push(row.id);
      return GOOD;
    };
    outbox.start({ ...other, bring });
    await Bun.sleep(50);
    expect(brought).toEqual([]);
    outbox.clock.nowMs += CLAIM_MS;
    await eventually(() => brought.length === 3);
    expect(brought.toSorted()).toEqual(ids.toSorted());
    // What the first one says afterwards is not heard any more.
    const [id] = claimed.map(row => row.id);
    const late = { id: id ?? "dlv_", ok: false, status: null, problem: "late", nextAtMs: 1 };
    await dying.store.run("deliveries.note", { claimedBy: dying.bootId, tried: [late], by: outbox.by });
    await eventually(async () => (await outbox.rows(webhook)).every(({ state }) => state === "delivered"));
  });

  test("one that is known to be gone is not waited for", async () => {
    const webhook = await outbox.webhook();
    const ids = await outbox.fill(webhook, 1);
    const [dying, other] = [await outbox.instance(), await outbox.instance()];
    const claim = { by: dying.bootId, nowMs: outbox.clock.nowMs, untilMs: outbox.clock.nowMs + CLAIM_MS };
    await dying.store.run("deliveries.claim", { ids: ids as ClaimedDelivery["id"][], claim });
    await outbox.store.run("instance.forget", { bootId: dying.bootId });
    const brought: string[] = [];
    outbox.start({
      ...other,
      bring: async row => {
        brought.push(row.id);
        return GOOD;
      },
    });
    await eventually(() => brought.length === 1);
    expect(brought).toEqual(ids);
  });

  test("a receiver that hangs keeps nobody waiting but itself", async () => {
    const [slow, fast] = [await outbox.webhook("slow"), await outbox.webhook("fast")];
    await outbox.fill(slow, 50);
    await outbox.fill(fast, 20);
    let hanging = 0;
    const released = Promise.withResolvers<void>();
    outbox.start({
      ...(await outbox.instance()),
      bring: async row => {
        if (row.webhookId !== slow) return GOOD;
        hanging += 1;
        await released.promise;
        return GOOD;
      },
    });
    await eventually(async () => (await outbox.rows(fast)).every(({ state }) => state === "delivered"));
    expect((await outbox.rows(fast)).every(({ state }) => state === "delivered")).toBe(true);
    expect(hanging).toBe(4);
    released.resolve();
    await eventually(async () => (await outbox.rows(slow)).every(({ state }) => state === "delivered"));
  });

  test("410 switches the webhook off at once, which is seen, recorded, and undone by whoever switches it on", async () => {
    const webhook = await outbox.webhook();
    await outbox.fill(webhook, 6);
    let answer: Outcome = { ok: false, status: 410, problem: "gone", isFinal: true };
    const brought: string[] = [];
    outbox.start({
      ...(await outbox.instance()),
      bring: async row => {
        brought.push(row.id);
        return answer;
      },
    });
    await eventually(async () => (await webhooks())[0]?.enabled === false);
    const count = brought.length;
    expect(count).toBeLessThanOrEqual(4);
    await Bun.sleep(50);
    expect(brought).toHaveLength(count);
    const waiting = (await outbox.rows(webhook)).filter(({ state }) => state === "waiting");
    expect(waiting.map(({ nextAtMs }) => nextAtMs)).toEqual(waiting.map(() => null));
    expect(waiting.length).toBeGreaterThan(0);
    expect((await audit())[0]).toEqual({
      ...{ action: "disable", actor: "deliveries", through: "house" },
      fields: [
        ["enabled", "true", "false"],
        ["reason", "", "its receiver answers 410 Gone"],
      ],
    });
    expect((await audit()).filter(({ action }) => action === "disable")).toHaveLength(1);
    const concerns = { nowMs: outbox.clock.nowMs, usedAfterMs: 0, low: 0n };
    const { webhooks: failing } = await outbox.store.report("overview.concerns", concerns);
    expect(failing).toMatchObject([{ id: webhook, name: "hook", isOff: true }]);
    answer = GOOD;
    const by = { ...outbox.by, nowMs: outbox.clock.nowMs };
    await outbox.store.run("webhook.change", { id: webhook, change: { enabled: true }, by });
    await eventually(async () => (await outbox.rows(webhook)).every(({ state }) => state !== "waiting"));
    expect((await webhooks())[0]).toMatchObject({ enabled: true, failingSinceMs: null });
  });

  test("five days of nothing but failure switch it off, and one success begins them anew", async () => {
    const webhook = await outbox.webhook();
    let answer = BAD;
    outbox.start({ ...(await outbox.instance()), bring: async () => answer });
    const send = async () => {
      const [id] = await outbox.fill(webhook, 1);
      await eventually(async () => (await outbox.rows(webhook)).find(one => one.id === id)?.tries === 1);
      return (await webhooks())[0];
    };
    const beganMs = outbox.clock.nowMs;
    expect(await send()).toMatchObject({ enabled: true, failingSinceMs: beganMs });
    const failing = async (afterMs: number) => {
      const concerns = { nowMs: beganMs + afterMs, usedAfterMs: 0, low: 0n };
      return (await outbox.store.report("overview.concerns", concerns)).webhooks;
    };
    expect(await failing(15 * 60_000 - 1)).toEqual([]);
    expect(await failing(15 * 60_000)).toMatchObject([{ id: webhook, sinceMs: beganMs, isOff: false }]);
    outbox.clock.nowMs = beganMs + 4 * DAY_MS;
    answer = GOOD;
    expect(await send()).toMatchObject({ enabled: true, failingSinceMs: null });
    answer = BAD;
    const againMs = outbox.clock.nowMs;
    await send();
    outbox.clock.nowMs = againMs + 5 * DAY_MS - 1;
    expect(await send()).toMatchObject({ enabled: true, failingSinceMs: againMs });
    outbox.clock.nowMs += 1;
    // A test that somebody makes is looked at by them, and switches nothing off.
    const claim = { by: "asked", nowMs: outbox.clock.nowMs, untilMs: outbox.clock.nowMs + CLAIM_MS };
    const row = await outbox.store.run("delivery.test", { webhookId: webhook, claim });
    const failed = { id: row?.id ?? "dlv_", ...BAD, nextAtMs: null };
    const by = { ...outbox.by, nowMs: outbox.clock.nowMs };
    await outbox.store.run("deliveries.note", { claimedBy: "asked", tried: [failed], isAsked: true, by });
    expect((await webhooks())[0]).toMatchObject({ enabled: true, failingSinceMs: againMs });
    expect(await send()).toMatchObject({ enabled: false, failingSinceMs: againMs });
    expect((await audit())[0]?.fields).toContainEqual(["reason", "", "nothing has arrived for five days"]);
  });

  test("a webhook that was paused gets what waited when it is on again, and nothing meanwhile", async () => {
    const webhook = await outbox.webhook();
    const ids = await outbox.fill(webhook, 2);
    const by = { ...outbox.by, nowMs: outbox.clock.nowMs };
    const turn = (enabled: boolean) =>
      outbox.store.run("webhook.change", { id: webhook, change: { enabled }, by });
    await turn(false);
    const brought: string[] = [];
    outbox.start({
      ...(await outbox.instance()),
      bring: async row => {
        brought.push(row.id);
        return GOOD;
      },
    });
    await Bun.sleep(50);
    expect(brought).toEqual([]);
    await turn(true);
    await eventually(() => brought.length === 2);
    expect(brought.toSorted()).toEqual(ids.toSorted());
  });

  test("two instances that look through the accounts tell of each that has run low once", async () => {
    await outbox.webhook();
    const emails = Array.from({ length: 30 }, (_, at) => `holder${at}@example.org`);
    for (const email of emails) {
      const by = { ...outbox.by, nowMs: outbox.clock.nowMs };
      const made = { id: newId("acc"), ledgerId: newId("led"), email, role: "holder", by } as const;
      await outbox.store.run("account.add", { ...made, openingBalance: 5n });
    }
    const told: string[] = [];
    const bring: Bring = async ({ event, body }) => {
      const { data } = JSON.parse(body) as { data: { account: { email: string } } };
      told.push(`${event} ${data.account.email}`);
      return GOOD;
    };
    outbox.start({ ...(await outbox.instance()), bring });
    outbox.start({ ...(await outbox.instance()), bring });
    const all = emails.map(email => `balance.low ${email}`).toSorted();
    await eventually(() => told.length >= all.length, 30_000);
    // Both have their turn some times over.
    for (let turn = 0; turn < 4; turn++) {
      outbox.clock.nowMs += 5_000;
      await Bun.sleep(100);
    }
    expect(told.toSorted()).toEqual(all);
  });

  test("mails go their own way, and are given up with a sentence where none can be sent", async () => {
    const put = async () => {
      const finding = {
        ...({ kind: "balance", thingId: "acc_1", period: "", level: 1, atMs: outbox.clock.nowMs } as const),
        told: { email: "bob@example.org", data: { balance_usd: "0.00" } },
      };
      await outbox.store.run("alerts.tell", { findings: [finding], mails: true, nowMs: outbox.clock.nowMs });
    };
    const own = await outbox.instance();
    await put();
    const without = outbox.start({ ...own, bring: async () => GOOD });
    const readAll = () => outbox.store.run("outbox.look", { nowMs: outbox.clock.nowMs });
    await eventually(async () => !(await readAll()).isDue);
    await without.stop();
    outbox.clock.nowMs += 1;
    await put();
    const mails: ClaimedDelivery[] = [];
    outbox.start({
      ...own,
      bring: async () => GOOD,
      mail: async row => {
        mails.push(row);
        return GOOD;
      },
    });
    await eventually(() => mails.length > 0);
    expect(mails).toMatchObject([
      { webhookId: null, webhook: null, recipient: "bob@example.org", event: "balance.low" },
    ]);
  });

  test("what is older than thirty days is forgotten, little by little, and what is younger is kept", async () => {
    // Names count up: other tests of this process have been further on in time.
    outbox.clock.nowMs += 1_000 * DAY_MS;
    const webhook = await outbox.webhook();
    await outbox.fill(webhook, 7);
    const tidy = (rowsMax = 5) =>
      outbox.store.run("deliveries.tidy", { nowMs: outbox.clock.nowMs, rowsMax, waitingMax: 100 });
    outbox.clock.nowMs += 30 * DAY_MS - 1_000;
    await tidy();
    expect(await outbox.rows(webhook)).toHaveLength(7);
    const young = await outbox.fill(webhook, 1);
    outbox.clock.nowMs += 2_000;
    expect(await tidy()).toBe(5);
    expect(await outbox.rows(webhook)).toHaveLength(3);
    expect(await tidy()).toBe(2);
    expect((await outbox.rows(webhook)).map(({ id }) => id as string)).toEqual(young);
  });

  test("of more than may wait, the oldest are given up", async () => {
    const webhook = await outbox.webhook();
    const ids = await outbox.fill(webhook, 8);
    await outbox.store.run("deliveries.tidy", { nowMs: outbox.clock.nowMs, rowsMax: 100, waitingMax: 5 });
    const rows = (await outbox.rows(webhook)).toReversed();
    expect(rows.map(({ state }) => state)).toEqual([
      ...Array<"given_up">(3).fill("given_up"),
      ...Array<"waiting">(5).fill("waiting"),
    ]);
    expect(rows.map(({ id }) => id as string)).toEqual(ids.toSorted());
    expect(rows[0]?.problem).toContain("More than 5 were waiting");
  });

  test("a webhook goes with all that was sent to it, and leaves the others theirs", async () => {
    const [webhook, other] = [await outbox.webhook(), await outbox.webhook("other")];
    await outbox.fill(webhook, 5);
    await outbox.fill(other, 1);
    const remove = () => outbox.store.run("webhook.remove", { id: webhook, rowsMax: 3, by: outbox.by });
    expect(await remove()).toMatchObject({ isDone: false });
    expect(await webhooks()).toMatchObject([{ enabled: false }, { enabled: true }]);
    expect(await remove()).toMatchObject({ isDone: true });
    expect(await remove()).toBeNull();
    expect(await outbox.rows(webhook)).toEqual([]);
    expect(await outbox.rows(other)).toHaveLength(1);
    expect((await audit())[0]).toMatchObject({
      action: "delete",
      fields: [["url", "https://example.org/…", ""]],
    });
  });
});
