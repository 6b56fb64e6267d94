import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Id } from "../domain/ids.ts";
import { Bank, newId, time } from "./bank.case.ts";
import { databases } from "./databases.case.ts";
import { forgetInstance, heartbeat } from "./instances.ts";
import type { SqlValue } from "./tx.ts";
import { upstreamTraffic } from "./upstream-health.ts";
import {
  recordUpstreams,
  type UpstreamEvent,
  type UpstreamState,
  upstreamEvents,
  upstreamStates,
} from "./upstream-record.ts";

const UPS: Id<"ups"> = "ups_1";

const STATE: UpstreamState = {
  ...{ upstreamId: UPS, model: "m", credentialId: null, state: "resting", why: "status 500" },
  ...{ sinceMs: 100, untilMs: 1_100 },
};

const event = (given: Partial<UpstreamEvent> = {}): UpstreamEvent => ({
  ...{ id: newId("evt"), upstreamId: UPS, model: "m", credentialId: null },
  ...{ state: "resting", why: "status 500", atMs: 100, untilMs: 1_100, ...given },
});

describe.each(databases)("on %s,", (_, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
    for (const bootId of ["boot_1", "boot_2"] as const) await alive(bootId);
    await bank.books.job(tx =>
      tx.run(
        `insert into upstreams (id, name, kind, base_url, speaks, priority, weight, models)
           values ('ups_1', 'up', 'openai', null, '[]', 0, 1, '[]')`,
      ),
    );
  });
  afterEach(() => bank.books.close());

  const job = <T>(work: Parameters<typeof bank.books.job<T>>[0]) => bank.books.job(work);
  const alive = (bootId: Id<"boot">) =>
    job(tx => heartbeat(tx, { bootId, host: "h", pid: 1, pidStarted: "", seenAtMs: 0 }));
  type Recorded = { states?: UpstreamState[]; events?: UpstreamEvent[]; bootId?: Id<"boot"> };
  const record = ({ states = [], events = [], bootId = "boot_1" }: Recorded) =>
    job(tx => recordUpstreams(tx, { bootId, states, events }));

  test("a state is told by each process until it is well again, or the process is gone", async () => {
    await record({ states: [STATE] });
    await record({ states: [{ ...STATE, why: "status 502" }], bootId: "boot_2" });
    await record({ states: [{ ...STATE, model: null, credentialId: "crd_1", why: "status 401" }] });
    const told = async () =>
      (await job(upstreamStates)).map(({ bootId, credentialId, why }) => [bootId, credentialId, why]);
    expect(await told()).toEqual([
      ["boot_1", "crd_1", "status 401"],
      ["boot_1", null, "status 500"],
      ["boot_2", null, "status 502"],
    ]);
    await record({ states: [{ ...STATE, state: "open", why: null }] });
    await job(tx => forgetInstance(tx, { bootId: "boot_2" }));
    expect(await told()).toEqual([["boot_1", "crd_1", "status 401"]]);
    await record({ states: [{ ...STATE, why: "again" }] });
    const [row] = await bank.rows("select count(*) as count from upstream_states where boot_id = 'boot_2'");
    expect(Number(row?.["count"])).toBe(0);
  });

  test("what became of it is kept, newest first, in bounds, and of upstreams that are there", async () => {
    const all = Array.from({ length: 620 }, (_, at) => event({ atMs: at, why: "x".repeat(5_000) }));
    await record({ events: all.slice(0, 300) });
    await record({ events: [...all.slice(300), event({ upstreamId: "ups_gone" })] });
    const read = await job(tx => upstreamEvents(tx, { upstreamId: UPS, limit: 1_000 }));
    expect(read.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 500 }, (_, at) => 619 - at));
    expect(read[0]?.why).toHaveLength(300);
    expect(await job(tx => upstreamEvents(tx, { upstreamId: null, limit: 3 }))).toHaveLength(3);
  });

  type Row = {
    model: string;
    state: string;
    reason: string | null;
    firstByteMs: number | null;
    upstream: string;
  };

  async function usage(rows: readonly (Row & { attempts?: string; multiplier?: number })[]): Promise<void> {
    const columns = [
      ...[
        "id",
        "account_id",
        "key_id",
        "group_id",
        "boot_id",
        "state",
        "reason",
        "status",
        "dialect",
        "stream",
      ],
      ...[
        "model",
        "upstream",
        "tool",
        "address",
        "started_at_ms",
        "first_byte_ms",
        "duration_ms",
        "price_id",
      ],
      ...["multiplier", "hold", "input_tokens_guessed", "input", "cache_read", "cache_write_5m"],
      ...["cache_write_1h", "output", "reasoning", "cost", "attempts"],
    ];
    const prices = await bank.rows("select id from prices");
    const price = String(prices[0]?.["id"]);
    const sql = `insert into usage (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`;
    for (const row of rows) {
      const { multiplier = 10_000 } = row;
      const cost = BigInt((100 * multiplier) / 10_000);
      const values: SqlValue[] = [
        ...[newId("req"), "acc_1", "key_1", "grp_1", "boot_1", row.state, row.reason, 200, "chat", 1],
        ...[row.model, row.upstream, "t", "a", time.nowMs, row.firstByteMs, (row.firstByteMs ?? 0) + 1_000],
        ...[price, multiplier, 0, 0, 10, 0, 0, 0, 100, 0, cost, row.attempts ?? null],
      ];
      await job(tx => tx.run(sql, ...values));
    }
  }

  test("traffic is counted by upstream and model, with the times that half and 95 of 100 stayed below", async () => {
    const good = { model: "m", state: "settled", reason: null, upstream: "up" };
    await usage([
      ...Array.from({ length: 40 }, (_, at) => ({ ...good, firstByteMs: 10 * (at + 1) })),
      { ...good, state: "voided", reason: "upstream_failed", firstByteMs: null },
      { ...good, reason: "client_left", firstByteMs: null },
      {
        ...good,
        model: "n",
        upstream: "other",
        firstByteMs: 7,
        attempts: '[{"upstream":"up","why":"x","ms":1}]',
      },
      { ...good, model: "n", upstream: "other", firstByteMs: 9, multiplier: 0 },
      { ...good, model: "n", upstream: "other", firstByteMs: 9, multiplier: 20_000 },
    ]);
    const span = { fromId: "req_", toId: "req_z", upstream: null };
    const [other, up, passed] = await job(tx => upstreamTraffic(tx, span));
    expect(up).toMatchObject({
      ...{ upstream: "up", model: "m", requests: 42, good: 40, failed: 1, passedOver: 0 },
      ...{ firstByteMsMedian: 200, firstByteMsP95: 380, streamMs: 40_000, streamTokens: 4_000 },
    });
    expect(other).toMatchObject({ upstream: "other", model: "n", requests: 3, firstByteMsMedian: 9 });
    // The price is 1,000 pico-dollars for a token of output.
    expect(other?.costs).toEqual([
      { multiplier: 0, cost: 0n, atPrice: 100n },
      { multiplier: 10_000, cost: 100n, atPrice: 100n },
      { multiplier: 20_000, cost: 200n, atPrice: 100n },
    ]);
    expect(passed).toMatchObject({ upstream: "up", model: "n", requests: 0, passedOver: 1, costs: [] });
    const only = await job(tx => upstreamTraffic(tx, { ...span, upstream: "other" }));
    expect(only.map(({ upstream }) => upstream)).toEqual(["other"]);
    expect(await job(tx => upstreamTraffic(tx, { ...span, toId: "req_0" }))).toEqual([]);
  });
});
