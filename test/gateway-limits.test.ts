import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { expectRefused } from "./case-refusal.ts";
import { applyYaml, eventually, type MadeKey, mustRun } from "./harness.ts";
import { type ChatAnswer, chat, chatBody, chatHead, rawConnection } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatCompletion, chatEvent, DONE, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** Limits by the minute, at once and by the day: of a key, of an account, as a group sets them; and what clients see. */

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  await applyYaml(
    rig.dir,
    `groups:
  - { name: paced, models: [mock, call], limits: { requests_per_minute: 30 } }
  - { name: single, models: [mock, call], limits: { concurrency: 1 } }
  - { name: thrifty, models: [mock, call], limits: { spend_per_day: 0.02 } }
  - { name: wordy, models: [mock, call], limits: { tokens_per_minute: 60000 } }`,
  );
});
afterAll(() => rig.stop());

const answer = (exchange: UpstreamExchange) => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2)));

function ask(key: string, model = "call"): Promise<ChatAnswer> {
  rig.upstream.script(answer);
  return chat(rig.gateway.base, { key, body: chatBody(model) });
}

let accounts = 0;
/** Two keys of an account with limits of its own. */
async function twoKeys(...limits: string[]): Promise<[MadeKey, MadeKey]> {
  accounts += 1;
  const email = `limited${accounts}@example.org`;
  await mustRun(rig.dir, ["account", "add", email, "--balance", "10"]);
  await mustRun(rig.dir, ["account", "limit", email, ...limits]);
  const key = async () => ({ ...(await rig.key("--account", email)), account: email });
  return [await key(), await key()];
}

const rates = ({ headers }: ChatAnswer) =>
  [...headers.keys()].filter(name => name.startsWith("x-ratelimit-"));

/** Whole seconds; after so many it passes. */
async function waitAsTold(seen: ChatAnswer, what: string): Promise<void> {
  const after = seen.headers.get("retry-after") ?? "";
  expect(after).toMatch(/^[1-9]\d*$/);
  expect(seen.headers.get(`x-ratelimit-remaining-${what}`)).toBe("0");
  expect(seen.headers.get(`x-ratelimit-reset-${what}`)).toBe(`${after}s`);
  await Bun.sleep(Number(after) * 1_000);
}

describe("requests per minute", () => {
  /** A whole minute's worth at once, then one every two seconds. */
  async function expectPaced(keys: readonly string[], limit: number): Promise<void> {
    for (let at = 0; at < limit; at++) {
      const seen = await ask(keys[at % keys.length] ?? "");
      expect(seen.status).toBe(200);
      expect(seen.headers.get("x-ratelimit-limit-requests")).toBe(String(limit));
      const left = Number(seen.headers.get("x-ratelimit-remaining-requests"));
      expect(left).toBeWithin(limit - at - 1, limit - at + 1);
      expect(seen.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+s$/);
    }
    for (const key of keys) {
      const seen = await ask(key);
      expectRefused(seen, "rate_limited");
      expect(seen.headers.get("x-ratelimit-limit-requests")).toBe(String(limit));
      if (key === keys.at(-1)) await waitAsTold(seen, "requests");
    }
    expect((await ask(keys[0] ?? "")).status).toBe(200);
  }

  test("of a key", async () => expectPaced([(await rig.key("--rpm", "30")).key], 30));

  test("of an account, over two of its keys", async () => {
    const keys = await twoKeys("--rpm", "30");
    await expectPaced(
      keys.map(({ key }) => key),
      30,
    );
  });

  test("as its group sets them, unless the key sets its own", async () => {
    await expectPaced([(await rig.key("--group", "paced")).key], 30);
    const own = await ask((await rig.key("--group", "paced", "--rpm", "5")).key);
    expect(own.headers.get("x-ratelimit-limit-requests")).toBe("5");
  });

  test("of which the one that leaves less is told", async () => {
    const [loose] = await twoKeys("--rpm", "10");
    const tight = await rig.key("--account", loose.account, "--rpm", "5");
    const first = await ask(tight.key);
    expect(first.headers.get("x-ratelimit-limit-requests")).toBe("5");
    for (let at = 0; at < 6; at++) await ask(loose.key);
    const second = await ask(tight.key);
    expect(second.headers.get("x-ratelimit-limit-requests")).toBe("10");
    expect(second.headers.get("x-ratelimit-remaining-requests")).toBe("2");
  });
});

test("a client without a limit is told of none", async () => {
  const { key } = await rig.key();
  expect(rates(await ask(key))).toEqual([]);
  rig.upstream.script(exchange => exchange.stream([chatEvent({ content: "Hi" }), DONE]));
  const body = chatBody("mock", { stream: true });
  expect(rates(await chat(rig.gateway.base, { key, body }))).toEqual([]);
  const limited = (await rig.key("--rpm", "9")).key;
  expect(rates(await chat(rig.gateway.base, { key: limited, body }))).toHaveLength(3);
});

