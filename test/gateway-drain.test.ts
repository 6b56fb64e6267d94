import { afterEach, describe, expect, test } from "bun:test";
import {
  applyYaml,
  eventually,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  startGateway,
  usageRows,
  verifyClean,
} from "./harness.ts";
import { chatBody, chatHead, rawConnection } from "./harness-client.ts";
import { KeptConnection } from "./harness-kept.ts";

/** SIGTERM: what runs may finish, what does not is ended in its dialect, and all of it is settled. */

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const yaml = `
upstreams:
  - name: demo
    kind: demo
    speaks: [chat, responses, messages]
    models: { slow: demo-delay-20-tokens-60, endless: demo-delay-50-tokens-100000 }
models:
  - { name: slow, price: { input: 1, output: 1 } }
  - { name: endless, price: { input: 1, output: 1 } }
groups: [{ name: default, models: [slow, endless] }]
accounts: [{ email: ann@example.org, balance: 10 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]
`;

async function running(env: Record<string, string> = {}): Promise<{ gateway: Gateway; key: string }> {
  const dir = freshDir();
  cleanUps.push(() => removeDir(dir));
  const { key } = keyOf(await applyYaml(dir, yaml), "laptop");
  const gateway = await startGateway(dir, env);
  cleanUps.push(gateway.kill);
  return { gateway, key };
}

type Conversation = { path: string; body: Record<string, unknown>; lastEvent: RegExp; neverSays: string };

const messages = [{ role: "user", content: "Hello" }];
const dialects: Record<string, Conversation> = {
  chat: {
    path: "/v1/chat/completions",
    body: { messages },
    lastEvent: /data: \{"error":\{[^\n]*"reason":"draining"[^\n]*\}\n\n$/,
    neverSays: "[DONE]",
  },
  responses: {
    path: "/v1/responses",
    body: { input: "Hello" },
    lastEvent: /event: response\.failed\ndata: [^\n]*\n\n$/,
    neverSays: "response.completed",
  },
  messages: {
    path: "/v1/messages",
    body: { messages, max_tokens: 100_000 },
    lastEvent: /event: error\ndata: [^\n]*"reason":"draining"[^\n]*\n\n$/,
    neverSays: "message_stop",
  },
};

function open(gateway: Gateway, { path, body }: Conversation, key: string): Promise<Response> {
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "endless", stream: true, ...body }),
    signal: AbortSignal.timeout(30_000),
  });
}

/** Begins one stream in each dialect and gives what each of them said, when it is over. */
async function streamsIn(gateway: Gateway, key: string): Promise<Promise<string>[]> {
  const answers = await Promise.all(Object.values(dialects).map(one => open(gateway, one, key)));
  await Bun.sleep(300);
  return answers.map(answer => answer.text());
}

async function expectEnded(gateway: Gateway, texts: readonly string[]): Promise<void> {
  for (const [at, { lastEvent, neverSays }] of Object.values(dialects).entries()) {
    expect(texts[at]).toMatch(lastEvent);
    expect(texts[at]).not.toContain(neverSays);
  }
  const rows = await usageRows(gateway.dir);
  expect(rows.map(({ state, reason }) => ({ state, reason }))).toEqual(
    rows.map(() => ({ state: "settled", reason: "draining" })),
  );
  expect(rows.length).toBe(3);
  for (const { output_tokens } of rows) expect(output_tokens).toBeGreaterThan(0);
  await verifyClean(gateway.dir);
}

const signal = ({ pid }: Gateway) => process.kill(pid, "SIGTERM");
const isNotReady = async ({ url }: Gateway) => (await fetch(`${url}/readyz`)).status === 503;

describe("a gateway that drains", () => {
  test("ends what does not finish in time with the terminal event of its dialect, settles it, and exits with 0", async () => {
    const { gateway, key } = await running({ WICKETGATE_DRAIN_SECONDS: "1" });
    const streams = await streamsIn(gateway, key);
    signal(gateway);
    const texts = await Promise.all(streams);
    expect(await gateway.exited).toBe(0);
    await expectEnded(gateway, texts);
  });

  test("ends it now when it is told a second time, as properly", async () => {
    const { gateway, key } = await running({ WICKETGATE_DRAIN_SECONDS: "600" });
    const streams = await streamsIn(gateway, key);
    signal(gateway);
    await Bun.sleep(500);
    expect(gateway.log()).not.toContain("server.stopped");
    signal(gateway);
    const texts = await Promise.all(streams);
    expect(await gateway.exited).toBe(0);
    await expectEnded(gateway, texts);
  });

  test("is not ready at once, refuses new work on a kept connection with a time to come back, and closes it", async () => {
    const { gateway, key } = await running();
    const request = (model: string, more = {}) =>
      chatHead(gateway.url, key, JSON.stringify(chatBody(model, more)));
    const kept = new KeptConnection(gateway.url);
    const slow = new KeptConnection(gateway.url);
    expect((await kept.ask(request("slow"))).status).toBe(200);
    const streaming = slow.ask(request("slow", { stream: true }));
    await eventually(async () => (await usageRows(gateway.dir)).length === 2);
    signal(gateway);
    expect(await eventually(() => isNotReady(gateway), 1_000)).toBe(true);
    const { status, text } = await kept.ask(request("slow"));
    expect(status).toBe(503);
    expect(text).toContain('"reason":"draining"');
    expect(text).toMatch(/^retry-after: \d+\r$/im);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(kept.connections).toBe(1);
    const { text: said, isWhole } = await streaming;
    expect(isWhole).toBe(true);
    expect(said).toContain("data: [DONE]");
    slow.close();
    expect(await gateway.exited).toBe(0);
    await verifyClean(gateway.dir);
  });

  test("waits for a request whose body was on its way, and not for ever for one that never comes", async () => {
    const { gateway, key } = await running({ WICKETGATE_DRAIN_SECONDS: "2" });
    const whole = chatHead(gateway.url, key, JSON.stringify(chatBody("slow")));
    const half = whole.slice(0, -10);
    const late = await rawConnection(gateway.url, half);
    const never = await rawConnection(gateway.url, half);
    const answered = Promise.withResolvers<string>();
    late.once("data", piece => answered.resolve(piece.toString("latin1")));
    never.on("error", () => undefined);
    await Bun.sleep(300);
    signal(gateway);
    await Bun.sleep(300);
    late.write(whole.slice(-10));
    expect(await answered.promise).toStartWith("HTTP/1.1 200 ");
    expect(await gateway.exited).toBe(0);
    const rows = await usageRows(gateway.dir);
    expect(rows.map(({ state }) => state).sort()).toEqual(["refused", "settled"]);
    late.destroy();
    never.destroy();
    await verifyClean(gateway.dir);
  });
});
