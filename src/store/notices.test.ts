import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Id } from "../domain/ids.ts";
import { NO_LIMITS } from "../domain/limits.ts";
import { NOTICE_EVENTS, type NoticeEvent } from "../domain/notice.ts";
import { changeAccounts, signOutAccount } from "./account-admin.ts";
import { addAccount, enableAccount } from "./accounts.ts";
import { applySpec } from "./apply.ts";
import type { By } from "./audit.ts";
import { tester } from "./audit-test-rig.ts";
import { Bank, newId, time } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { forgetInstance, heartbeat } from "./instances.ts";
import { createKey, deleteKey } from "./keys.ts";
import { makeReset } from "./people.ts";
import { setPassword } from "./profiles.ts";
import { startTotp } from "./second-factor.ts";
import { recordUpstreams, type UpstreamEvent, type UpstreamState } from "./upstream-record.ts";
import { changeWebhook, createWebhook } from "./webhooks.ts";

const HOUR_MS = 3_600_000;
const UPS: Id<"ups"> = "ups_1";

type Told = { event: string; about: string; webhook: string | null; recipient: string | null; data: unknown };

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  let all: Id<"whk">;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
    all = await hook(NOTICE_EVENTS);
    await bank.account("ann@example.org", 0n);
  });
  afterEach(() => bank.books.close());

  const job = <T>(work: Parameters<typeof bank.books.job<T>>[0]) => bank.books.job(work);

  async function hook(events: readonly NoticeEvent[]): Promise<Id<"whk">> {
    const made = { id: newId("whk"), name: "hook", url: "https://example.org/in", events };
    await job(tx => createWebhook(tx, { ...made, secret: new Uint8Array([1]), by: tester(time.nowMs) }));
    return made.id;
  }

  async function told(): Promise<Told[]> {
    const rows = await bank.rows("select * from deliveries order by id");
    await bank.rows("delete from deliveries");
    return rows.map(row => {
      const body = JSON.parse(String(row["body"])) as { type: string; timestamp: string; data: unknown };
      expect(body.type).toBe(String(row["event"]));
      expect(Date.parse(body.timestamp)).toBe(Number(row["created_at_ms"]));
      expect(row).toMatchObject({ state: "waiting", tries: 0n, next_at_ms: row["created_at_ms"] ?? 0n });
      const [webhook, recipient] = [row["webhook_id"], row["recipient"]] as (string | null)[];
      const { event, about } = { event: String(row["event"]), about: String(row["about"]) };
      return { event, about, webhook: webhook ?? null, recipient: recipient ?? null, data: body.data };
    });
  }

  test("a key that is made or deleted is told to each webhook that wants it, and to no other", async () => {
    const [paused, other] = [await hook(["key.created"]), await hook(["key.deleted"])];
    await job(tx => changeWebhook(tx, { id: paused, change: { enabled: false }, by: tester(time.nowMs) }));
    const id = await bank.key("ann@example.org", "laptop");
    const [account] = await bank.rows("select id from accounts");
    const data = {
      key: { id, name: "laptop", group: "default" },
      account: { id: account?.["id"], email: "ann@example.org" },
      ...{ by: "tester", through: "apply" },
    };
    expect(await told()).toEqual([{ event: "key.created", about: id, webhook: all, recipient: null, data }]);
    await job(tx => deleteKey(tx, { id, by: tester(time.nowMs) }));
    const gone = await told();
    expect(gone).toContainEqual({ event: "key.deleted", about: id, webhook: all, recipient: null, data });
    expect(gone.map(({ webhook }) => webhook).toSorted()).toEqual([all, other].toSorted());
    // Once more it changes nothing, so there is nothing to tell.
    await job(tx => deleteKey(tx, { id, by: tester(time.nowMs) }));
    expect(await told()).toEqual([]);
  });

  test("a change that is rolled back is told to nobody", async () => {
    const made = {
      ...{ ...NO_LIMITS, quota: null, expiresAtMs: null, group: "default", email: "ann@example.org" },
      ...{ hash: "h", preview: "p", sealed: null, id: newId("key"), name: "k", by: tester(time.nowMs) },
    };
    const failing = job(async tx => {
      await createKey(tx, made);
      expect(await tx.all("select id from deliveries")).toHaveLength(1);
      throw new Error("the power went");
    });
    expect(await failing.catch((error: Error) => error.message)).toBe("the power went");
    expect(await told()).toEqual([]);
  });

  test("`apply` tells the same as whoever makes the key by hand, and a dry run tells nothing", async () => {
    const secret = { hash: "h", preview: "p", sealed: null, custom: false };
    const limits = { ...NO_LIMITS, quota: null, expiresAtMs: null };
    const key = {
      ...limits,
      id: newId("key"),
      email: "ann@example.org",
      name: "k",
      group: "default",
      secret,
    };
    const none = { upstreams: [], models: [], groups: [], plans: [], accounts: [], by: tester(time.nowMs) };
    // Whoever runs a job rolls back where it says so.
    const apply = (dryRun: boolean) =>
      job(async tx => {
        const { rollback } = await applySpec(tx, { ...none, keys: [key], dryRun });
        if (rollback) throw new Error("rolled back");
      }).catch(() => undefined);
    await apply(true);
    expect(await told()).toEqual([]);
    await apply(false);
    expect(await told()).toMatchObject([
      { event: "key.created", about: key.id, data: { key: { name: "k" } } },
    ]);
    await apply(false);
    expect(await told()).toEqual([]);
  });

  test("without a webhook nothing is written, not even a mark", async () => {
    await bank.rows("delete from webhooks");
    await bank.key("ann@example.org", "laptop");
    await record({ events: [event()], states: [STATE] });
    expect(await told()).toEqual([]);
    expect(await bank.rows("select * from alerts")).toEqual([]);
  });

  describe("an operator", () => {
    let accountId: Id<"acc">;
    const self: By = { ...tester(time.nowMs), actor: "bob@example.org" };
    beforeEach(async () => {
      accountId = newId("acc");
      const made = { id: accountId, ledgerId: newId("led"), email: "bob@example.org", openingBalance: 0n };
      await job(tx => addAccount(tx, { ...made, role: "operator", by: tester(time.nowMs) }));
      expect(await told()).toEqual([]);
    });

    const byOther = async (): Promise<string[]> => {
      const found = await told();
      const actions = found.map(({ data }) => (data as { action: string }).action);
      expect(found.map(({ webhook, recipient }) => webhook ?? recipient)).toEqual(
        actions.map((_action, at) => (at % 2 === 0 ? all : "bob@example.org")),
      );
      for (const { event, about, data } of found) {
        expect({ event, about }).toEqual({ event: "operator.changed", about: accountId });
        expect(data).toMatchObject({
          operator: { email: "bob@example.org" },
          by: "tester",
          through: "apply",
        });
      }
      return actions.filter((_action, at) => at % 2 === 0);
    };
    const enable = (enabled: boolean, by: By) =>
      job(tx => enableAccount(tx, { email: "bob@example.org", enabled, by }));

    test("hears of what another one does to their account, as the webhooks do", async () => {
      const by = tester(time.nowMs);
      await enable(false, by);
      await enable(true, by);
      await job(tx => signOutAccount(tx, { accountId, by }));
      const ticket = { id: newId("tkt"), hash: "h", kind: "reset", accountId, madeBy: "tester" } as const;
      const times = { nowMs: by.nowMs, expiresAtMs: by.nowMs + 1, payload: "{}", email: null, role: null };
      await job(tx => makeReset(tx, { ...ticket, ...times, by }));
      expect((await byOther()).toSorted()).toEqual(["disable", "enable", "make reset link", "sign out"]);
      const one = { id: accountId, ledgerId: newId("led"), subscriptionId: newId("sub") };
      const change = (role: "holder" | "operator") =>
        job(tx => changeAccounts(tx, { accounts: [one], change: { what: "edit", role }, by }));
      await change("holder");
      await change("operator");
      expect(await byOther()).toEqual(["update", "update"]);
    });

    test("hears nothing of what they do themselves, nor of what is no sign-in", async () => {
      await enable(false, { ...self, actor: "bob@example.org (token deploys)", through: "token" });
      await enable(true, self);
      await job(tx => setPassword(tx, { accountId, passwordHash: "h", keepSession: null, by: self }));
      const totp = { totp: new Uint8Array([1]), step: 1, recoveryHashes: [], ticketHash: "none" };
      await job(tx => startTotp(tx, { ...totp, accountId, by: self }));
      const limits = { ...NO_LIMITS, concurrency: 3 };
      const one = { id: accountId, ledgerId: newId("led"), subscriptionId: newId("sub") };
      const edit = { what: "edit", limits } as const;
      await job(tx => changeAccounts(tx, { accounts: [one], change: edit, by: tester(time.nowMs) }));
      expect(await told()).toEqual([]);
    });

    test("is told of what is done to operators, and not of holders", async () => {
      const by = tester(time.nowMs);
      await job(tx => enableAccount(tx, { email: "ann@example.org", enabled: false, by }));
      expect(await told()).toEqual([]);
    });
  });

  const STATE: UpstreamState = {
    ...{ upstreamId: UPS, model: "m", credentialId: null, state: "resting", why: "status 500" },
    ...{ sinceMs: 100, untilMs: 1_100 },
  };
  const event = (given: Partial<UpstreamEvent> = {}): UpstreamEvent => ({
    ...{ id: newId("evt"), upstreamId: UPS, model: "m", credentialId: null },
    ...{ state: "resting", why: "status 500", atMs: 100, untilMs: 1_100, ...given },
  });
  type Recorded = { states?: UpstreamState[]; events?: UpstreamEvent[]; bootId?: Id<"boot"> };
  const record = ({ states = [], events = [], bootId = "boot_1" }: Recorded) =>
    job(tx => recordUpstreams(tx, { bootId, states, events }));

  describe("an upstream that rests", () => {
    beforeEach(async () => {
      for (const bootId of ["boot_1", "boot_2"] as const) {
        await job(tx => heartbeat(tx, { bootId, host: "h", pid: 1, pidStarted: "", seenAtMs: 0 }));
      }
      const sql = `insert into upstreams (id, name, kind, base_url, speaks, priority, weight, models)
        values ('ups_1', 'up', 'openai', null, '[]', 0, 1, '[]')`;
      await job(tx => tx.run(sql));
    });

    test("is told of once, whoever else finds it out, until it is well again everywhere", async () => {
      await record({ states: [STATE], events: [event()] });
      const data = {
        ...{ upstream: { id: UPS, name: "up" }, model: "m", why: "status 500" },
        until: new Date(1_100).toISOString(),
      };
      const once = [{ event: "breaker.opened", about: UPS, webhook: all, recipient: null, data }];
      expect(await told()).toEqual(once);
      await record({ states: [STATE], events: [event()], bootId: "boot_2" });
      await record({ states: [{ ...STATE, state: "trying" }], events: [event({ state: "trying" })] });
      await record({ states: [STATE], events: [event({ atMs: 5_000 })] });
      expect(await told()).toEqual([]);
      const well = { ...STATE, state: "open", why: null } as const;
      await record({ states: [well], events: [event({ state: "open" })] });
      await record({ states: [STATE], events: [event()] });
      expect(await told()).toEqual([]);
      await record({ states: [well] });
      await record({ states: [well], bootId: "boot_2" });
      await record({ states: [STATE], events: [event()] });
      expect(await told()).toEqual(once);
    });

    test("is told of again when an hour has changed nothing, or who left it alone is gone", async () => {
      await record({ states: [STATE], events: [event()] });
      await told();
      await record({ events: [event({ atMs: HOUR_MS + 99 })] });
      expect(await told()).toEqual([]);
      await record({ events: [event({ atMs: HOUR_MS + 100 })] });
      expect(await told()).toHaveLength(1);
      await job(tx => forgetInstance(tx, { bootId: "boot_1" }));
      const well = { ...STATE, state: "open" } as const;
      await record({ states: [well], bootId: "boot_2" });
      await record({ states: [STATE], events: [event({ atMs: HOUR_MS + 200 })], bootId: "boot_2" });
      expect(await told()).toHaveLength(1);
    });

    test("is another thing than a key of it that is refused; one that is asked too much is neither", async () => {
      const credentialId: Id<"crd"> = "crd_00000000000000000012345678";
      await record({ events: [event({ credentialId, why: "status 429" })] });
      expect(await told()).toEqual([]);
      await record({ events: [event(), event({ credentialId, model: null, why: "status 401" })] });
      expect((await told()).map(({ event: name, data }) => [name, data])).toEqual([
        ["breaker.opened", expect.objectContaining({ model: "m" })],
        [
          "credential.rejected",
          {
            upstream: { id: UPS, name: "up" },
            credential: { id: credentialId, short: "12345678" },
            ...{ why: "status 401", until: new Date(1_100).toISOString() },
          },
        ],
      ]);
    });
  });
});
