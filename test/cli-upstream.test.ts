import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CANARY, env, list, listing, type UpstreamRig, upstreamRig } from "./cli-upstream-rig.ts";
import { applyYaml, eventually, freshDir, keyOf, mustRun, removeDir, startGateway } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { chatCompletion, chatEvent, DONE, usageOf } from "./harness-upstream.ts";

let rig: UpstreamRig;
beforeEach(async () => {
  rig = await upstreamRig();
});
afterEach(() => rig.end());

describe("upstream add", () => {
  test("asks the upstream with the key, saves what was chosen, and shows the key to nobody", async () => {
    const { code, out, err } = await rig.add(
      "--models",
      "alpha,second=beta",
      "--priority",
      "3",
      "--weight",
      "7",
    );
    expect([code, err]).toEqual([0, ""]);
    expect(rig.upstream.received.map(({ requestLine }) => requestLine)).toEqual(["GET /v1/models HTTP/1.1"]);
    expect(rig.upstream.received[0]?.headers.get("authorization")).toBe(`Bearer ${CANARY}`);
    expect(out).toContain("The upstream “mine” is added, with 2 models.");
    expect(out).toContain("refused until they have one: alpha, second");
    expect(out).toContain("No group has them yet");
    const [saved] = await rig.saved();
    expect(saved).toEqual({
      name: "mine",
      kind: "openai-compatible",
      base_url: rig.upstream.baseUrl,
      speaks: ["chat"],
      priority: 3,
      weight: 7,
      has_credential: true,
      max_concurrency: null,
      probe_minutes: null,
      paused: false,
      cost: 1,
      keys: [{ id: expect.stringMatching(/^crd_/), short_id: expect.any(String), preview: "…ghij" }],
      resting: [],
      models: [
        { name: "alpha", upstream_name: "alpha" },
        { name: "second", upstream_name: "beta" },
      ],
    });
    const listed = await rig.run(["upstream", "list"]);
    for (const text of [out, listed.out, JSON.stringify(saved)]) expect(text).not.toContain(CANARY);
    for (const name of readdirSync(rig.dataDir)) {
      expect(readFileSync(join(rig.dataDir, name), "latin1")).not.toContain(CANARY);
    }
  });

  test("takes the key from standard input, and the whole list with --all", async () => {
    const given = [
      "upstream",
      "add",
      "mine",
      "--kind",
      "openai-compatible",
      "--base-url",
      rig.upstream.baseUrl,
    ];
    const ran = await rig.run([...given, "--api-key-stdin", "--all", "--json"], { stdin: `${CANARY}\n` });
    expect([ran.code, ran.err]).toEqual([0, ""]);
    expect(rig.upstream.received[0]?.headers.get("authorization")).toBe(`Bearer ${CANARY}`);
    const printed = JSON.parse(ran.out);
    expect(printed).toMatchObject({ name: "mine", has_credential: true, listed_models: 2, groups: [] });
    expect(printed.models).toEqual(
      ["alpha", "beta"].map(name => ({ name, upstream_name: name, new: true, price: null })),
    );
    expect(ran.out).not.toContain(CANARY);
  });

  test("leaves a model that is known as it is, and says which groups have it", async () => {
    await rig.file(
      "gate.yaml",
      `models: [{ name: alpha, context_tokens: 1000, price: { input: 2, output: 3 } }]
groups: [{ name: default, models: ["al*"] }]`,
    );
    await rig.run(["apply", "gate.yaml"]);
    const { out } = await rig.add("--all", "--json");
    const printed = JSON.parse(out);
    expect(printed.models[0]).toMatchObject({
      name: "alpha",
      new: false,
      price: { input: "2", output: "3" },
    });
    expect(printed.models[1]).toMatchObject({ name: "beta", new: true, price: null });
    expect(printed.groups).toEqual(["default"]);
    expect((await rig.run(["apply", "gate.yaml"])).out).toBe("nothing to change\n");
  });

  test("takes 5,000 models, and shows the first of them", async () => {
    rig.upstream.script(listing(...Array.from({ length: 5_000 }, (_, at) => `model-${at}`)));
    const { code, out } = await rig.add("--all");
    expect(code).toBe(0);
    expect(out).toContain("with 5000 models");
    expect(out).toContain("… and 4950 more.");
    expect(out.split("\n").length).toBeLessThan(65);
    expect((await rig.saved())[0]?.models).toHaveLength(5_000);
  });

  test("says how many it had to leave out", async () => {
    rig.upstream.script(listing("fine", "two words"));
    const { out } = await rig.add("--all");
    expect(out).toContain("with one model.");
    expect(out).toContain("Left out, because no client could ask for such names: 1 of those it lists.");
  });

  test("reads a list that comes in pages", async () => {
    rig.upstream.script(exchange => {
      const { requestLine, headers } = exchange.received;
      expect(headers.get("x-api-key")).toBe(CANARY);
      expect(headers.get("anthropic-version")).toBe("2023-06-01");
      const isSecond = requestLine.includes("after_id=claude-one");
      const data = [{ type: "model", id: isSecond ? "claude-two" : "claude-one" }];
      return exchange.reply(200, JSON.stringify({ data, has_more: !isSecond, last_id: data[0]?.id }));
    });
    const base = rig.upstream.baseUrl.replace("/v1", "");
    const given = ["upstream", "add", "mine", "--kind", "anthropic", "--base-url", base, "--all", "--json"];
    const { out } = await rig.run([...given, "--api-key-env", "THE_KEY"], { env });
    expect(JSON.parse(out).models.map(({ name }: { name: string }) => name)).toEqual([
      "claude-one",
      "claude-two",
    ]);
    expect(rig.upstream.received.map(({ requestLine }) => requestLine)).toEqual([
      "GET /v1/models?limit=1000 HTTP/1.1",
      "GET /v1/models?limit=1000&after_id=claude-one HTTP/1.1",
    ]);
  });

  test("with --no-check asks nobody", async () => {
    expect(await rig.add("--no-check", "--models", "anything")).toMatchObject({ code: 0, err: "" });
    expect(rig.upstream.received).toEqual([]);
    expect((await rig.saved())[0]?.models).toEqual([{ name: "anything", upstream_name: "anything" }]);
    expect(await rig.add("--no-check")).toMatchObject({ code: 2, out: "" });
  });

  test("suggests prices with their date, and the operator may bring newer ones", async () => {
    const given = ["upstream", "add", "openai", "--kind", "openai", "--models", "gpt-5,odd=no-such-model"];
    const { code, out } = await rig.run([...given, "--no-check", "--api-key-env", "THE_KEY"], { env });
    expect(code).toBe(0);
    expect(out).toMatch(/^gpt-5 +gpt-5 +1\.25 +10 +0\.125 +suggested$/m);
    expect(out).toMatch(/^odd +no-such-model +none yet$/m);
    expect(out).toMatch(/as genai-prices \d+\.\d+\.\d+ of \d{4}-\d\d-\d\d has them: check them/);
    expect(out).toContain("models: [{ name: odd, price: { input: 1.25, output: 10 } }]");
    const models = [{ id: "m", match: { equals: "m" }, prices: { input_mtok: 7, output_mtok: 8 } }];
    const provider = { id: "x", name: "X", api_pattern: "http://127\\.0\\.0\\.1", models };
    await rig.file("prices.json", JSON.stringify([provider]));
    const newer = await rig.add("--no-check", "--models", "m", "--prices", "prices.json", "--json");
    expect(JSON.parse(newer.out)).toMatchObject({
      models: [{ name: "m", price: { input: "7", output: "8" } }],
      suggested_prices_of: "the file of --prices",
    });
    await rig.file("wrong.json", "{}");
    for (const name of ["wrong.json", "missing.json"]) {
      const wrong = await rig.add("--no-check", "--models", "n", "--prices", name);
      expect([wrong.code, wrong.out]).toEqual([1, ""]);
      expect(wrong.err).toMatch(/of --prices (is not a list of prices|cannot be read)/);
    }
  });

  test("of a name that is taken changes nothing", async () => {
    await rig.add("--models", "alpha");
    const { code, err } = await rig.add("--models", "beta");
    expect(code).toBe(1);
    expect(err).toContain("There is an upstream “mine” already");
    expect((await rig.saved())[0]?.models).toEqual([{ name: "alpha", upstream_name: "alpha" }]);
    const db = new Database(join(rig.dataDir, "wicketgate.db"), { readonly: true });
    expect(db.query("select name from models").all()).toEqual([{ name: "alpha" }]);
    db.close();
  });
});