test("the official library waits as it is told, and gets its answer", async () => {
  const { key } = await rig.key("--rpm", "60");
  for (let at = 0; at < 60; at++) await ask(key);
  const patient = new OpenAI({ baseURL: rig.gateway.base, apiKey: key, maxRetries: 2 });
  const tick = performance.now();
  const { data, response } = await patient.chat.completions
    .create({ model: "mock", messages: [{ role: "user", content: "Hello" }] })
    .withResponse();
  expect(data.choices[0]?.message.content).toBe("Hi");
  expect(response.headers.get("x-ratelimit-limit-requests")).toBe("60");
  expect(performance.now() - tick).toBeWithin(300, 10_000);
});

describe("tokens per minute", () => {
  for (const [whose, made] of [
    ["of a key", () => rig.key("--tpm", "60000").then(key => [key])],
    ["of an account, over two of its keys", () => twoKeys("--tpm", "60000")],
    ["as its group sets them", () => rig.key("--group", "wordy").then(key => [key])],
  ] as const) {
    test(`${whose} count what was used`, async () => {
      const keys = await made();
      const [first, last] = [keys[0]?.key ?? "", keys.at(-1)?.key ?? ""];
      rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(61_000, 500))));
      const seen = await chat(rig.gateway.base, { key: first, body: chatBody("mock") });
      expect(seen.status).toBe(200);
      expect(seen.headers.get("x-ratelimit-limit-tokens")).toBe("60000");
      expect(Number(seen.headers.get("x-ratelimit-remaining-tokens"))).toBeWithin(59_900, 60_000);
      const refused = await eventually(async () => {
        const next = await ask(last);
        return next.status === 429 ? next : null;
      }, 3_000);
      if (refused === null) throw new Error("it is not refused");
      expectRefused(refused, "rate_limited");
      expect(refused.headers.get("x-ratelimit-limit-tokens")).toBe("60000");
      await waitAsTold(refused, "tokens");
      expect((await ask(last)).status).toBe(200);
    });
  }
});

describe("spending by the day", () => {
  for (const [whose, made, reason] of [
    ["of a key", () => rig.key("--spend-per-day", "0.02").then(key => [key]), "key_quota_exhausted"],
    [
      "of an account, over two of its keys",
      () => twoKeys("--spend-per-day", "0.02"),
      "account_limit_exhausted",
    ],
    ["as its group sets it", () => rig.key("--group", "thrifty").then(key => [key]), "key_quota_exhausted"],
  ] as const) {
    test(whose, async () => {
      const keys = await made();
      const [first, last] = [keys[0]?.key ?? "", keys.at(-1)?.key ?? ""];
      expect((await ask(first)).status).toBe(200);
      expect((await ask(last)).status).toBe(200);
      for (const key of [first, last]) {
        const seen = await ask(key);
        expect(expectRefused(seen, reason).message).toMatch(/0\.00 USD are left .*T00:00:00Z/);
        expect(seen.headers.get("retry-after")).toBe(null);
      }
    });
  }
});

describe("a place of those running at once is free again", () => {
  /** While one runs the next is refused; when it has ended the next one passes. */
  async function expectFree(
    keys: readonly MadeKey[],
    end: (exchange: UpstreamExchange) => unknown,
    stream: boolean,
  ) {
    const [first, last] = [keys[0]?.key ?? "", keys.at(-1)?.key ?? ""];
    const from = rig.upstream.exchanges.length;
    rig.upstream.script(async exchange => {
      if (!stream) return;
      await exchange.begin();
      await exchange.piece(chatEvent({ content: "Hi" }));
    });
    const body = JSON.stringify(chatBody("mock", { stream }));
    const socket = await rawConnection(rig.gateway.url, chatHead(rig.gateway.url, first, body));
    socket.on("error", () => {});
    const exchange = await eventually(() => rig.upstream.exchanges[from] ?? null);
    if (exchange === null) throw new Error("the upstream was not asked");
    if (stream) await new Promise(resolve => socket.once("data", resolve));
    const refused = await ask(last);
    expectRefused(refused, "concurrency_limited");
    expect(refused.headers.get("retry-after")).toBe("1");
    if ((await end(exchange)) === "leave") socket.destroy();
    const tick = performance.now();
    expect(await eventually(async () => (await ask(last)).status === 200, 5_000)).toBe(true);
    expect(performance.now() - tick).toBeLessThan(2_000);
    socket.destroy();
  }

  const ENDS: readonly (readonly [string, boolean, (exchange: UpstreamExchange) => unknown])[] = [
    ["after an answer", false, exchange => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2)))],
    ["after a stream", true, exchange => exchange.piece(DONE).then(() => exchange.end())],
    ["after a failure of the upstream", false, exchange => exchange.reply(500, "{}")],
    ["after a connection that the upstream cut in mid-stream", true, exchange => exchange.cut()],
    ["after a client that left before the first byte", false, () => "leave"],
    ["after a client that left in mid-stream", true, () => "leave"],
  ];
  for (const [name, stream, end] of ENDS) {
    test(`${name}, of a key`, async () => expectFree([await rig.key("--concurrency", "1")], end, stream));
  }

  test("of an account, over two of its keys", async () => {
    for (const [, stream, end] of ENDS.slice(-2))
      await expectFree(await twoKeys("--concurrency", "1"), end, stream);
  });

  test("as its group sets it", async () => {
    for (const [, stream, end] of ENDS.slice(0, 1))
      await expectFree([await rig.key("--group", "single")], end, stream);
  });
});
