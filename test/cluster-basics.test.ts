import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { expectRefused } from "./case-refusal.ts";
import { freshDir, mustRun, removeDir, settledRow, usageRows, verifyClean, wicketgate } from "./harness.ts";
import { type ChatAnswer, chat, chatBody, eventData } from "./harness-client.ts";
import { type Cluster, instanceAt, SECRET, startCluster } from "./harness-cluster.ts";
import { EMAIL, rigYaml } from "./harness-rig.ts";
import { chatCompletion, chatEvent, DONE, usageOf } from "./harness-upstream.ts";

/** On PostgreSQL everything is as it is on SQLite, from outside. */

const PASSWORD = "a-password-that-nobody-reads";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ count: 1 });
  cluster.upstream.script(async exchange => {
    if (exchange.body["stream"] !== true) return exchange.reply(200, chatCompletion("Hi", usageOf(7, 3)));
    await exchange.stream([
      chatEvent({ content: "Hi" }),
      chatEvent({ finish: "stop" }),
      chatEvent({ usage: usageOf(9, 4) }),
      DONE,
    ]);
  });
}, 60_000);
afterAll(() => cluster.stop(), 60_000);

const ask = (key: string, more: Record<string, unknown> = {}, model = "mock"): Promise<ChatAnswer> =>
  chat(instanceAt(cluster.instances, 0).base, { key, body: chatBody(model, more) });

describe("with DATABASE_URL", () => {
  test("a file is applied once, and a second time changes nothing", async () => {
    const again = await wicketgate(cluster.dir, ["apply", "-"], { stdin: rigYaml(cluster.upstream.baseUrl) });
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toContain("nothing to change");
  });

  test("a key that the command line makes is served, whole and as a stream, and each request is on record", async () => {
    const { key, id } = await cluster.key();
    const whole = await ask(key);
    expect(whole.status).toBe(200);
    const stream = await ask(key, { stream: true });
    expect(eventData(stream.text).at(-1)).toBe("[DONE]");
    expect(await settledRow(cluster.dir, whole.requestId, id)).toMatchObject({
      state: "settled",
      input_tokens: 7,
      output_tokens: 3,
      account: EMAIL,
    });
    expect(await settledRow(cluster.dir, stream.requestId, id)).toMatchObject({
      input_tokens: 9,
      output_tokens: 4,
      cost: "0.000049",
    });
    expect((await usageRows(cluster.dir, id)).map(row => row.id)).toEqual([
      stream.requestId,
      whole.requestId,
    ]);
    await verifyClean(cluster.dir);
    await mustRun(cluster.dir, ["key", "delete", id]);
    expectRefused(await ask(key), "key_deleted");
    expect(await usageRows(cluster.dir, id)).toHaveLength(3);
  });

  test("the refusals are the same", async () => {
    const [plain, poor, slow, off] = await Promise.all([
      cluster.key(),
      cluster.key("--quota", "0.005"),
      cluster.key("--rpm", "1"),
      cluster.key(),
    ]);
    await mustRun(cluster.dir, ["key", "disable", off.id]);
    expectRefused(await ask("wgk_short"), "key_malformed");
    expectRefused(await ask(off.key), "key_disabled");
    expectRefused(await ask(poor.key, {}, "call"), "key_quota_exhausted");
    expect((await ask(slow.key)).status).toBe(200);
    expectRefused(await ask(slow.key), "rate_limited");
    expectRefused(await ask(plain.key, {}, "elsewhere"), "model_not_in_group");
    expectRefused(await ask(plain.key, {}, "unpriced"), "model_unpriced");
    expectRefused(await ask(plain.key, {}, "unserved"), "no_upstream");
    expectRefused(await ask(plain.key, { messages: 5 }), "request_invalid");
  });

  test("a text that PostgreSQL does not take spoils nothing for those in the same batch", async () => {
    const { key, id } = await cluster.key();
    const strange = ["nul\u0000inside", "half \ud800 a pair", `quote " ' \\ {a,b}`];
    const answers = await Promise.all(strange.flatMap(model => [ask(key, {}, model), ask(key)]));
    expect(answers.map(seen => seen.error?.reason ?? seen.status)).toEqual(
      strange.flatMap(() => ["model_not_in_group", 200]),
    );
    expect(await usageRows(cluster.dir, id)).toHaveLength(strange.length * 2);
  });

  test("the settings show that it is set, and not what it is", async () => {
    const env = { DATABASE_URL: cluster.url.replace("postgres@", `postgres:${PASSWORD}@`) };
    for (const args of [["config"], ["config", "--json"]]) {
      const shown = await wicketgate(cluster.dir, args, { env });
      expect(shown.code).toBe(0);
      expect(shown.stdout).toContain("DATABASE_URL");
      expect(shown.stdout + shown.stderr).not.toContain(PASSWORD);
    }
  });
});

describe("a database that cannot be used stops the start and every command, in a sentence", () => {
  const dir = freshDir();
  afterAll(() => removeDir(dir));

  const places: readonly (readonly [string, (url: string) => string, string])[] = [
    ["that does not exist", url => url.replace(/[^/]*$/, "nowhere"), SECRET],
    ["on a port where nobody listens", url => url.replace(/:\d+\//, ":9/"), SECRET],
    ["on a host that has no address", url => url.replace("127.0.0.1", "nowhere.invalid"), SECRET],
    ["that was made with another master secret", url => url, `${SECRET}, but another one`],
  ];
  for (const [what, place, secret] of places) {
    test(`one ${what}`, async () => {
      const url = place(cluster.url).replace("postgres@", `postgres:${PASSWORD}@`);
      const env = { DATABASE_URL: url, WICKETGATE_SECRET: secret, PORT: "0" };
      for (const args of [["serve"], ["usage"], ["account", "list"]]) {
        const { code, stdout, stderr } = await wicketgate(dir, args, { env });
        expect({ code, stdout, args }).toEqual({ code: 1, stdout: "", args });
        expect(stderr).toMatch(/^[A-Z].*\.\n$/);
        expect(stderr).not.toContain(PASSWORD);
        expect(stderr).not.toMatch(/\bat .*\.ts:\d+|went wrong in a way/);
        if (secret !== SECRET) expect(stderr).toContain("All instances of one database share one secret");
      }
    });
  }

  test("one whose address is none is told with the settings, by its name alone", async () => {
    const env = { DATABASE_URL: `mysql://root:${PASSWORD}@127.0.0.1/db` };
    const { code, stderr } = await wicketgate(dir, ["serve"], { env });
    expect(code).toBe(2);
    expect(stderr).toContain("DATABASE_URL must be an address such as");
    expect(stderr).not.toContain(PASSWORD);
  });
});

test("an empty database is made ready by several processes that start at once", async () => {
  const url = await freshDatabase();
  const dirs = [freshDir(), freshDir(), freshDir()];
  const env = { DATABASE_URL: url, WICKETGATE_SECRET: SECRET };
  const started = await Promise.all(dirs.map(dir => wicketgate(dir, ["account", "list"], { env })));
  expect(started.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    dirs.map(() => ({ code: 0, stderr: "" })),
  );
  for (const dir of dirs) removeDir(dir);
});
