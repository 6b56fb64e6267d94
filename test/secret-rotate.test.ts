import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { wellAs } from "./failover-rig.ts";
import {
  applyYaml,
  eventually,
  freshDir,
  type Gateway,
  keyOf,
  mustRun,
  removeDir,
  startGateway,
  verifyClean,
  wicketgate,
} from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { type MockUpstream, mockUpstream } from "./harness-upstream.ts";

/** A new master secret while the gateway runs. */

const CREDENTIALS = ["upstream-key-number-one-4242", "upstream-key-number-two-2424"];
const dir = freshDir();
let upstream: MockUpstream;
let gateway: Gateway;
let key: string;
beforeAll(async () => {
  upstream = await mockUpstream(wellAs("mine"));
  const keys = Array.from({ length: 300 }, (_, at) => {
    return `  - { account: ann@example.org, name: key-${at}, group: default }`;
  });
  const made = await applyYaml(
    dir,
    `
upstreams:
  - { name: mine, kind: openai-compatible, base_url: "${upstream.baseUrl}", api_keys: [${CREDENTIALS}], models: [m] }
models:
  - { name: m, max_output_tokens: 100, price: { input: 1, output: 10 } }
groups:
  - { name: default, models: [m] }
accounts:
  - { email: ann@example.org, balance: 1000 }
keys:
${keys.join("\n")}
`,
  );
  key = keyOf(made, "key-7").key;
  gateway = await startGateway(dir);
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
  removeDir(dir);
});

const ask = () => chat(gateway.base, { key, body: chatBody("m") });

test("requests succeed before, during and after, and the old secret is of no use afterwards", async () => {
  const old = readFileSync(join(dir, "secret"), "utf8").trim();
  const [code] = JSON.parse(await mustRun(dir, ["code", "create", "5", "--json"])) as {
    code: string;
  }[];
  const seen: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      seen.push((await ask()).status);
      await Bun.sleep(5);
    }
  })();
  await eventually(() => seen.length > 20);
  const told = JSON.parse(await mustRun(dir, ["secret", "rotate", "--json"])) as Record<string, unknown>;
  expect(told).toEqual({ changed: true, resealed: 302, unreadable: 0, file_replaced: true });
  const during = seen.length;
  await eventually(() => seen.length > during + 50);
  isOver = true;
  await asking;
  expect(during).toBeGreaterThan(50);
  expect(new Set(seen)).toEqual(new Set([200]));
  for (const { headers } of upstream.received) {
    expect(CREDENTIALS).toContain(headers.get("authorization")?.replace("Bearer ", "") ?? "");
  }

  const fresh = readFileSync(join(dir, "secret"), "utf8").trim();
  expect(fresh).not.toBe(old);
  expect(statSync(join(dir, "secret")).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).not.toContain("secret.next");
  const late = await wicketgate(dir, ["upstream", "list"], { env: { WICKETGATE_SECRET: old } });
  expect([late.code, late.stderr.includes("another master secret")]).toEqual([1, true]);

  await gateway.stop();
  gateway = await startGateway(dir);
  expect((await ask()).status).toBe(200);
  const redeemed = await wicketgate(dir, ["code", "redeem", "ann@example.org", code?.code ?? ""]);
  expect([redeemed.code, redeemed.stderr]).toEqual([0, ""]);
  await verifyClean(dir);
});

test("a secret that is in the environment is replaced by one that is named, and no other", async () => {
  const present = readFileSync(join(dir, "secret"), "utf8").trim();
  const env = { WICKETGATE_SECRET: present, FRESH: "x".repeat(40), SHORT: "short" };
  const unnamed = await wicketgate(dir, ["secret", "rotate"], { env });
  expect([unnamed.code, unnamed.stderr.includes("--new-secret-env")]).toEqual([2, true]);
  const short = await wicketgate(dir, ["secret", "rotate", "--new-secret-env", "SHORT"], { env });
  expect([short.code, short.stderr.includes("short")]).toEqual([2, false]);
  const same = await wicketgate(dir, ["secret", "rotate", "--new-secret-env", "WICKETGATE_SECRET"], { env });
  expect([same.code, same.stderr]).toEqual([1, "The new secret is the one that is in force.\n"]);
  const done = await wicketgate(dir, ["secret", "rotate", "--new-secret-env", "FRESH"], { env });
  expect([done.code, done.stdout.includes("302 things were sealed anew")]).toEqual([0, true]);
  expect(done.stdout + done.stderr).not.toContain(env.FRESH);
  const again = await wicketgate(dir, ["secret", "rotate", "--new-secret-env", "FRESH"], { env });
  expect([again.code, again.stdout.includes("has this master secret already")]).toEqual([0, true]);
  expect((await ask()).status).toBe(200);
  const listed = await wicketgate(dir, ["upstream", "test", "mine"], {
    env: { WICKETGATE_SECRET: env.FRESH },
  });
  expect([listed.code, listed.stdout.includes("first byte after")]).toEqual([0, true]);
});
