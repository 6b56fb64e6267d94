import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually, mustRun, nanos, plainEnvironment, ROOT, usageRows, verifyClean } from "./harness.ts";
import { chat, chatBody, chatHead, errorOf } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { type StormAnswer, storm } from "./harness-storm.ts";
import { chatCompletion, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** Nobody spends what they do not have, however many ask at the same moment. */

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

const callBody = JSON.stringify(chatBody("call"));
const answer = (exchange: UpstreamExchange) => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2)));

function byReason(answers: readonly StormAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status === 200 ? "200" : `${status} ${errorOf(body)?.reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe("1,000 requests at once", () => {
  test("on a key whose quota pays for exactly 10: 10 are admitted, 990 refused, each on record", async () => {
    const key = await rig.key("--quota", "0.10");
    const before = rig.upstream.received.length;
    rig.upstream.script(answer);
    const { answers, answered, end } = await storm(
      rig.gateway.url,
      chatHead(rig.gateway.url, key.key, callBody),
      1000,
    );
    await answered(1000);
    end();
    expect(byReason(answers)).toEqual({ "200": 10, "402 key_quota_exhausted": 990 });
    expect(rig.upstream.received.length - before).toBe(10);

    const rows = await usageRows(rig.dir, key.id);
    expect(rows.length).toBe(1000);
    expect(new Set(rows.map(row => row.id))).toEqual(new Set(answers.map(seen => seen.requestId)));
    expect(rows.filter(row => row.state === "settled").map(row => row.cost)).toEqual(Array(10).fill("0.01"));
    expect(rows.filter(row => row.state === "refused" && row.cost === "0.00").length).toBe(990);
    await verifyClean(rig.dir);
  });

  test("are a page of usage that arrives whole through a pipe", async () => {
    // A reader that is in no hurry finds out what is lost when the program does not wait for it.
    const child = Bun.spawn(
      ["sh", "-c", '"$0" src/main.ts usage --json --limit 1000 | (sleep 1; cat)', process.execPath],
      {
        cwd: ROOT,
        env: plainEnvironment({ WICKETGATE_DATA_DIR: rig.dir }),
        stdout: "pipe",
        timeout: 20_000,
      },
    );
    expect(JSON.parse(await new Response(child.stdout).text())).toHaveLength(1000);
  });

  test("on an account whose balance pays for exactly 10, over two of its keys", async () => {
    const email = "poor@example.org";
    await mustRun(rig.dir, ["account", "add", email, "--balance", "0.10"]);
    const keys = [await rig.key("--account", email), await rig.key("--account", email)];
    rig.upstream.script(answer);
    const storms = await Promise.all(
      keys.map(({ key }) => storm(rig.gateway.url, chatHead(rig.gateway.url, key, callBody), 500)),
    );
    await Promise.all(storms.map(({ answered }) => answered(500)));
    for (const { end } of storms) end();
    expect(byReason(storms.flatMap(({ answers }) => answers))).toEqual({
      "200": 10,
      "402 balance_exhausted": 990,
    });
    await verifyClean(rig.dir);
    const accounts = JSON.parse(await mustRun(rig.dir, ["account", "list", "--json"])) as {
      email: string;
      balance: string;
    }[];
    expect(accounts.find(account => account.email === email)?.balance).toBe("0.00");
  });

  test("while the first 10 are still running, their holds alone keep the others out", async () => {
    const key = await rig.key("--quota", "0.10");
    const waiting: UpstreamExchange[] = [];
    rig.upstream.script(exchange => void waiting.push(exchange));
    const { answers, answered, end } = await storm(
      rig.gateway.url,
      chatHead(rig.gateway.url, key.key, callBody),
      200,
    );
    await answered(190);
    expect(byReason(answers)).toEqual({ "402 key_quota_exhausted": 190 });
    expect(await eventually(() => waiting.length === 10)).toBe(true);
    for (const exchange of waiting) await exchange.reply(500, "{}");
    await answered(200);
    end();
    expect(byReason(answers)).toEqual({ "402 key_quota_exhausted": 190, "502 upstream_failed": 10 });

    // What failed cost nothing, so the money is free again.
    rig.upstream.script(answer);
    const again = await chat(rig.gateway.base, { key: key.key, body: chatBody("call") });
    expect(again.status).toBe(200);
    await verifyClean(rig.dir);
  });
});

describe("limits at once", () => {
  test("requests per minute: exactly as many as allowed", async () => {
    const key = await rig.key("--rpm", "5");
    rig.upstream.script(answer);
    const { answers, answered, end } = await storm(
      rig.gateway.url,
      chatHead(rig.gateway.url, key.key, callBody),
      200,
    );
    await answered(200);
    end();
    expect(byReason(answers)).toEqual({ "200": 5, "429 rate_limited": 195 });
  });

  test("concurrency: exactly as many run, and a place is free again when one ends", async () => {
    const key = await rig.key("--concurrency", "3");
    const waiting: UpstreamExchange[] = [];
    rig.upstream.script(exchange => void waiting.push(exchange));
    const { answers, answered, end } = await storm(
      rig.gateway.url,
      chatHead(rig.gateway.url, key.key, callBody),
      100,
    );
    await answered(97);
    expect(byReason(answers)).toEqual({ "429 concurrency_limited": 97 });
    expect(await eventually(() => waiting.length === 3)).toBe(true);
    const [first, ...others] = waiting;
    await first?.reply(200, chatCompletion("Hi", usageOf(5, 2)));
    await answered(98);
    rig.upstream.script(answer);
    const ask = { key: key.key, body: chatBody("call") };
    expect(
      (await eventually(async () => (await chat(rig.gateway.base, ask)).status === 200, 5_000)) ?? 0,
    ).toBe(true);
    for (const exchange of others) await exchange.reply(200, chatCompletion("Hi", usageOf(5, 2)));
    await answered(100);
    end();
    await verifyClean(rig.dir);
  });

  test("tokens per minute count what was really used", async () => {
    const key = await rig.key("--tpm", "1000");
    rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(900, 400))));
    const ask = { key: key.key, body: chatBody("mock", { max_tokens: 500 }) };
    expect((await chat(rig.gateway.base, ask)).status).toBe(200);
    const second = await eventually(async () => {
      const seen = await chat(rig.gateway.base, ask);
      return seen.status === 429 ? seen : null;
    }, 3_000);
    expect(second?.error?.reason).toBe("rate_limited");
    expect(second?.headers.get("x-ratelimit-limit-tokens")).toBe("1000");
  });
});

test("less is granted where the pocket affords less, and the upstream is told so", async () => {
  // 10 USD per million output tokens: 0.003 USD pay for the input and somewhat fewer than 300 tokens.
  const key = await rig.key("--quota", "0.003");
  rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2))));
  const seen = await chat(rig.gateway.base, { key: key.key, body: chatBody("mock", { max_tokens: 1000 }) });
  expect(seen.status).toBe(200);
  const granted = Number(seen.headers.get("x-wicketgate-max-tokens"));
  expect(granted).toBeGreaterThan(64);
  expect(granted).toBeLessThan(300);
  expect(rig.upstream.exchanges.at(-1)?.body["max_tokens"]).toBe(granted);
  const [row] = await usageRows(rig.dir, key.id);
  expect(nanos(row?.held ?? "9")).toBeLessThanOrEqual(nanos("0.003"));
});
