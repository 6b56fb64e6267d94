import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyYaml, type MadeKey, mustRun, wicketgate } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatCompletion, usageOf } from "./harness-upstream.ts";

/** `wicketgate doctor` against the real server: the first step that fails is named, with what to do. */

let rig: Rig;
let good: MadeKey;
beforeAll(async () => {
  rig = await startRig();
  await applyYaml(rig.dir, "groups: [{ name: closed, enabled: false, models: [mock] }]");
  good = await rig.key();
});
afterAll(() => rig.stop());

type Step = { step: string; result: string; message: string; remedy?: string };
type Told = { ok: boolean; failed: string | null; steps: Step[] };
type Settings = { base?: string; key?: string; model?: string };

async function doctor({ base = rig.gateway.base, key = good.key, model = "mock" }: Settings): Promise<Told> {
  const args = ["doctor", "--base-url", base, "--key", key, "--model", model];
  const json = await wicketgate(rig.dir, [...args, "--json"]);
  const told = JSON.parse(json.stdout) as Told;
  expect(json.code).toBe(told.ok ? 0 : 1);
  const text = await wicketgate(rig.dir, args);
  expect(text.code).toBe(json.code);
  expect(text.stdout + text.stderr + json.stdout).not.toContain(key);
  if (!told.ok) expect(text.stdout).toContain(`The first step that fails is ${told.failed}`);
  return told;
}

/** Everything before the step is well, and the step itself says what is wrong and what to do. */
async function expectFails(settings: Settings, step: string, message: RegExp): Promise<void> {
  const told = await doctor(settings);
  expect(told).toMatchObject({ ok: false, failed: step });
  const failed = told.steps.filter(({ result }) => result === "failed");
  expect(failed).toHaveLength(1);
  expect(failed[0]?.step).toBe(step);
  expect(failed[0]?.message).toMatch(message);
  expect(failed[0]?.remedy ?? "").toMatch(/^[A-Z].*\.$/);
  for (const text of [failed[0]?.message, failed[0]?.remedy]) expect(text).not.toMatch(/\{\w+\}/);
}

test("all is well for a good key, base URL and model", async () => {
  const told = await doctor({});
  expect(told).toMatchObject({ ok: true, failed: null });
  expect(told.steps.map(({ result }) => result)).toEqual(told.steps.map(() => "ok"));
  const names = told.steps.map(({ step }) => step);
  for (const step of ["key_string", "base_url", "server", "key", "group", "model", "key_quota", "balance"]) {
    expect(names).toContain(step);
  }
});

describe("the failing step is named for", () => {
  test("a cut key", () => expectFails({ key: good.key.slice(0, 40) }, "key_string", /40 characters.*53/));

  test("an official key", async () => {
    const openai = `sk-proj-${"Ab1".repeat(16)}T3BlbkFJ${"Cd2".repeat(16)}`;
    await expectFails({ key: openai }, "key_string", /OpenAI/);
    await expectFails({ key: `sk-ant-api03-${"Ab1-_x".repeat(15)}AA` }, "key_string", /Anthropic/);
  });

  test("a base URL without /v1", () => expectFails({ base: rig.gateway.url }, "base_url", /\/v1/));
  test("a base URL with /v1 twice", () =>
    expectFails({ base: `${rig.gateway.base}/v1` }, "base_url", /\/v1\/v1/));
  test("a base URL with the whole path", () =>
    expectFails({ base: `${rig.gateway.base}/chat/completions` }, "base_url", /chat\/completions/));
  test("a base URL where nothing listens", () =>
    expectFails({ base: "http://127.0.0.1:9/v1" }, "server", /refused|fails/));

  test("a group that is disabled", async () => {
    const { key } = await rig.key("--group", "closed");
    await expectFails({ key }, "group", /“closed”/);
  });

  test("a model that is not in the group", () => expectFails({ model: "elsewhere" }, "model", /“elsewhere”/));
  test("a model that does not exist", () => expectFails({ model: "gpt-99" }, "model", /“gpt-99”/));
  test("a model that nobody serves", () => expectFails({ model: "unserved" }, "upstream", /“unserved”/));

  test("an empty balance", async () => {
    await mustRun(rig.dir, ["account", "add", "empty@example.org"]);
    const { key } = await rig.key("--account", "empty@example.org");
    await expectFails({ key }, "balance", /balance/);
  });

  test("a key quota that is used up", async () => {
    const { key } = await rig.key("--quota", "0.01");
    rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(1, 1))));
    expect((await chat(rig.gateway.base, { key, body: chatBody("call") })).status).toBe(200);
    await expectFails({ key, model: "call" }, "key_quota", /quota/);
  });

  test("a disabled key", async () => {
    const { key, id } = await rig.key();
    await mustRun(rig.dir, ["key", "disable", id]);
    await expectFails({ key }, "key", /disabled/);
  });
});
