import { afterAll, beforeAll, expect, test } from "bun:test";
import { mustRun, usageRows, verifyClean } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { type Cluster, startCluster } from "./harness-cluster.ts";
import { chatCompletion, usageOf } from "./harness-upstream.ts";

/** A string that was replaced is so on every instance at once, whatever it remembers of it. */

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ count: 2 });
  cluster.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2))));
}, 60_000);
afterAll(() => cluster.stop(), 60_000);

/** On each instance. */
const outcomes = (key: string) =>
  Promise.all(
    cluster.instances.map(async ({ base }) => {
      const { status, error } = await chat(base, { key, body: chatBody("mock") });
      return error?.reason ?? status;
    }),
  );

async function rotate(id: string, ...options: string[]): Promise<{ key: string; old_until: string }> {
  const told = await mustRun(cluster.dir, ["key", "rotate", id, "--json", ...options]);
  return JSON.parse(told) as { key: string; old_until: string };
}

test("without a grace the next request is refused on every instance, and the new string is served", async () => {
  const { key, id } = await cluster.key();
  expect(await outcomes(key)).toEqual([200, 200]);
  const rotated = await rotate(id);
  expect(await outcomes(key)).toEqual(["key_replaced", "key_replaced"]);
  expect(await outcomes(rotated.key)).toEqual([200, 200]);
  const again = await rotate(id);
  expect(await outcomes(rotated.key)).toEqual(["key_replaced", "key_replaced"]);
  expect(await outcomes(key)).toEqual(["key_replaced", "key_replaced"]);
  expect(await outcomes(again.key)).toEqual([200, 200]);
  expect(new Set((await usageRows(cluster.dir, id)).map(row => row.key_id))).toEqual(new Set([id]));
  await verifyClean(cluster.dir);
});

test("with a grace both strings work everywhere, and the old one ends everywhere by the clock", async () => {
  const { key, id } = await cluster.key();
  const rotated = await rotate(id, "--grace", "6s");
  expect(await outcomes(key)).toEqual([200, 200]);
  expect(await outcomes(rotated.key)).toEqual([200, 200]);
  await Bun.sleep(Date.parse(rotated.old_until) - Date.now() + 1);
  expect(await outcomes(key)).toEqual(["key_replaced", "key_replaced"]);
  await mustRun(cluster.dir, ["key", "disable", id]);
  expect(await outcomes(rotated.key)).toEqual(["key_disabled", "key_disabled"]);
});