describe("upstream test", () => {
  test("shows the list, the latency and the answer of each model, and never the key", async () => {
    await rig.add("--all");
    rig.upstream.received.length = 0;
    const { code, out, err } = await rig.run(["upstream", "test", "mine"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("it lists 2 models");
    expect(out).toMatch(/✓ alpha \(chat\): first byte after \d+ ms, all of it after \d+ ms: “ready indeed”/);
    expect(out).toContain("✓ beta (chat)");
    expect(out).not.toContain(CANARY);
    const calls = rig.upstream.received.filter(({ requestLine }) => requestLine.startsWith("POST"));
    expect(calls.map(({ body }) => JSON.parse(body.toString()).model)).toEqual(["alpha", "beta"]);
    for (const { headers } of calls) expect(headers.get("authorization")).toBe(`Bearer ${CANARY}`);
  });

  test("tries one model with --model, and no more than five without", async () => {
    rig.upstream.script(listing(..."abcdefg"));
    await rig.add("--all");
    const one = await rig.run(["upstream", "test", "mine", "--model", "g", "--json"]);
    expect(JSON.parse(one.out)).toMatchObject({
      name: "mine",
      list: { models: 7 },
      models: [{ model: "g", upstream_name: "g", dialect: "chat", ok: true, answer: "ready indeed" }],
      not_tried: 0,
    });
    const all = JSON.parse((await rig.run(["upstream", "test", "mine", "--json"])).out);
    expect([all.models.length, all.not_tried]).toEqual([5, 2]);
    expect(await rig.run(["upstream", "test", "mine", "--model", "z"])).toMatchObject({ code: 1, out: "" });
    expect(await rig.run(["upstream", "test", "other"])).toMatchObject({ code: 1, out: "" });
  });

  test("says why a call fails, and keeps the key out of it", async () => {
    await rig.add("--models", "alpha");
    rig.upstream.script(exchange =>
      exchange.reply(401, JSON.stringify({ error: { message: `bad key ${CANARY}` } })),
    );
    const { code, out, err } = await rig.run(["upstream", "test", "mine"]);
    expect(code).toBe(1);
    expect(out).toMatch(/✗ alpha \(chat\): .*does not accept the key \(401, and says: bad key …\)/);
    expect(out + err).not.toContain(CANARY);
    rig.upstream.script(exchange => exchange.stream([chatEvent({ content: CANARY, finish: "stop" }), DONE]));
    const echoed = await rig.run(["upstream", "test", "mine"]);
    expect(echoed.code).toBe(0);
    expect(echoed.out).not.toContain(CANARY);
  });

  test.each(["chat", "responses", "messages"])("speaks %s where the upstream does", async dialect => {
    const given = ["upstream", "add", "play", "--kind", "demo", "--models", "demo", "--speaks", dialect];
    expect((await rig.run(given)).code).toBe(0);
    const { code, out } = await rig.run(["upstream", "test", "play", "--json"]);
    const { list, models } = JSON.parse(out);
    expect([code, list]).toEqual([0, null]);
    expect(models).toMatchObject([{ model: "demo", dialect, ok: true, answer: expect.stringMatching(/\w/) }]);
  });

  test("asks a messages upstream in its own way", async () => {
    const base = rig.upstream.baseUrl.replace("/v1", "");
    rig.upstream.script(exchange => exchange.reply(200, list("claude-x")));
    const given = ["upstream", "add", "mine", "--kind", "anthropic", "--base-url", base, "--all"];
    expect((await rig.run([...given, "--api-key-env", "THE_KEY"], { env })).code).toBe(0);
    const answer = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-x",
      stop_reason: "end_turn",
    };
    rig.upstream.script(exchange =>
      exchange.reply(200, JSON.stringify({ ...answer, content: [{ type: "text", text: "ready" }] })),
    );
    const { out } = await rig.run(["upstream", "test", "mine"]);
    expect(out).toMatch(/✓ claude-x \(messages\): .*“ready”/);
    const call = rig.upstream.received.find(({ requestLine }) => requestLine.startsWith("POST"));
    expect(call?.requestLine).toBe("POST /v1/messages HTTP/1.1");
    expect(call?.headers.get("x-api-key")).toBe(CANARY);
    expect(JSON.parse(call?.body.toString() ?? "")).toMatchObject({ model: "claude-x", max_tokens: 512 });
  });
});

describe("upstream remove", () => {
  test("forgets the credential, and names the models that nobody serves any more", async () => {
    await rig.add("--all");
    const given = ["upstream", "add", "other", "--kind", "vllm", "--base-url", rig.upstream.baseUrl];
    await rig.run([...given, "--models", "beta"]);
    const { code, out } = await rig.run(["upstream", "remove", "mine"]);
    expect(code).toBe(0);
    expect(out).toContain("The upstream “mine” is removed, and its credential with it.");
    expect(out).toMatch(/refused: alpha$/m);
    const db = new Database(join(rig.dataDir, "wicketgate.db"), { readonly: true });
    expect(db.query("select name from upstreams").all()).toEqual([{ name: "other" }]);
    expect(db.query("select id from credentials").all()).toEqual([]);
    db.close();
    const last = await rig.run(["upstream", "remove", "other", "--json"]);
    expect(JSON.parse(last.out)).toEqual({ name: "other", unserved_models: ["beta"] });
    expect(await rig.saved()).toEqual([]);
    expect((await rig.run(["upstream", "list"])).out).toContain("There are no upstreams yet.");
  });

  test("needs the name of one that is there", async () => {
    await rig.add("--all");
    expect(await rig.run(["upstream", "remove"])).toMatchObject({ code: 2, out: "" });
    expect(await rig.run(["upstream", "remove", "nobody"])).toMatchObject({ code: 1, out: "" });
    expect(await rig.saved()).toHaveLength(1);
  });
});

describe("a running gateway", () => {
  test("serves an upstream that is added beside it, and no longer one that is removed", async () => {
    const dir = freshDir();
    const gateway = await startGateway(dir, { WICKETGATE_DEMO: "off" });
    try {
      const keys = await applyYaml(
        dir,
        `models: [{ name: alpha, price: { input: 1, output: 2 } }]
groups: [{ name: default, models: [alpha] }]
accounts: [{ email: ann@example.org, balance: 5 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]`,
      );
      const ask = () =>
        chat(gateway.base, { key: keyOf(keys, "laptop").key, body: chatBody("alpha", { stream: false }) });
      expect((await ask()).status).not.toBe(200);
      const given = ["upstream", "add", "mine", "--kind", "vllm", "--base-url", rig.upstream.baseUrl];
      const added = await mustRun(dir, [...given, "--models", "alpha", "--api-key-env", "THE_KEY"], { env });
      expect(added).toContain("Keys of these groups can use them, or some of them: default.");
      rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hello", usageOf(3, 2))));
      const answered = async (isGood: boolean) => {
        const seen = await ask();
        return (seen.status === 200) === isGood ? seen : null;
      };
      expect((await eventually(() => answered(true)))?.text).toContain("Hello");
      expect(rig.upstream.received.at(-1)?.headers.get("authorization")).toBe(`Bearer ${CANARY}`);
      await mustRun(dir, ["upstream", "pause", "mine"]);
      expect((await eventually(() => answered(false)))?.error?.reason).toBe("no_upstream");
      await mustRun(dir, ["upstream", "resume", "mine"]);
      expect((await eventually(() => answered(true)))?.text).toContain("Hello");
      await mustRun(dir, ["upstream", "remove", "mine"]);
      expect((await eventually(() => answered(false)))?.error?.reason).toBe("no_upstream");
      expect(gateway.log()).not.toContain(CANARY);
    } finally {
      await gateway.stop();
      removeDir(dir);
    }
  });
});
