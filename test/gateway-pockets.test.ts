import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectRefused } from "./case-refusal.ts";
import { applyYaml, mustRun, nanos, settledRow, verifyClean } from "./harness.ts";
import { chat, chatBody, openStream } from "./harness-client.ts";
import { type Rig, startRig, UPSTREAM_NAME } from "./harness-rig.ts";
import { chatCompletion, chatEvent, DONE, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** Who pays: the balance, a subscription, or the one and then the other; and what a key is told of it. */

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  await applyYaml(rig.dir, catalogueYaml());
});
afterAll(() => rig.stop());

const MODELS = "mock, call, tiered";
const catalogueYaml = (multiplier = 1) => `
upstreams:
  - { name: ${UPSTREAM_NAME}, kind: openai-compatible, base_url: "${rig.upstream.baseUrl}", models: [${MODELS}] }
models:
  - name: tiered
    max_output_tokens: 1000
    price: { input: 1, output: 10, tiers: [{ above: 1000, input: 2, output: 30 }] }
groups:
  - { name: default, models: [${MODELS}], multiplier: ${multiplier} }
  - { name: subscribed, models: [${MODELS}], billing: subscription }
  - { name: first, models: [${MODELS}], billing: subscription-first }
  - { name: limited, models: [${MODELS}], limits: { requests_per_minute: 7, spend_per_day: 0.02 } }
plans:
  - { name: daily, groups: [subscribed, first], quota: 0.05, window: day }
  - { name: once, groups: [first], quota: 0.02, window: total }
`;

let accounts = 0;
/** An account of its own, with 1 USD and the subscriptions that are named. */
async function subscriber(group: string, plans: readonly string[] = [], ...options: string[]) {
  accounts += 1;
  const email = `payer${accounts}@example.org`;
  const list = plans.map(plan => `{ plan: ${plan} }`).join(", ");
  await applyYaml(rig.dir, `accounts: [{ email: ${email}, balance: 1, subscriptions: [${list}] }]`);
  return { email, ...(await rig.key("--account", email, "--group", group, ...options)) };
}

const answer = (exchange: UpstreamExchange) => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2)));

/** One cent each. */
async function call(key: string) {
  rig.upstream.script(answer);
  const seen = await chat(rig.gateway.base, { key, body: chatBody("call") });
  const row = seen.status === 200 ? await settledRow(rig.dir, seen.requestId) : null;
  return { seen, row };
}

async function balanceOf(email: string): Promise<string> {
  const listed = await mustRun(rig.dir, ["account", "list", "--json"]);
  const found = (JSON.parse(listed) as { email: string; balance: string }[]).find(one => one.email === email);
  return found?.balance ?? "none";
}

type Step = { step: string; ok: boolean; reason?: string; message?: string };
type KeyPage = {
  limits: Record<string, unknown>;
  account_limits: Record<string, unknown>;
  held_usd: string;
  pockets: {
    billing: string;
    key_quota: { left_usd: string } | null;
    subscriptions: Record<string, string | null>[];
    balance: { left_usd: string };
  };
  checks: Step[];
};

async function keyPage(key: string, model?: string): Promise<KeyPage> {
  const query = model === undefined ? "" : `?model=${model}`;
  const headers = { authorization: `Bearer ${key}` };
  return (await (await fetch(`${rig.gateway.base}/key${query}`, { headers })).json()) as KeyPage;
}

const failing = ({ checks }: KeyPage) => checks.filter(({ ok }) => !ok).map(({ step }) => step);

