import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deriveKeyString } from "../src/domain/key-string.ts";
import { expectRefused } from "./case-refusal.ts";
import { applyYaml, eventually, type MadeKey, mustRun, usageRows } from "./harness.ts";
import { answerOf, chat, chatBody, rawExchange } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatCompletion, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** Each refusal of the contract: the right words, in the right dialect, on record where the key is known. */

let rig: Rig;
let good: MadeKey;
let expiring: MadeKey;
beforeAll(async () => {
  rig = await startRig();
  await applyYaml(
    rig.dir,
    `groups:
  - { name: closed, enabled: false, models: [mock] }
  - { name: subscribed, billing: subscription, models: [mock] }`,
  );
  good = await rig.key();
  expiring = await rig.key("--expires", new Date(Math.ceil(Date.now() / 1000 + 1) * 1000).toISOString());
});
afterAll(() => rig.stop());

const plain = chatBody("mock");

/** One row for the refused request, and no more than one. */
async function expectOnRecord(made: MadeKey, requestId: string, row: Record<string, unknown>): Promise<void> {
  const rows = (await usageRows(rig.dir, made.id)).filter(({ id }) => id === requestId);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ state: "refused", cost: "0.00", held: "0.00", key: made.name, ...row });
}

describe("a string that is no key here is refused without a record:", () => {
  const stranger = deriveKeyString(new Uint8Array(128).fill(7));
  const openai = `sk-proj-${"Ab1".repeat(16)}T3BlbkFJ${"Cd2".repeat(16)}`;
  const anthropic = `sk-ant-api03-${"Ab1-_x".repeat(15)}AA`;
  const swapped = (key: string) => key.slice(0, 20) + (key[20] === "a" ? "b" : "a") + key.slice(21);
  const CASES: readonly (readonly [string, (key: string) => string, string, RegExp])[] = [
    ["none", () => "", "key_missing", /no API key/],
    ["a key of somewhere else", () => stranger, "key_unknown", /not known/],
    ["a custom key of somewhere else", () => "kZ8-qPw_3vXr7LmN2tYb5HcD", "key_unknown", /not known/],
    ["cut", key => key.slice(0, -7), "key_malformed", /46 characters.*53/],
    ["cut by one", key => key.slice(0, -1), "key_malformed", /52 characters.*53/],
    ["padded at the end", key => `${key}xyz`, "key_malformed", /56 characters.*53.*at the end/],
    ["padded at the beginning", key => `xy${key}`, "key_malformed", /55 characters.*at the beginning/],
    ["mistyped", swapped, "key_malformed", /checksum/],
    ["with a space inside", key => `${key.slice(0, 30)} ${key.slice(30)}`, "key_malformed", /white space/],
    ["with a tab inside", key => `${key.slice(0, 30)}\t${key.slice(30)}`, "key_malformed", /white space/],
    ["with a line break written out at its end", key => `${key}\\n`, "key_malformed", /line break/],
    ["in quotes", key => `"${key}"`, "key_malformed", /quotation marks/],
    ["with Bearer twice", key => `Bearer ${key}`, "key_malformed", /Bearer/],
    ["two keys joined", key => `${key},${key}`, "key_malformed", /comma/],
    ["of OpenAI", () => openai, "key_is_provider_key", /OpenAI/],
    ["of Anthropic", () => anthropic, "key_is_provider_key", /Anthropic/],
    ["undefined", () => "undefined", "key_malformed", /never set/],
    ["very long", () => "x".repeat(5_000), "key_malformed", /5000 characters/],
  ];
  for (const [name, string, reason, words] of CASES) {
    test(name, async () => {
      const before = (await usageRows(rig.dir)).length;
      const key = string(good.key);
      const seen = await chat(rig.gateway.base, { key, body: plain });
      const secrets = [key, good.key, good.key.slice(4, 30)].filter(text => text.length > 9);
      expect(expectRefused(seen, reason, secrets).message).toMatch(words);
      expect(await usageRows(rig.dir)).toHaveLength(before);
    });
  }

  test("with a real line break at its end: HTTP cannot carry it, and nothing breaks", async () => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${good.key}`;
    const text = await rawExchange(rig.gateway.url, `${head}\n\r\ncontent-length: 2\r\n\r\n{}`);
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await fetch(`${rig.gateway.url}/healthz`)).status).toBe(200);
  });

  test("on the paths that cost nothing, in the same words", async () => {
    for (const path of ["/v1/models", "/v1/models/mock", "/v1/key"]) {
      const ask = (headers: Record<string, string>) => fetch(rig.gateway.url + path, { headers });
      expectRefused(await answerOf(await ask({})), "key_missing");
      const cut = await answerOf(await ask({ authorization: `Bearer ${good.key.slice(0, 40)}` }));
      expectRefused(cut, "key_malformed", [good.key.slice(0, 40)]);
    }
  });
});

describe("the key may travel in any of three headers:", () => {
  const ask = (headers: Record<string, string>) =>
    fetch(`${rig.gateway.base}/chat/completions`, { method: "POST", headers, body: JSON.stringify(plain) });
  const openai = `sk-proj-${"Ab1".repeat(16)}T3BlbkFJ${"Cd2".repeat(16)}`;

  test("each alone, and among credentials of others", async () => {
    rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(1, 1))));
    const { key } = good;
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
      { authorization: key },
      { "x-api-key": key },
      { "x-goog-api-key": key },
      { authorization: `Bearer ${openai}`, "x-api-key": key },
      { authorization: `Bearer ${key}`, "x-api-key": "something else" },
      { authorization: `Bearer ${key.slice(0, 30)}`, "x-goog-api-key": key },
      { authorization: "Bearer kZ8-qPw_3vXr7LmN2tYb5HcD", "x-api-key": key },
    ]) {
      expect((await ask(headers)).status).toBe(200);
    }
  });

  test("two that are no keys are told of the one that comes nearest", async () => {
    const cut = good.key.slice(0, 40);
    const seen = await answerOf(await ask({ authorization: `Bearer ${openai}`, "x-api-key": cut }));
    expectRefused(seen, "key_malformed", [cut, openai]);
  });
});

describe("a key that is known is refused with a record:", () => {
  test("disabled, deleted, of a disabled account", async () => {
    const email = "off@example.org";
    await mustRun(rig.dir, ["account", "add", email, "--balance", "5"]);
    const disabled = await rig.key();
    const deleted = await rig.key();
    const orphan = await rig.key("--account", email);
    await mustRun(rig.dir, ["key", "disable", disabled.id]);
    await mustRun(rig.dir, ["key", "delete", deleted.id]);
    await mustRun(rig.dir, ["account", "disable", email]);
    for (const [made, reason] of [
      [disabled, "key_disabled"],
      [deleted, "key_deleted"],
      [orphan, "account_disabled"],
    ] as const) {
      const seen = await chat(rig.gateway.base, { key: made.key, body: plain });
      expectRefused(seen, reason, [made.key]);
      await expectOnRecord(made, seen.requestId, { reason, status: 401, model: "mock" });
      const list = await fetch(`${rig.gateway.base}/models`, { headers: { "x-api-key": made.key } });
      expectRefused(await answerOf(list), reason, [made.key]);
      const told = await fetch(`${rig.gateway.base}/key`, { headers: { "x-api-key": made.key } });
      expect(told.status).toBe(200);
    }
  });

  test("expired", async () => {
    const seen = await eventually(async () => {
      const answer = await chat(rig.gateway.base, { key: expiring.key, body: plain });
      return answer.status === 401 ? answer : null;
    });
    if (seen === null) throw new Error("it does not expire");
    expect(expectRefused(seen, "key_expired").message).toMatch(/\d{4}-\d\d-\d\dT/);
    await expectOnRecord(expiring, seen.requestId, { reason: "key_expired", status: 401 });
  });

  const CASES: readonly (readonly [string, readonly string[], string, string, RegExp])[] = [
    ["its group is disabled", ["--group", "closed"], "mock", "group_disabled", /“closed”/],
    ["a model of another group", [], "elsewhere", "model_not_in_group", /“elsewhere”.*call.*mock.*renamed/],
    ["a model that nobody knows", [], "gpt-99", "model_not_in_group", /“gpt-99”.*mock/],
    ["a model with a strange name", [], "{model} {key} <b>", "model_not_in_group", /the group has/],
    ["a model without a price", [], "unpriced", "model_unpriced", /“unpriced”/],
    ["a model that no upstream serves", [], "unserved", "no_upstream", /“unserved”/],
    ["a quota that is too small", ["--quota", "0.000001"], "mock", "key_quota_exhausted", /0\.000001 USD/],
    [
      "no subscription",
      ["--group", "subscribed"],
      "mock",
      "subscription_exhausted",
      /has none for the group “subscribed”/,
    ],
  ];
  for (const [name, options, model, reason, words] of CASES) {
    test(name, async () => {
      const made = await rig.key(...options);
      const seen = await chat(rig.gateway.base, { key: made.key, body: chatBody(model) });
      if (!model.includes("{")) expect(expectRefused(seen, reason, [made.key]).message).toMatch(words);
      else expect(seen.error?.reason).toBe(reason);
      await expectOnRecord(made, seen.requestId, { reason, status: seen.status, model });
    });
  }

  test("an empty balance", async () => {
    await mustRun(rig.dir, ["account", "add", "empty@example.org"]);
    const made = await rig.key("--account", "empty@example.org");
    const seen = await chat(rig.gateway.base, { key: made.key, body: plain });
    expectRefused(seen, "balance_exhausted", [made.key]);
    await expectOnRecord(made, seen.requestId, { reason: "balance_exhausted", status: 402 });
  });

  test("too many requests per minute", async () => {
    const made = await rig.key("--rpm", "1");
    rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(1, 1))));
    expect((await chat(rig.gateway.base, { key: made.key, body: plain })).status).toBe(200);
    const seen = await chat(rig.gateway.base, { key: made.key, body: plain });
    expectRefused(seen, "rate_limited", [made.key]);
    expect(Number(seen.headers.get("retry-after"))).toBeWithin(30, 61);
    expect(seen.headers.get("x-ratelimit-limit-requests")).toBe("1");
    expect(seen.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    await expectOnRecord(made, seen.requestId, { reason: "rate_limited", status: 429 });
  });

  test("too many requests at once", async () => {
    const made = await rig.key("--concurrency", "1");
    const waiting: UpstreamExchange[] = [];
    rig.upstream.script(exchange => void waiting.push(exchange));
    const first = chat(rig.gateway.base, { key: made.key, body: plain });
    await eventually(() => waiting.length === 1);
    const seen = await chat(rig.gateway.base, { key: made.key, body: plain });
    expectRefused(seen, "concurrency_limited", [made.key]);
    await expectOnRecord(made, seen.requestId, { reason: "concurrency_limited", status: 429 });
    await waiting[0]?.reply(200, chatCompletion("Hi", usageOf(1, 1)));
    expect((await first).status).toBe(200);
  });
});
