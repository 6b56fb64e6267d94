import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyYaml, eventually, mustRun, nanos, settledRow, wicketgate } from "./harness.ts";
import { chat, chatBody, openStream, type StreamSeen, streamError } from "./harness-client.ts";
import { EMAIL, type Rig, rigYaml, startRig } from "./harness-rig.ts";
import { chatCompletion, chatEvent, DONE, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** What is decided about a key holds at once, also for what it is doing at the moment. */

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

const EVENTS = 400;
const CONTENT = "eight letters and more ";
/** A stream of at least eight seconds, an event every 20 ms. */
async function slowStream(exchange: UpstreamExchange): Promise<void> {
  await exchange.begin();
  for (let at = 0; at < EVENTS && exchange.isOpen; at++) {
    await exchange.piece(chatEvent({ content: CONTENT }));
    await Bun.sleep(20);
  }
  await exchange.piece(DONE);
  await exchange.end();
}
/** What the delivered text alone would cost in full: 10 USD per million tokens of four letters. */
const WHOLE = BigInt((EVENTS * CONTENT.length) / 4) * 10_000n;

async function slowlyStreaming(key: string): Promise<{ seen: StreamSeen; exchange: UpstreamExchange }> {
  rig.upstream.script(slowStream);
  const body = chatBody("mock", { stream: true, max_tokens: 1_000_000 });
  const seen = await openStream(rig.gateway.base, { key, body });
  await seen.bytes(chatEvent({ content: CONTENT }).length * 3);
  const exchange = rig.upstream.exchanges.at(-1);
  if (exchange === undefined) throw new Error("the upstream was not asked");
  return { seen, exchange };
}

/** The stream ends within a second, with an error and no false success, and costs what was delivered. */
async function expectEnded(
  { seen, exchange }: { seen: StreamSeen; exchange: UpstreamExchange },
  fromTick: number,
  reason: string,
): Promise<void> {
  await seen.ended;
  expect(performance.now() - fromTick).toBeLessThan(1_000);
  expect(seen.text()).not.toContain("[DONE]");
  expect(streamError(seen.text())).toMatchObject({ reason, cause: "key_state", code: "invalid_api_key" });
  expect(await eventually(() => exchange.aborted, 1_000)).toBe(true);
  const row = await settledRow(rig.dir, seen.requestId);
  expect(row).toMatchObject({ state: "settled", reason, status: 401, source: "estimated" });
  expect(nanos(row.cost)).toBeGreaterThan(0n);
  expect(nanos(row.cost)).toBeLessThan(WHOLE);
  expect(row.output_tokens).toBeGreaterThan(0);
}

const quickly = (exchange: UpstreamExchange) => exchange.reply(200, chatCompletion("Hi", usageOf(5, 2)));

describe("a key that is", () => {
  for (const [act, reason] of [
    ["delete", "key_deleted"],
    ["disable", "key_disabled"],
  ] as const) {
    test(`${act}d by the command line: the next request is refused, a running stream ends and is billed`, async () => {
      const made = await rig.key();
      const running = await slowlyStreaming(made.key);
      const other = await slowlyStreaming((await rig.key()).key);
      await mustRun(rig.dir, ["key", act, made.id]);
      const tick = performance.now();
      const next = await chat(rig.gateway.base, { key: made.key, body: chatBody("mock") });
      expect(next.status).toBe(401);
      expect(next.error?.reason).toBe(reason);
      await expectEnded(running, tick, reason);
      expect(other.exchange.isOpen).toBe(true);
      other.seen.leave();
    });
  }

  test("enabled again works at once", async () => {
    const { key, id } = await rig.key();
    rig.upstream.script(quickly);
    await mustRun(rig.dir, ["key", "disable", id]);
    expect((await chat(rig.gateway.base, { key, body: chatBody("mock") })).status).toBe(401);
    await mustRun(rig.dir, ["key", "enable", id]);
    expect((await chat(rig.gateway.base, { key, body: chatBody("mock") })).status).toBe(200);
  });

  test("deleted stays so", async () => {
    const { key, id } = await rig.key();
    await mustRun(rig.dir, ["key", "delete", id]);
    expect((await wicketgate(rig.dir, ["key", "enable", id])).code).toBe(1);
    const seen = await chat(rig.gateway.base, { key, body: chatBody("mock") });
    expect(seen.error?.reason).toBe("key_deleted");
  });

  test("disabled while an answer that does not stream is awaited: it ends too, and its input is billed", async () => {
    const { key, id } = await rig.key();
    const from = rig.upstream.exchanges.length;
    rig.upstream.script(() => {});
    const waiting = chat(rig.gateway.base, { key, body: chatBody("mock") });
    await eventually(() => rig.upstream.exchanges.length > from);
    await mustRun(rig.dir, ["key", "disable", id]);
    const tick = performance.now();
    const seen = await waiting;
    expect(performance.now() - tick).toBeLessThan(1_000);
    expect(seen.status).toBe(401);
    expect(seen.error?.reason).toBe("key_disabled");
    expect(await eventually(() => rig.upstream.exchanges[from]?.aborted ?? false, 1_000)).toBe(true);
    expect(nanos((await settledRow(rig.dir, seen.requestId)).cost)).toBeGreaterThan(0n);
  });

  test("expiring in mid-stream ends it by the clock alone", async () => {
    const expiresMs = Math.ceil(Date.now() / 1000 + 2) * 1000;
    const made = await rig.key("--expires", new Date(expiresMs).toISOString());
    const running = await slowlyStreaming(made.key);
    await Bun.sleep(Math.max(0, expiresMs - Date.now()));
    const tick = performance.now();
    const next = await chat(rig.gateway.base, { key: made.key, body: chatBody("mock") });
    expect(next.error?.reason).toBe("key_expired");
    await expectEnded(running, tick, "key_expired");
  });
});

test("an account that is disabled: its streams end, its keys are refused, and others go on", async () => {
  const email = "bob@example.org";
  await mustRun(rig.dir, ["account", "add", email, "--balance", "10"]);
  const made = await rig.key("--account", email);
  const running = await slowlyStreaming(made.key);
  const other = await slowlyStreaming((await rig.key()).key);
  await mustRun(rig.dir, ["account", "disable", email]);
  const tick = performance.now();
  const next = await chat(rig.gateway.base, { key: made.key, body: chatBody("mock") });
  expect(next.error?.reason).toBe("account_disabled");
  await expectEnded(running, tick, "account_disabled");
  expect(other.exchange.isOpen).toBe(true);
  other.seen.leave();
  await mustRun(rig.dir, ["account", "enable", email]);
  rig.upstream.script(quickly);
  expect((await chat(rig.gateway.base, { key: made.key, body: chatBody("mock") })).status).toBe(200);
});

test("a group that is disabled refuses the next request, and takes it when it is enabled again", async () => {
  const { key } = await rig.key();
  rig.upstream.script(quickly);
  const group = (enabled: boolean) =>
    applyYaml(
      rig.dir,
      `groups: [{ name: default, enabled: ${enabled}, models: [mock, call, renamed, unpriced, unserved] }]`,
    );
  await group(false);
  const refused = await chat(rig.gateway.base, { key, body: chatBody("mock") });
  expect(refused.status).toBe(403);
  expect(refused.error).toMatchObject({ reason: "group_disabled", code: "model_not_found" });
  await group(true);
  expect((await chat(rig.gateway.base, { key, body: chatBody("mock") })).status).toBe(200);
});

test("a change of the catalogue is seen without a restart", async () => {
  const { key } = await rig.key();
  rig.upstream.script(quickly);
  const yaml = rigYaml(rig.upstream.baseUrl)
    .replace("call: call,", "call: call, newcomer: newcomer,")
    .replace(
      "models:\n  - { name: mock,",
      "models:\n  - { name: newcomer, price: { request: 1 } }\n  - { name: mock,",
    )
    .replace("models: [mock,", "models: [newcomer, mock,");
  expect((await chat(rig.gateway.base, { key, body: chatBody("newcomer") })).status).toBe(403);
  await applyYaml(rig.dir, yaml);
  const tick = performance.now();
  const served = await eventually(async () => {
    const seen = await chat(rig.gateway.base, { key, body: chatBody("newcomer") });
    return seen.status === 200 ? seen : null;
  }, 5_000);
  expect(performance.now() - tick).toBeLessThan(2_000);
  expect((await settledRow(rig.dir, served?.requestId ?? "")).cost).toBe("1.00");

  const list = await fetch(`${rig.gateway.base}/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(await list.text()).toContain("newcomer");
});

test("usage stays attributed to a key that was deleted", async () => {
  const { key, id } = await rig.key();
  rig.upstream.script(quickly);
  const seen = await chat(rig.gateway.base, { key, body: chatBody("mock") });
  await mustRun(rig.dir, ["key", "delete", id]);
  expect(await settledRow(rig.dir, seen.requestId, id)).toMatchObject({
    key_id: id,
    account: EMAIL,
    status: 200,
  });
});