function midnight(): string {
  return `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
}

describe("a group that is paid by subscription", () => {
  test("spends the plan and not the balance, and then says what is left and when it fills again", async () => {
    const { email, key } = await subscriber("subscribed", ["daily"]);
    for (let at = 0; at < 5; at++) {
      const { row } = await call(key);
      expect(row).toMatchObject({ status: 200, cost: "0.01" });
      expect(row?.pocket).toMatch(/^sub_/);
    }
    const { seen } = await call(key);
    const { message } = expectRefused(seen, "subscription_exhausted");
    expect(message).toContain(`“daily” has 0.00 USD left and fills again at ${midnight()}`);
    expect(message).toContain("needs up to 0.01 USD");
    expect(await balanceOf(email)).toBe("1.00");
    const page = await keyPage(key, "call");
    expect(failing(page)).toEqual(["balance"]);
    expect(page.checks.find(({ step }) => step === "balance")).toMatchObject({
      reason: "subscription_exhausted",
    });
    // Nothing is left for any model.
    expect(failing(await keyPage(key))).toEqual(["balance"]);
    await verifyClean(rig.dir);
  });

  test("refuses an account that has none, in words of its own", async () => {
    const { key } = await subscriber("subscribed");
    const { seen } = await call(key);
    expect(expectRefused(seen, "subscription_exhausted").message).toContain(
      "it has none for the group “subscribed”",
    );
    expect(failing(await keyPage(key, "call"))).toEqual(["balance"]);
  });

  test("ends a stream at what the plan affords, with its reason", async () => {
    const { key } = await subscriber("subscribed", ["daily"]);
    rig.upstream.script(exchange =>
      exchange.firehose(Buffer.from(chatEvent({ content: " one two six ten" }))),
    );
    const seen = await chat(rig.gateway.base, {
      key,
      body: chatBody("mock", { stream: true, max_tokens: 90_000 }),
    });
    expect(Number(seen.headers.get("x-wicketgate-max-tokens"))).toBeWithin(4_900, 5_000);
    expect(seen.text).toContain('"finish_reason":"length"');
    const row = await settledRow(rig.dir, seen.requestId);
    expect(row).toMatchObject({ status: 200, reason: "subscription_exhausted" });
    expect(nanos(row.cost)).toBeLessThanOrEqual(nanos("0.05"));
    expect(row.pocket).toMatch(/^sub_/);
  });
});

describe("a group that is paid by subscription first", () => {
  test("uses what ends or was made first, then the other, then the balance; each row names its pocket", async () => {
    const { email, key } = await subscriber("first", ["daily", "once"]);
    const pockets: (string | null)[] = [];
    for (let at = 0; at < 9; at++) pockets.push((await call(key)).row?.pocket ?? null);
    const [first] = pockets;
    const second = pockets.find(pocket => pocket !== first);
    const counts = [first, second, "balance"].map(one => pockets.filter(pocket => pocket === one).length);
    expect(counts[2]).toBe(2);
    expect(counts.slice(0, 2).sort()).toEqual([2, 5]);
    expect(pockets.slice(-2)).toEqual(["balance", "balance"]);
    expect(await balanceOf(email)).toBe("0.98");
  });

  test("a refusal tells of every pocket", async () => {
    const { email, key } = await subscriber("first", ["once"]);
    await mustRun(rig.dir, ["account", "debit", email, "0.995", "--reason", "test"]);
    await call(key);
    await call(key);
    const { message } = expectRefused((await call(key)).seen, "balance_exhausted");
    expect(message).toContain("0.005 USD are free and it needs up to 0.01 USD");
    expect(message).toContain("“once” has 0.00 USD left and does not fill again");
  });

  test("a stream moves whole to the balance when the plan does not give enough", async () => {
    const { email, key } = await subscriber("first", ["daily"]);
    const usage = usageOf(5, 8_000);
    rig.upstream.script(exchange =>
      exchange.stream([chatEvent({ content: "Hi" }), chatEvent({ usage }), DONE]),
    );
    const body = chatBody("mock", { stream: true, max_tokens: 10_000 });
    const seen = await chat(rig.gateway.base, { key, body });
    const row = await settledRow(rig.dir, seen.requestId);
    expect(row).toMatchObject({ pocket: "balance", source: "reported", output_tokens: 8_000 });
    expect(await balanceOf(email)).toBe("0.919995");
    expect((await keyPage(key)).pockets.subscriptions).toMatchObject([{ left_usd: "0.05" }]);
    await verifyClean(rig.dir);
  });
});

describe("the key's own page", () => {
  test("shows pockets, limits and what runs, as they are now", async () => {
    const { email, key } = await subscriber(
      "first",
      ["daily", "once"],
      "--quota",
      "0.5",
      "--spend-per-day",
      "0.3",
    );
    await mustRun(rig.dir, ["account", "limit", email, "--rpm", "30", "--spend-per-month", "0.4"]);
    await call(key);
    const page = await keyPage(key, "call");
    expect(failing(page)).toEqual([]);
    expect(page.limits).toEqual({
      quota_usd: "0.50",
      requests_per_minute: null,
      tokens_per_minute: null,
      concurrency: null,
      spend_per_day_usd: "0.30",
      spend_per_week_usd: null,
      spend_per_month_usd: null,
      expires_at: null,
    });
    expect(page.account_limits).toMatchObject({ requests_per_minute: 30, spend_per_month_usd: "0.40" });
    expect(page.pockets).toMatchObject({
      billing: "subscription-first",
      key_quota: { left_usd: "0.49" },
      balance: { left_usd: "1.00" },
    });
    const byPlan = new Map(page.pockets.subscriptions.map(one => [one["plan"], one]));
    const spent = ["daily", "once"].filter(
      plan => byPlan.get(plan)?.["left_usd"] !== byPlan.get(plan)?.["quota_usd"],
    );
    expect(spent).toHaveLength(1);
    expect(byPlan.get("daily")).toMatchObject({
      window: "day",
      quota_usd: "0.05",
      fills_again_at: midnight().replace("Z", ".000Z"),
      until: null,
    });
    expect(byPlan.get("once")).toMatchObject({ window: "total", quota_usd: "0.02", fills_again_at: null });
    expect(page.checks.map(({ step }) => step)).toEqual([
      ...["key", "account", "group", "model", "limits", "key_quota", "account_limits", "balance", "upstream"],
    ]);
  });

  test("names a limit by the day that is used up, with and without a model, and the group's defaults", async () => {
    const { key } = await subscriber("limited");
    expect((await keyPage(key)).limits).toMatchObject({ requests_per_minute: 7, spend_per_day_usd: "0.02" });
    await call(key);
    await call(key);
    const message = expectRefused((await call(key)).seen, "key_quota_exhausted").message;
    expect(message).toContain(`0.00 USD are left of 0.02 USD for the day, until ${midnight()},`);
    for (const model of [undefined, "call"])
      expect(failing(await keyPage(key, model))).toEqual(["key_quota"]);
  });

  test("names the account's limits, whichever key spent", async () => {
    const { email, key } = await subscriber("default");
    const other = await rig.key("--account", email);
    await mustRun(rig.dir, ["account", "limit", email, "--spend-per-week", "0.02"]);
    await call(key);
    await call(other.key);
    const message = expectRefused((await call(key)).seen, "account_limit_exhausted").message;
    expect(message).toContain("may spend 0.02 USD a week: 0.00 USD are left until ");
    for (const model of [undefined, "call"])
      expect(failing(await keyPage(other.key, model))).toEqual(["account_limits"]);
    // A rate that is used up is seen without a model, too.
    await mustRun(rig.dir, ["account", "limit", email, "--rpm", "1"]);
    await call(key);
    for (const model of [undefined, "call"]) expect(failing(await keyPage(key, model))).toEqual(["limits"]);
  });
});

describe("the price", () => {
  test("keeps the multiplier of its admission, while it is changed", async () => {
    const { email, key } = await subscriber("default");
    const from = rig.upstream.exchanges.length;
    rig.upstream.script(exchange =>
      exchange.begin().then(() => exchange.piece(chatEvent({ content: "Hi" }))),
    );
    const running = await openStream(rig.gateway.base, { key, body: chatBody("mock", { stream: true }) });
    await running.bytes(1);
    await applyYaml(rig.dir, catalogueYaml(3));
    expect((await call(key)).row?.cost).toBe("0.03");
    const exchange = rig.upstream.exchanges[from];
    await exchange?.piece(chatEvent({ finish: "stop" }) + chatEvent({ usage: usageOf(100, 200) }) + DONE);
    await exchange?.end();
    await running.ended;
    const row = await settledRow(rig.dir, running.requestId);
    expect(nanos(row.cost)).toBe(100n * 1_000n + 200n * 10_000n);
    expect(await balanceOf(email)).toBe("0.9679");
    await applyYaml(rig.dir, catalogueYaml());
    await verifyClean(rig.dir);
  });

  test("of a long input is its tier, for every token", async () => {
    const { key } = await subscriber("default");
    const ask = async (input: number) => {
      rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(input, 100))));
      const body = chatBody("tiered", { messages: [{ role: "user", content: "word ".repeat(400) }] });
      return settledRow(rig.dir, (await chat(rig.gateway.base, { key, body })).requestId);
    };
    expect(nanos((await ask(1_000)).cost)).toBe(1_000n * 1_000n + 100n * 10_000n);
    const dear = await ask(1_001);
    expect(nanos(dear.cost)).toBe(1_001n * 2_000n + 100n * 30_000n);
    expect(nanos(dear.held)).toBeGreaterThanOrEqual(nanos(dear.cost));
  });
});
