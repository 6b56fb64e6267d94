import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { proof } from "../src/store/history-proof.case.ts";
import { type Postgres, startPostgres } from "../src/store/postgres/server-test-rig.ts";
import { eventually, type Gateway, verifyClean, wicketgate } from "./harness.ts";
import {
  askMarked,
  type Cluster,
  disagreements,
  instanceAt,
  measured,
  type Seen,
  startCluster,
  type Told,
  witness,
} from "./harness-cluster.ts";

/** PostgreSQL goes away under load: who asks hears 503, what runs goes on, and no charge is lost or made twice. */

const { runs: ROUNDS } = proof({ runs: 2, runsInFull: 10 });
const CLIENTS = 12;
/** A client that asks again and again gets its 503 within this, also where the server says nothing at all. */
const REFUSED_MS_MAX = 5_500;

let server: Postgres;
let cluster: Cluster;
let key = "";
let marks = 0;
const told = new Map<string, Told>();
const seen: Seen[] = [];
const nextMark = () => `m${++marks}`;

beforeAll(async () => {
  server = await startPostgres();
  cluster = await startCluster({
    count: 2,
    url: await server.freshDatabase(),
    env: { WICKETGATE_DRAIN_SECONDS: "20" },
  });
  cluster.upstream.script(witness(told));
  key = (await cluster.key()).key;
}, 60_000);
afterAll(async () => {
  try {
    await cluster.stop();
  } finally {
    await server.stop();
  }
}, 60_000);

/** Asks until it is told to stop: whole answers, short streams and long ones. */
async function client(at: number, load: { on: boolean }): Promise<void> {
  const kinds = [
    { events: 0, gapMs: 0 },
    { events: 20, gapMs: 20 },
    { events: 0, gapMs: 30 },
    { events: 120, gapMs: 25 },
  ];
  while (load.on) {
    const kind = kinds[at % kinds.length] ?? { events: 0, gapMs: 0 };
    const { base } = instanceAt(cluster.instances, at >> 2);
    const answer = await askMarked(base, key, { mark: nextMark(), ...kind });
    seen.push(answer);
    if (answer.status !== 200) await Bun.sleep(40);
  }
}

const isReady = async ({ url }: Gateway) => (await fetch(`${url}/readyz`)).status === 200;
const allReady = () =>
  eventually(async () => (await Promise.all(cluster.instances.map(isReady))).every(Boolean), 20_000);

/** Everything since then was answered, or refused as an outage is: shortly, and with a time to come back. */
function expectOnlyOutage(from: number): { refused: number; slowestMs: number } {
  const late = seen.slice(from);
  const odd = late.filter(
    ({ status, reason, isWhole }) =>
      !isWhole || (status !== 200 && !(status === 503 && reason === "store_unavailable")),
  );
  expect(
    odd.map(({ mark, status, reason, isWhole, text }) => ({
      mark,
      status,
      reason,
      isWhole,
      text: text.slice(-200),
    })),
  ).toEqual([]);
  const refused = late.filter(({ status }) => status === 503);
  expect(refused.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ""))).toEqual([]);
  const streams = late.filter(({ status, text }) => status === 200 && text.startsWith("data:"));
  expect(streams.filter(({ text }) => !text.trimEnd().endsWith("[DONE]")).map(({ mark }) => mark)).toEqual(
    [],
  );
  const slowestMs = Math.round(Math.max(0, ...refused.map(({ headMs }) => headMs)));
  expect(slowestMs).toBeLessThan(REFUSED_MS_MAX);
  return { refused: refused.length, slowestMs };
}

async function expectBooked(): Promise<void> {
  expect(await eventually(async () => (await cluster.open()) === 0, 15_000)).toBe(true);
  expect(await disagreements(cluster.sql, seen, told)).toEqual([]);
  await verifyClean(cluster.dir);
}

/** Starts a load, does something to the server, waits until it is back, and stops the load. */
async function underLoad(during: () => Promise<void>): Promise<{ refused: number; slowestMs: number }> {
  const from = seen.length;
  const load = { on: true };
  const clients = Array.from({ length: CLIENTS }, (_, at) => client(at, load));
  await Bun.sleep(400);
  await during();
  expect(await allReady()).toBe(true);
  await Bun.sleep(600);
  load.on = false;
  await Promise.all(clients);
  return expectOnlyOutage(from);
}

