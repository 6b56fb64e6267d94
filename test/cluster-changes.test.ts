import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { idMaker } from "../src/domain/ids.ts";
import { deriveSecrets } from "../src/secret.ts";
import type { By } from "../src/store/audit.ts";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import type { Store } from "../src/store/store.ts";
import { applyYaml, eventually, type Gateway, mustRun } from "./harness.ts";
import { chat, chatBody, openStream, streamError } from "./harness-client.ts";
import {
  type Cluster,
  instanceAt,
  measured,
  ROWS,
  type Row,
  SECRET,
  startCluster,
} from "./harness-cluster.ts";
import { chatCompletion, chatEvent, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/**
 * What is changed on one instance, or by a command, holds on all of them. Nothing is sent between them that could be
 * lost or held up: admission reads inside its transaction, and each instance looks at the revision five times a second.
 */

const INSTANCES = 3;
const PER_SECOND = 200;
const BEFORE_MS = 1_000;
const AFTER_MS = 1_000;
/** The promise is 250 ms; a test on a busy machine is given more. */
const NOTICED_MS_MAX = 600;

let cluster: Cluster;
let store: Store;

beforeAll(async () => {
  cluster = await startCluster({ count: INSTANCES });
  const newId = idMaker({ nowMs: Date.now, randomBytes });
  store = await openPostgresStore({
    url: cluster.url,
    bootId: newId("boot"),
    nowMs: Date.now,
    log: () => {},
  });
}, 60_000);
afterAll(async () => {
  await store.close();
  await cluster.stop();
}, 60_000);

/** Under the cluster's own secret, so that its audit stays whole. */
const operator = (): By => ({
  ...{ actor: "test", through: "command line", address: null, nowMs: Date.now() },
  chainKey: deriveSecrets(SECRET).audit,
});

const all = <T>(work: (gateway: Gateway, at: number) => Promise<T>) =>
  Promise.all(cluster.instances.map(work));

async function slowStream(exchange: UpstreamExchange): Promise<void> {
  await exchange.begin();
  while (exchange.isOpen) {
    await exchange.piece(chatEvent({ content: "eight letters and more " }));
    await Bun.sleep(30);
  }
}

const quickly = (exchange: UpstreamExchange) => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2)));

const answer = (exchange: UpstreamExchange) =>
  exchange.body["stream"] === true ? slowStream(exchange) : quickly(exchange);

type Asked = { sentTick: number; status: number; reason: string | undefined };

/** So many requests a second, in turn to each instance, until the time is over. */
async function load(key: string, until: () => boolean): Promise<Asked[]> {
  const under: Promise<Asked>[] = [];
  const since = performance.now();
  for (let sent = 0; !until(); ) {
    const due = ((performance.now() - since) * PER_SECOND) / 1_000;
    for (; sent < due; sent++) {
      const { base } = instanceAt(cluster.instances, sent);
      const sentTick = performance.now();
      const asked = chat(base, { key, body: chatBody("call") });
      under.push(asked.then(({ status, error }) => ({ sentTick, status, reason: error?.reason })));
    }
    await Bun.sleep(2);
  }
  return Promise.all(under);
}

test(`a key is deleted under ${PER_SECOND} requests a second: none is admitted after the commit, its streams end within 1 s`, async () => {
  const { key, id } = await cluster.key();
  cluster.upstream.script(answer);
  const body = chatBody("mock", { stream: true, max_tokens: 1_000 });
  const streams = (
    await all(({ base }) => Promise.all([1, 2].map(() => openStream(base, { key, body }))))
  ).flat();
  let isOver = false;
  const loading = load(key, () => isOver);
  await Bun.sleep(BEFORE_MS);
  await store.run("key.delete", { id, by: operator() });
  const deletedTick = performance.now();
  const ended = await Promise.all(
    streams.map(async seen => {
      await seen.ended;
      return performance.now() - deletedTick;
    }),
  );
  await Bun.sleep(Math.max(0, AFTER_MS - (performance.now() - deletedTick)));
  isOver = true;
  const asked = await loading;

  const after = asked.filter(({ sentTick }) => sentTick >= deletedTick);
  expect(after.length).toBeGreaterThan(PER_SECOND / 2);
  expect(after.filter(({ status, reason }) => status !== 401 || reason !== "key_deleted")).toEqual([]);
  const before = asked.filter(({ sentTick }) => sentTick < deletedTick - 500);
  expect(before.length).toBeGreaterThan(PER_SECOND / 10);
  expect(before.filter(({ status }) => status !== 200)).toEqual([]);
  measured(
    `${asked.length} requests; streams on ${INSTANCES} instances ended after ${Math.round(Math.max(...ended))} ms`,
  );
  expect(Math.max(...ended)).toBeLessThan(1_000);
  for (const seen of streams) {
    expect(streamError(seen.text())).toMatchObject({ reason: "key_deleted" });
    // What was delivered is counted first.
    const row = await eventually(async () => {
      const [found] = await cluster.sql<Row>(`${ROWS} where id = $1 and state <> 'open'`, [seen.requestId]);
      return found ?? null;
    });
    expect(row).toMatchObject({ state: "settled", reason: "key_deleted", source: "estimated" });
    expect(row?.output).toBeGreaterThan(0n);
    expect(row?.cost).toBeGreaterThan(0n);
  }
}, 60_000);

