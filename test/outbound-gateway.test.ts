import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, isIPv4, type Server } from "node:net";
import { hostname } from "node:os";
import { reachOf } from "../src/upstream/address-rules.ts";
import { systemLookUp } from "../src/upstream/http1-addresses.ts";
import {
  applyYaml,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  settledRow,
  startGateway,
  wicketgate,
} from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import { chatCompletion, type MockUpstream, mockUpstream, usageOf } from "./harness-upstream.ts";

/** The whole gateway, and where it connects to: what an operator sees of a refused address, and what a client does not. */

const PROXY_PASSWORD = "proxy-password-5f4e3d";
const HIDDEN = "hidden-upstream";

// The name of this machine is the one name at hand that leads to itself; where it does not, there is nothing to test.
const ownName = hostname().toLowerCase();
const ownAddresses = await systemLookUp(ownName).catch(() => []);
const isOwnNamePrivate =
  ownAddresses.length > 0 &&
  ownAddresses.every(
    address => isIPv4(address) && address.startsWith("127.") && reachOf(address) === "private",
  );

let upstream: MockUpstream;
let proxy: Server;
let proxyPort = 0;
const asked: string[] = [];
const dir = freshDir();
let key: string;

beforeAll(async () => {
  upstream = await mockUpstream(exchange => exchange.reply(200, chatCompletion("hello", usageOf(3, 1))));
  proxy = createServer(socket => {
    socket.on("error", () => undefined);
    socket.once("data", data => {
      asked.push(data.toString("latin1"));
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    });
  });
  await new Promise<void>(resolve => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  proxyPort = address !== null && typeof address === "object" ? address.port : 0;
  const { port } = new URL(upstream.baseUrl);
  const addresses: Record<string, string> = {
    plain: upstream.baseUrl,
    metadata: "http://169.254.169.254/v1",
    mapped: `http://[::ffff:7f00:1]:${port}/v1`,
    named: `http://${ownName}:${port}/v1`,
    far: "https://api.example.org/v1",
  };
  // Several of each, because an upstream that failed is left alone for a while.
  const models = Object.entries(addresses).flatMap(([name, address]) =>
    [1, 2, 3, 4].map(count => [`${name}-${count}`, address] as const),
  );
  const made = await applyYaml(dir, yaml(Object.fromEntries(models)));
  ({ key } = keyOf(made, "laptop"));
});
afterAll(async () => {
  await upstream.close();
  proxy.close();
  removeDir(dir);
});

function yaml(models: Record<string, string>): string {
  const names = Object.keys(models);
  const upstreams = names.map(
    name =>
      `  - { name: ${HIDDEN}-${name}, kind: openai-compatible, base_url: "${models[name]}", api_key: k-${name}-0123456789, models: [${name}] }`,
  );
  const prices = names.map(
    name => `  - { name: ${name}, max_output_tokens: 100, price: { input: 1, output: 1 } }`,
  );
  return `
upstreams:
${upstreams.join("\n")}
models:
${prices.join("\n")}
groups:
  - { name: default, models: [${names.join(", ")}] }
accounts:
  - { email: ann@example.org, balance: 10 }
keys:
  - { account: ann@example.org, name: laptop, group: default }
`;
}

async function withGateway(
  env: Record<string, string>,
  use: (gateway: Gateway) => Promise<void>,
): Promise<string> {
  const gateway = await startGateway(dir, { WICKETGATE_DEMO: "off", ...env });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
  return gateway.log();
}

describe("an address that may not be connected to", () => {
  test("is upstream_failed for the client, a sentence in the operator's log, and costs nothing", async () => {
    const before = upstream.received.length;
    const log = await withGateway({}, async gateway => {
      for (const model of ["metadata", "mapped", ...(isOwnNamePrivate ? ["named"] : [])]) {
        for (const [at, stream] of [true, false].entries()) {
          const seen = await chat(gateway.base, { key, body: chatBody(`${model}-${at + 1}`, { stream }) });
          expect([seen.status, seen.error?.reason]).toEqual([502, "upstream_failed"]);
          const whole = seen.text + JSON.stringify([...seen.headers]);
          for (const secret of ["169.254", "127.0.0.1", "WICKETGATE_", HIDDEN, "refused"]) {
            expect(whole).not.toContain(secret);
          }
          expect(await settledRow(dir, seen.requestId)).toMatchObject({ state: "voided", cost: "0.00" });
        }
      }
      const plain = await chat(gateway.base, { key, body: chatBody("plain-1") });
      expect(plain.status).toBe(200);
    });
    expect(upstream.received.length - before).toBe(1);
    expect(log).toContain("the address 169.254.169.254 is refused");
    if (isOwnNamePrivate) expect(log).toContain(`put ${ownName} into WICKETGATE_PRIVATE_UPSTREAMS`);
  });

  test.skipIf(!isOwnNamePrivate)("is connected to where the operator lists its name", async () => {
    await withGateway({ WICKETGATE_PRIVATE_UPSTREAMS: `other.lan, ${ownName}` }, async gateway => {
      const seen = await chat(gateway.base, { key, body: chatBody("named-1") });
      expect(seen.status).toBe(200);
      const mapped = await chat(gateway.base, { key, body: chatBody("mapped-1") });
      expect(mapped.status).toBe(502);
    });
  });

  test("is not taken by apply in disguise, with the way to write it", async () => {
    const { port } = new URL(upstream.baseUrl);
    const stdin = `upstreams: [{ name: odd, kind: openai-compatible, base_url: "http://0x7f.1:${port}/v1", models: [plain-1] }]`;
    const { code, stderr, stdout } = await wicketgate(dir, ["apply", "-"], { stdin });
    expect(code).not.toBe(0);
    expect(stderr + stdout).toContain(`must have its host written plainly: http://127.0.0.1:${port}`);
  });
});

test("HTTPS_PROXY is asked for https upstreams alone, by name, and its password appears nowhere", async () => {
  const env = { https_proxy: `http://me:${PROXY_PASSWORD}@127.0.0.1:${proxyPort}` };
  const log = await withGateway(env, async gateway => {
    const seen = await chat(gateway.base, { key, body: chatBody("far-1") });
    expect([seen.status, seen.error?.reason]).toEqual([502, "upstream_failed"]);
    expect(seen.text).not.toContain(PROXY_PASSWORD);
    expect((await chat(gateway.base, { key, body: chatBody("plain-1") })).status).toBe(200);
  });
  expect(asked.length).toBeGreaterThan(0);
  for (const one of asked) {
    expect(one).toStartWith("CONNECT api.example.org:443 HTTP/1.1\r\n");
    expect(one).toContain(`proxy-authorization: Basic ${btoa(`me:${PROXY_PASSWORD}`)}`);
    expect(one).not.toContain("k-far");
  }
  expect(log).toContain("the proxy of HTTPS_PROXY opened no way: status 403");
  expect(log).not.toContain(PROXY_PASSWORD);
  const shown = await wicketgate(dir, ["config"], { env });
  expect(shown.stdout).toMatch(/HTTPS_PROXY\s+\(set\)/);
  expect(shown.stdout).not.toContain(PROXY_PASSWORD);
});

test("an answer that is compressed all the same is a failure, not garbage", async () => {
  const packed = Bun.gzipSync(Buffer.from(chatCompletion("hello", usageOf(3, 1))));
  upstream.script(exchange => exchange.reply(200, packed, { "content-encoding": "gzip" }));
  const log = await withGateway({}, async gateway => {
    for (const [at, stream] of [true, false].entries()) {
      const seen = await chat(gateway.base, { key, body: chatBody(`plain-${at + 1}`, { stream }) });
      expect([seen.status, seen.error?.reason]).toEqual([502, "upstream_failed"]);
      expect(seen.headers.get("content-encoding")).toBe(null);
      expect(await settledRow(dir, seen.requestId)).toMatchObject({ state: "voided", cost: "0.00" });
    }
    for (const [at, status] of [400, 429].entries()) {
      const headers = { "content-encoding": "gzip", "retry-after": "7" };
      upstream.script(exchange => exchange.reply(status, packed, headers));
      const seen = await chat(gateway.base, { key, body: chatBody(`plain-${at + 3}`) });
      expect(seen.error?.reason).toBe(status === 400 ? "upstream_failed" : "upstream_overloaded");
    }
  });
  expect(log).toContain("a compressed answer");
  expect(upstream.received.every(({ headers }) => headers.get("accept-encoding") === "identity")).toBe(true);
});