test(
  `killed under load, ${ROUNDS} times: only 503 meanwhile, streams go on, every answer is charged once`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const outage = await underLoad(async () => {
        await server.kill();
        await Bun.sleep(1_500);
        const away = await fetch(`${cluster.instances[0]?.url}/readyz`);
        expect(away.status).toBe(503);
        await server.restart();
      });
      measured(`outage ${round + 1}: ${outage.refused} refused, the slowest after ${outage.slowestMs} ms`);
      expect(outage.refused).toBeGreaterThan(CLIENTS);
      await expectBooked();
    }
    expect(seen.filter(({ status }) => status === 200).length).toBeGreaterThan(ROUNDS * CLIENTS);
  },
  60_000 + ROUNDS * 20_000,
);

test("stopped in its tracks under load: 503 in time, and what it commits when it goes on is booked, too", async () => {
  const outage = await underLoad(async () => {
    server.pause();
    await Bun.sleep(1_500);
    const since = performance.now();
    const away = await fetch(`${cluster.instances[0]?.url}/readyz`);
    expect(away.status).toBe(503);
    expect(performance.now() - since).toBeLessThan(3_000);
    const command = await wicketgate(cluster.dir, ["usage"]);
    expect(command).toMatchObject({ code: 1, stdout: "" });
    expect(command.stderr).toMatch(/^The database of DATABASE_URL cannot be opened: .*\.\n$/);
    server.resume();
  });
  measured(`pause: ${outage.refused} refused, the slowest after ${outage.slowestMs} ms`);
  expect(outage.refused).toBeGreaterThan(0);
  await expectBooked();
}, 60_000);

test("the log says once that it is away, and once that it is back", () => {
  for (const gateway of cluster.instances) {
    const events = gateway
      .log()
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as { event: string });
    const count = (name: string) => events.filter(({ event }) => event === name).length;
    for (const name of ["store.away", "watch.failed", "heartbeat.failed"]) {
      expect(count(name)).toBeLessThanOrEqual(ROUNDS + 2);
    }
  }
});

const journals = ({ dir }: Gateway): string[] => {
  try {
    return readdirSync(join(dir, "journal"));
  } catch {
    return [];
  }
};

for (const [how, hangs] of [
  ["gone", false],
  ["silent", true],
] as const) {
  test(`one that is killed and one that is stopped while the server is ${how}: both bring their settlements back`, async () => {
    const from = seen.length;
    const [killed, stopped] = [instanceAt(cluster.instances, 0), instanceAt(cluster.instances, 1)];
    const streams = [killed, stopped].flatMap(({ base }) =>
      [1, 2, 3].map(async () => {
        const answer = await askMarked(base, key, { mark: nextMark(), events: 30, gapMs: 40 });
        seen.push(answer);
      }),
    );
    await Bun.sleep(500);
    if (hangs) server.pause();
    else await server.kill();
    await Promise.all(streams);
    await Bun.sleep(800);
    const since = performance.now();
    await Promise.all([killed.kill(), stopped.stop()]);
    const stopMs = Math.round(performance.now() - since);
    measured(`stopped within ${stopMs} ms`);
    expect(stopMs).toBeLessThan(6_500);
    expect(await stopped.exited).toBe(0);
    expect([journals(killed).length, journals(stopped).length]).toEqual([1, 1]);
    if (hangs) server.resume();
    else await server.restart();
    // The one starts well before the other, and must not resolve what the other still has on its disk.
    await cluster.startAgain(1);
    await Bun.sleep(1_000);
    await cluster.startAgain(0);
    expect(cluster.instances.every(gateway => gateway.log().includes("journal.replayed"))).toBe(true);
    expectOnlyOutage(from);
    await expectBooked();
    expect(cluster.instances.flatMap(journals)).toEqual([]);
  }, 60_000);
}

/** It takes a minute, most of it silence. */
if (ROUNDS > 2) {
  test("one of another machine that was killed before an outage is not given up right after it", async () => {
    const elsewhere = instanceAt(cluster.instances, 0);
    await cluster.sql("update instances set host = 'another machine' where pid = $1", [elsewhere.pid]);
    const asked = askMarked(elsewhere.base, key, { mark: nextMark(), events: 1_000, gapMs: 50 });
    await Bun.sleep(16_000);
    await elsewhere.kill();
    expect((await asked).isWhole).toBe(false);
    await Bun.sleep(8_000);
    await server.kill();
    await Bun.sleep(6_000);
    await server.restart();
    expect(await isReady(instanceAt(cluster.instances, 1))).toBe(true);
    const backTick = performance.now();
    while (performance.now() - backTick < 13_000) {
      expect(await cluster.open()).toBe(1);
      await Bun.sleep(500);
    }
    expect(await eventually(async () => (await cluster.open()) === 0, 15_000)).toBe(true);
    measured(`resolved ${Math.round(performance.now() - backTick)} ms after the return of the database`);
    await cluster.startAgain(0);
  }, 120_000);
}
