import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually, type MadeKey, mustRun } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { type Cluster, instanceAt, startCluster } from "./harness-cluster.ts";
import { EMAIL, UPSTREAM_CREDENTIAL, UPSTREAM_NAME } from "./harness-rig.ts";
import { chatCompletion, usageOf } from "./harness-upstream.ts";
import { type Hook, startHook } from "./webhook-hook.ts";

/** What two instances on one PostgreSQL tell the outside: everything, and each thing once. */

let cluster: Cluster;
let hook: Hook;
let key: MadeKey;
beforeAll(async () => {
  const env = { WICKETGATE_PRIVATE_UPSTREAMS: "127.0.0.1" };
  cluster = await startCluster({ count: 2, env });
  key = await cluster.key();
  hook = startHook();
  const told = await mustRun(cluster.dir, ["webhook", "add", hook.url, "--name", "ours", "--json"], { env });
  hook.secret = (JSON.parse(told) as { secret: string }).secret;
}, 60_000);
afterAll(async () => {
  hook.close();
  await cluster.stop();
}, 60_000);

const ask = (at: number) =>
  chat(instanceAt(cluster.instances, at).base, { key: key.key, body: chatBody("mock") });

test("a refused key of an upstream is told of once, though both find it out, and again after it was well", async () => {
  cluster.upstream.script(one => one.reply(401, "{}"));
  await Promise.all([ask(0), ask(1)]);
  await eventually(() => hook.of("credential.rejected").length > 0);
  // Both have written down what they saw by now, and whoever is due has been sent.
  await Bun.sleep(3_000);
  const told = hook.of("credential.rejected");
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    isSigned: true,
    data: { upstream: { name: UPSTREAM_NAME }, why: "status 401" },
  });
  expect(told[0]?.text).not.toContain(UPSTREAM_CREDENTIAL);
  await mustRun(cluster.dir, ["upstream", "reset", UPSTREAM_NAME]);
  cluster.upstream.script(one => one.reply(200, chatCompletion("hello", usageOf(1, 1))));
  await eventually(async () => (await Promise.all([ask(0), ask(1)])).every(({ status }) => status === 200));
  await Bun.sleep(2_500);
  cluster.upstream.script(one => one.reply(401, "{}"));
  await Promise.all([ask(0), ask(1)]);
  await eventually(() => hook.of("credential.rejected").length > 1);
  await Bun.sleep(3_000);
  expect(hook.of("credential.rejected")).toHaveLength(2);
}, 60_000);

test("fifty keys that are made are told of once each, by either instance", async () => {
  const group = (await cluster.sql<{ name: string }>("select name from groups limit 1"))[0]?.name ?? "";
  const keys = Array.from({ length: 50 }, (_, at) => ({ account: EMAIL, name: `many ${at}`, group }));
  await mustRun(cluster.dir, ["apply", "-"], { stdin: JSON.stringify({ keys }) });
  const named = () => hook.of("key.created").map(({ data }) => (data["key"] as { name: string }).name);
  await eventually(() => named().length >= 50, 30_000);
  await Bun.sleep(1_500);
  expect(named().toSorted()).toEqual(keys.map(({ name }) => name).toSorted());
  expect(hook.arrived.every(({ isSigned }) => isSigned)).toBe(true);
}, 60_000);
