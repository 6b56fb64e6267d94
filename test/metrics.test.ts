import { afterEach, describe, expect, test } from "bun:test";
import { applyYaml, eventually, freshDir, type Gateway, keyOf, removeDir, startGateway } from "./harness.ts";
import { chat, chatBody, openStream } from "./harness-client.ts";

/** What the operator's monitoring reads, and that nobody else does. */

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const yaml = `
upstreams:
  - { name: demo-one, kind: demo, models: { quick: demo, endless: demo-delay-50-tokens-100000 } }
models:
  - { name: quick, price: { input: 1000, output: 1000 } }
  - { name: endless, price: { input: 1, output: 1 } }
groups: [{ name: default, models: [quick, endless] }]
accounts: [{ email: ann@example.org, balance: 10 }]
keys: [{ account: ann@example.org, name: laptop-of-ann, group: default }]
`;

async function running(env: Record<string, string> = {}): Promise<{ gateway: Gateway; key: string }> {
  const dir = freshDir();
  cleanUps.push(() => removeDir(dir));
  const { key } = keyOf(await applyYaml(dir, yaml), "laptop-of-ann");
  const gateway = await startGateway(dir, env);
  cleanUps.push(gateway.stop);
  return { gateway, key };
}

async function read({ url }: Gateway, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/metrics`, { headers });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

/** The value of one series; null where there is none. */
function sampleOf(text: string, series: string): number | null {
  const line = text.split("\n").find(one => one.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

const seriesOf = (gateway: Gateway, series: string, value: number) =>
  eventually(async () => sampleOf((await read(gateway)).text, series) === value);

describe("GET /metrics", () => {
  test("counts requests, tokens, cost and refusals, each once", async () => {
    const { gateway, key } = await running();
    const answer = await chat(gateway.base, { key, body: chatBody("quick") });
    const { usage } = JSON.parse(answer.text) as { usage: Record<string, number> };
    await chat(gateway.base, { key, body: chatBody("quick") });
    await chat(gateway.base, { key, body: chatBody("no-such-model-anywhere") });
    await chat(gateway.base, { key: "wgk_short", body: chatBody("quick") });
    await fetch(`${gateway.url}/somewhere`);
    expect(
      await seriesOf(gateway, 'wicketgate_requests_total{operation="chat",model="quick",status="200"}', 2),
    ).toBe(true);

    const { status, type, text } = await read(gateway);
    expect({ status, type }).toEqual({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8" });
    const value = (series: string) => sampleOf(text, series);
    expect(value('wicketgate_upstream_requests_total{upstream="demo-one",model="quick",outcome="ok"}')).toBe(
      2,
    );
    const input = usage["prompt_tokens"] ?? 0;
    const output = usage["completion_tokens"] ?? 0;
    expect(value('wicketgate_tokens_total{model="quick",kind="input"}')).toBe(2 * input);
    expect(value('wicketgate_tokens_total{model="quick",kind="output"}')).toBe(2 * output);
    const cost = value('wicketgate_cost_usd_total{model="quick"}') ?? 0;
    expect(cost).toBeCloseTo((2 * (input + output)) / 1_000, 9);
    expect(value('wicketgate_refusals_total{reason="model_not_in_group"}')).toBe(1);
    expect(value('wicketgate_refusals_total{reason="key_malformed"}')).toBe(1);
    expect(value('wicketgate_refusals_total{reason="not_found"}')).toBe(1);
    expect(value('wicketgate_request_duration_seconds_count{operation="chat"}')).toBe(2);
    expect(value('wicketgate_upstream_first_byte_seconds_bucket{upstream="demo-one",le="+Inf"}')).toBe(2);
    expect(value('wicketgate_store_admission_seconds_count{outcome="admitted"}')).toBe(2);
    expect(value('wicketgate_store_admission_seconds_count{outcome="refused"}')).toBe(1);
    expect(value("wicketgate_requests_in_flight")).toBe(0);
    expect(value("wicketgate_journal_bytes")).toBe(0);
    expect(value("wicketgate_process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  });

  test("holds no key, account, address, nor a name that a client made up", async () => {
    const { gateway, key } = await running();
    await chat(gateway.base, { key, body: chatBody("quick"), headers: { "user-agent": "canary-tool" } });
    await chat(gateway.base, { key, body: chatBody("canary-model") });
    await fetch(`${gateway.url}/canary-path`);
    const { text } = await read(gateway);
    for (const secret of [
      key,
      key.slice(0, 12),
      "key_",
      "acc_",
      "ann@",
      "laptop-of-ann",
      "canary",
      "127.0.0.1",
    ])
      expect(text).not.toContain(secret);
  });

  test("is text that Prometheus can read: each family once, with its kind, and every line well formed", async () => {
    const { gateway, key } = await running();
    await chat(gateway.base, { key, body: chatBody("quick") });
    const lines = (await read(gateway)).text.trimEnd().split("\n");
    const types = lines.filter(line => line.startsWith("# TYPE ")).map(line => line.split(" ")[2] ?? "");
    expect(new Set(types).size).toBe(types.length);
    expect(types.every(name => name.startsWith("wicketgate_"))).toBe(true);
    const samples = lines.filter(line => !line.startsWith("#"));
    const form = /^([a-z_]+?)(_bucket|_sum|_count)?(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e+-]+$/;
    const wrong = samples.filter(line => {
      const [, name = "", suffix = ""] = form.exec(line) ?? [];
      return !types.includes(name) && !types.includes(name + suffix);
    });
    expect(wrong).toEqual([]);
  });

  test("shows what runs, and how it ended", async () => {
    const { gateway, key } = await running();
    const seen = await openStream(gateway.base, { key, body: chatBody("endless", { stream: true }) });
    await seen.bytes(200);
    expect(await seriesOf(gateway, "wicketgate_requests_in_flight", 1)).toBe(true);
    expect(
      sampleOf((await read(gateway)).text, 'wicketgate_upstream_requests_in_flight{upstream="demo-one"}'),
    ).toBe(1);
    seen.leave();
    const left =
      'wicketgate_upstream_requests_total{upstream="demo-one",model="endless",outcome="client_left"}';
    expect(await seriesOf(gateway, left, 1)).toBe(true);
    expect(await seriesOf(gateway, "wicketgate_requests_in_flight", 0)).toBe(true);
  });
});

describe("to others than the operator, /metrics", () => {
  const unknown = async (gateway: Gateway, headers?: Record<string, string>) => {
    const { status, text } = await read(gateway, headers);
    expect(status).toBe(404);
    expect(text).toContain('"reason":"not_found"');
    expect(text).not.toContain("wicketgate_");
  };

  test("is as unknown as every other path, from an address that is not listed", async () => {
    const { gateway } = await running({ WICKETGATE_METRICS_FROM: "10.1.0.0/16" });
    await unknown(gateway);
  });

  test("is unknown through a proxy that nobody declared, although it is on this machine", async () => {
    const { gateway } = await running();
    await unknown(gateway, { "x-forwarded-for": "203.0.113.9" });
    await unknown(gateway, { forwarded: "for=203.0.113.9" });
    await unknown(gateway, { via: "1.1 proxy" });
  });

  test("goes by who stands behind a proxy that is trusted", async () => {
    const { gateway } = await running({
      WICKETGATE_TRUSTED_PROXIES: "127.0.0.1",
      WICKETGATE_METRICS_FROM: "10.1.0.0/16",
    });
    await unknown(gateway, { "x-forwarded-for": "203.0.113.9" });
    expect((await read(gateway, { "x-forwarded-for": "10.1.2.3" })).status).toBe(200);
  });
});