test("a key that the command line deletes is refused by every instance when the command returns", async () => {
  const { key, id } = await cluster.key();
  cluster.upstream.script(answer);
  expect(
    (await all(({ base }) => chat(base, { key, body: chatBody("call") }))).map(seen => seen.status),
  ).toEqual([200, 200, 200]);
  await mustRun(cluster.dir, ["key", "delete", id]);
  const refused = await all(({ base }) => chat(base, { key, body: chatBody("call") }));
  expect(refused.map(seen => seen.error?.reason)).toEqual(Array(INSTANCES).fill("key_deleted"));
});

test("a group that is disabled refuses at once on every instance", async () => {
  const { key } = await cluster.key();
  cluster.upstream.script(answer);
  const asked = () => all(({ base }) => chat(base, { key, body: chatBody("call") }));
  const enable = (enabled: boolean) =>
    applyYaml(
      cluster.dir,
      `groups: [{ name: default, enabled: ${enabled}, models: [mock, call, renamed, unpriced, unserved] }]`,
    );
  expect((await asked()).map(seen => seen.status)).toEqual([200, 200, 200]);
  // By hand, so that the moment of the commit is known and no program has to end first.
  await cluster.sql(
    "with changed as (update groups set enabled = 0 where name = 'default') update revision set revision = revision + 1",
  );
  expect((await asked()).map(seen => seen.error?.reason)).toEqual(Array(INSTANCES).fill("group_disabled"));
  await enable(true);
  expect((await asked()).map(seen => seen.status)).toEqual([200, 200, 200]);
});

/** A new version of a model's price, and the moment at which it was committed. */
async function reprice(model: string, requestUsd: number): Promise<number> {
  await cluster.sql(
    `with priced as (insert into prices (id, model_id, created_at_ms, input, cache_read, cache_write_5m, cache_write_1h, output, request, tiers)
       select 'prc_' || 'ZZZZ' || substr(max(prices.id), 9), model_id, 0, 0, 0, 0, 0, 0, $2::bigint, '[]'
         from prices join models on models.id = prices.model_id where models.name = $1 group by model_id)
     update revision set revision = revision + 1`,
    [model, BigInt(Math.round(requestUsd * 1e12))],
  );
  return performance.now();
}

test("a new price is charged by every instance within 250 ms", async () => {
  const { key } = await cluster.key();
  cluster.upstream.script(answer);
  const sent: { id: string; tick: number }[] = [];
  let isOver = false;
  const asking = all(async ({ base }) => {
    while (!isOver) {
      const tick = performance.now();
      const { requestId, status } = await chat(base, { key, body: chatBody("call") });
      expect(status).toBe(200);
      sent.push({ id: requestId, tick });
      await Bun.sleep(5);
    }
  });
  await Bun.sleep(300);
  const changedTick = await reprice("call", 0.02);
  await Bun.sleep(800);
  isOver = true;
  await asking;
  expect(await eventually(async () => (await cluster.open()) === 0)).toBe(true);
  const costs = new Map((await cluster.sql<Row>(ROWS)).map(({ id, cost }) => [id, cost]));
  const after = sent.filter(({ tick }) => tick > changedTick);
  const old = after.filter(({ id }) => costs.get(id) === 10_000_000n);
  const noticedMs = Math.round(Math.max(0, ...old.map(({ tick }) => tick - changedTick)));
  measured(`the last request at the old price was sent ${noticedMs} ms after the change`);
  expect(noticedMs).toBeLessThan(NOTICED_MS_MAX);
  expect(after.filter(({ id }) => costs.get(id) === 20_000_000n).length).toBeGreaterThan(20);
}, 60_000);
