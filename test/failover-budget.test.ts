import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttemptedRow, type Failover, startFailover, wellAs } from "./failover-rig.ts";
import { type MockUpstream, mockUpstream } from "./harness-upstream.ts";

/** Where everything fails, trying again must not make it worse. */

const NAMES = ["a", "b", "c", "d"];
const REQUESTS = 100;
let rig: Failover;
let upstreams: MockUpstream[];
beforeAll(async () => {
  upstreams = await Promise.all(NAMES.map(() => mockUpstream(exchange => exchange.reply(500, "{}"))));
  const places = upstreams.map(({ baseUrl }, at) => ({ name: NAMES[at] ?? "", baseUrl }));
  rig = await startFailover({ places, models: ["mock"] });
});
afterAll(() => rig.stop().finally(() => Promise.all(upstreams.map(upstream => upstream.close()))));

const asked = () => upstreams.reduce((sum, { received }) => sum + received.length, 0);

test("one request asks three of four at the most, none of them twice, and few are repeated", async () => {
  const first = await rig.ask("mock");
  expect([first.status, first.error?.reason]).toEqual([502, "upstream_failed"]);
  expect(asked()).toBe(3);
  expect(Math.max(...upstreams.map(({ received }) => received.length))).toBe(1);

  for (let at = 1; at < REQUESTS; at++) {
    const { status, error } = await rig.ask("mock", { stream: at % 2 === 0 });
    expect([status, error?.reason]).toEqual([502, "upstream_failed"]);
  }
  // Those that were saved, and one for every five.
  expect(asked()).toBeGreaterThan(REQUESTS);
  expect(asked()).toBeLessThanOrEqual(REQUESTS + 20 + REQUESTS / 5);

  const rows: AttemptedRow[] = await rig.rows();
  expect(rows).toHaveLength(REQUESTS);
  for (const { attempts, upstream, state, cost } of rows) {
    expect([state, cost]).toEqual(["voided", "0.00"]);
    const names = [...attempts.map(attempt => attempt.upstream), upstream];
    expect(new Set(names).size).toBe(names.length);
  }
  expect(rows.reduce((sum, { attempts }) => sum + 1 + attempts.length, 0)).toBe(asked());

  // All of them rest now, and none of them asked for it: the first that is well is found at once.
  upstreams.forEach((upstream, at) => {
    upstream.script(wellAs(NAMES[at] ?? ""));
  });
  expect((await rig.ask("mock")).status).toBe(200);
});
