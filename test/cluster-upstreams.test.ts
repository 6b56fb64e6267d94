import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually, type MadeKey, mustRun } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { type Cluster, instanceAt, SECRET, startCluster } from "./harness-cluster.ts";
import { UPSTREAM_NAME } from "./harness-rig.ts";
import { chatCompletion, usageOf } from "./harness-upstream.ts";

/** What several instances on one PostgreSQL know of their upstreams, and of a new master secret. */

let cluster: Cluster;
let key: MadeKey;
beforeAll(async () => {
  cluster = await startCluster({ count: 2 });
  key = await cluster.key();
}, 60_000);
afterAll(() => cluster.stop(), 60_000);

const well = () => cluster.upstream.script(one => one.reply(200, chatCompletion("hello", usageOf(1, 1))));
const ask = async (at: number) => {
  const { base } = instanceAt(cluster.instances, at);
  return (await chat(base, { key: key.key, body: chatBody("mock") })).status;
};

type State = { state: string; why: string; instance: string };
async function states(): Promise<State[]> {
  const told = await mustRun(cluster.dir, ["upstream", "health", "--json"]);
  const { upstreams } = JSON.parse(told) as { upstreams: { states: State[] }[] };
  return upstreams[0]?.states ?? [];
}

test("each instance tells how an upstream stands with it, and a reset holds for all of them", async () => {
  cluster.upstream.script(one => one.reply(401, "{}"));
  expect(await Promise.all([ask(0), ask(1)])).toEqual([502, 502]);
  const told = await eventually(async () => {
    const found = await states();
    return found.length === 2 && found;
  });
  expect(told).toEqual([
    expect.objectContaining({ state: "resting", why: "status 401" }),
    expect.objectContaining({ state: "resting", why: "status 401" }),
  ]);
  expect(new Set(told?.map(({ instance }) => instance)).size).toBe(2);
  well();
  await mustRun(cluster.dir, ["upstream", "reset", UPSTREAM_NAME]);
  expect(await eventually(async () => (await states()).length === 0)).toBe(true);
  expect(await Promise.all([ask(0), ask(1)])).toEqual([200, 200]);
});

test("a new master secret is given while both are at work, and an instance that starts later has it", async () => {
  well();
  const seen: number[] = [];
  let isOver = false;
  const asking = [0, 1].map(async at => {
    while (!isOver) seen.push(await ask(at));
  });
  await eventually(() => seen.length > 20);
  const fresh = "another master secret for all instances, long enough";
  const told = await mustRun(cluster.dir, ["secret", "rotate", "--new-secret-env", "FRESH", "--json"], {
    env: { FRESH: fresh },
  });
  expect(JSON.parse(told)).toMatchObject({ changed: true, unreadable: 0 });
  const during = seen.length;
  await eventually(() => seen.length > during + 20);
  isOver = true;
  await Promise.all(asking);
  expect(new Set(seen)).toEqual(new Set([200]));
  await instanceAt(cluster.instances, 1).stop();
  expect(await cluster.startAgain(1).catch(() => "refused")).toBe("refused");
  await cluster.startAgain(1, { WICKETGATE_SECRET: fresh });
  expect(await Promise.all([ask(0), ask(1)])).toEqual([200, 200]);
  // Back again, for what the other commands of these tests are run with.
  const env = { WICKETGATE_SECRET: fresh, BACK: SECRET };
  await mustRun(cluster.dir, ["secret", "rotate", "--new-secret-env", "BACK"], { env });
  expect(await Promise.all([ask(0), ask(1)])).toEqual([200, 200]);
});
