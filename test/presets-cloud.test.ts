import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createVerify, generateKeyPairSync } from "node:crypto";
import { awsChunk, awsException } from "../src/upstream/aws-event-stream-test-rig.ts";
import {
  applyYaml,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  settledRow,
  startGateway,
  verifyClean,
} from "./harness.ts";
import { answerOf, chat, chatBody } from "./harness-client.ts";
import { type MockUpstream, mockUpstream, type UpstreamExchange } from "./harness-upstream.ts";
import { MESSAGES_EVENTS, SAID, WIRE_FORMS } from "./presets-wire.ts";

/** The clouds, where a model stands in the path, a token has to be asked for, and a stream is framed otherwise. */

const API_KEY = "canary-bedrock-api-key";
const AWS_KEYS = "AKIDEXAMPLEEXAMPLE12:canary-secret:canary-session";
const TOKEN = "canary-google-token";
const CLAUDE = "anthropic.claude-sonnet-4-20250514-v1:0";
const PLACE = "/v1/projects/p1/locations/us-east5";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

let dir: string;
let upstream: MockUpstream;
let gateway: Gateway;
let key: string;
let tokensGiven = 0;
let answer: (exchange: UpstreamExchange) => void | Promise<void> = () => {};

beforeAll(async () => {
  dir = freshDir();
  upstream = await mockUpstream(exchange => {
    if (!exchange.received.requestLine.includes("/token")) return answer(exchange);
    tokensGiven += 1;
    return exchange.reply(
      200,
      JSON.stringify({ access_token: TOKEN, expires_in: 3_599, token_type: "Bearer" }),
    );
  });
  const { origin } = new URL(upstream.baseUrl);
  const account = {
    type: "service_account",
    client_email: "gate@p1.iam.gserviceaccount.com",
    private_key_id: "k1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${origin}/token`,
  };
  const credential = Buffer.from(JSON.stringify(account)).toString("base64");
  const broken = Buffer.from(JSON.stringify({ ...account, private_key: "none" })).toString("base64");
  const price = "max_output_tokens: 1000, price: { input: 1, output: 10 }";
  const keys = await applyYaml(
    dir,
    `
upstreams:
  - { name: aws, kind: bedrock, base_url: "${origin}", api_key: ${API_KEY}, models: { claude-aws: "${CLAUDE}" } }
  - { name: aws-keys, kind: bedrock, base_url: "${origin}", api_key: "${AWS_KEYS}", models: { claude-keys: "${CLAUDE}" } }
  - { name: google-claude, kind: vertex-anthropic, base_url: "${origin}${PLACE}", api_key: "${credential}", models: { claude-google: claude-sonnet-4@20250514 } }
  - { name: google-gemini, kind: vertex-gemini, base_url: "${origin}${PLACE}", api_key: "${credential}", models: { gemini: gemini-2.5-flash } }
  - { name: google-token, kind: vertex-gemini, base_url: "${origin}${PLACE}", api_key: a-token-by-itself, models: { plain: google/gemini-2.5-pro } }
  - { name: google-broken, kind: vertex-gemini, base_url: "${origin}${PLACE}", api_key: "${broken}", models: { broken: gemini } }
models:
${["claude-aws", "claude-keys", "claude-google", "gemini", "plain", "broken"].map(name => `  - { name: ${name}, ${price} }`).join("\n")}
groups: [{ name: default, models: ["*"] }]
accounts: [{ email: ann@example.org, balance: 1000 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]
`,
  );
  key = keyOf(keys, "laptop").key;
  gateway = await startGateway(dir, { WICKETGATE_DEMO: "off" });
});

beforeEach(() => {
  upstream.received.length = 0;
});

afterAll(async () => {
  try {
    await verifyClean(dir);
  } finally {
    await upstream.close();
    await gateway.stop();
    removeDir(dir);
  }
});

function heard() {
  const last = upstream.received.at(-1);
  if (last === undefined) throw new Error("the upstream heard nothing");
  return { line: last.requestLine, headers: last.headers, body: JSON.parse(last.body.toString("utf8")) };
}

const ASKED = { max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };

async function ask(model: string, more: Record<string, unknown> = {}, path = "/v1/messages") {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json", "anthropic-beta": "one, two" },
    body: JSON.stringify({ model, ...ASKED, ...more }),
  });
  return answerOf(response);
}

const eventsOf = () =>
  MESSAGES_EVENTS.map(event => JSON.parse(event.slice(event.indexOf("{"))) as Record<string, unknown>);

const WHOLE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: CLAUDE,
  content: [{ type: "text", text: SAID }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 3 },
};

/** Cut where no message ends. */
function pieces(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / 61) }, (_, at) =>
    bytes.subarray(at * 61, at * 61 + 61),
  );
}

const FRAMED = { "content-type": "application/vnd.amazon.eventstream" };

describe("Bedrock", () => {
  test("streams in its own framing, and the client hears events", async () => {
    const metrics = { "amazon-bedrock-invocationMetrics": { inputTokenCount: 12, firstByteLatency: 9 } };
    const events = eventsOf().map(event =>
      event["type"] === "message_stop" ? { ...event, ...metrics } : event,
    );
    answer = exchange => exchange.stream(pieces(Buffer.concat(events.map(awsChunk))), FRAMED);
    const seen = await ask("claude-aws", { stream: true });
    expect(seen.status).toBe(200);
    expect(seen.headers.get("content-type")).toContain("text/event-stream");
    expect(seen.text.replaceAll('"model":"claude-aws"', '"model":"m"')).toBe(MESSAGES_EVENTS.join(""));
    const { line, headers, body } = heard();
    expect(line).toBe(`POST /model/${encodeURIComponent(CLAUDE)}/invoke-with-response-stream HTTP/1.1`);
    expect(headers.get("authorization")).toBe(`Bearer ${API_KEY}`);
    expect(headers.get("x-api-key")).toBeUndefined();
    expect(body).toEqual({
      ...ASKED,
      anthropic_version: "bedrock-2023-05-31",
      anthropic_beta: ["one", "two"],
    });
    const row = await settledRow(dir, seen.requestId);
    expect(row).toMatchObject({ state: "settled", source: "reported", input_tokens: 12, output_tokens: 3 });
  });

  test("answers whole", async () => {
    answer = exchange => exchange.reply(200, JSON.stringify(WHOLE));
    const seen = await ask("claude-aws");
    expect(JSON.parse(seen.text)).toEqual({ ...WHOLE, model: "claude-aws" });
    expect(heard().line).toBe(`POST /model/${encodeURIComponent(CLAUDE)}/invoke HTTP/1.1`);
  });

  test("is asked with a signature where the keys of AWS are given, and never with their secret", async () => {
    answer = exchange => exchange.reply(200, JSON.stringify(WHOLE));
    const seen = await ask("claude-keys");
    expect(seen.status).toBe(200);
    const { headers, body } = heard();
    expect(headers.get("authorization")).toStartWith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLEEXAMPLE12/");
    expect(headers.get("x-amz-security-token")).toBe("canary-session");
    expect(JSON.stringify([...headers, body])).not.toContain("canary-secret");
  });

  test("serves a chat client too", async () => {
    answer = exchange => exchange.stream([Buffer.concat(eventsOf().map(awsChunk))], FRAMED);
    const seen = await chat(gateway.base, { key, body: chatBody("claude-aws", { stream: true }) });
    expect(seen.text).toContain('"content":"Good"');
    expect(seen.text).toEndWith("data: [DONE]\n\n");
  });

  test("that ends a stream with an exception gives an error, never a false end", async () => {
    const begun = eventsOf().slice(0, 3).map(awsChunk);
    answer = exchange =>
      exchange.stream([Buffer.concat([...begun, awsException("throttlingException")])], FRAMED);
    const seen = await ask("claude-aws", { stream: true });
    expect(seen.text).toContain("event: error\n");
    expect(seen.text).not.toContain("message_stop");
    expect(seen.text).not.toContain("an inner word of theirs");
    const row = await settledRow(dir, seen.requestId);
    expect(row).toMatchObject({ state: "settled", reason: "upstream_failed" });
  });

  test("that is cut inside a message, or sends what is none, gives an error", async () => {
    const begun = Buffer.concat(eventsOf().slice(0, 3).map(awsChunk));
    for (const bytes of [begun.subarray(0, -5), Buffer.concat([begun, Buffer.alloc(40)])]) {
      answer = exchange => exchange.stream([bytes], FRAMED);
      const seen = await ask("claude-aws", { stream: true });
      expect(seen.text).toContain("event: error\n");
      expect(seen.text).not.toContain("message_stop");
    }
  });

  test("that refuses the request is heard in the client's own form", async () => {
    answer = exchange => exchange.reply(400, JSON.stringify({ message: "max_tokens: too large" }));
    const seen = await ask("claude-aws");
    expect(seen.status).toBe(400);
    expect(JSON.parse(seen.text)).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: "max_tokens: too large" },
    });
  });

  test("counts no tokens, so they are counted here", async () => {
    const seen = await ask("claude-aws", {}, "/v1/messages/count_tokens");
    expect(JSON.parse(seen.text).input_tokens).toBeGreaterThan(0);
    expect(upstream.received).toEqual([]);
  });
});

describe("Vertex", () => {
  const models = `${PLACE}/publishers/anthropic/models`;

  test("serves Claude with a token that was asked for once", async () => {
    const before = tokensGiven;
    answer = exchange => exchange.stream(MESSAGES_EVENTS);
    const all = await Promise.all(Array.from({ length: 5 }, () => ask("claude-google", { stream: true })));
    for (const seen of all) expect(seen.text).toContain(" day");
    expect(tokensGiven - before).toBe(1);
    const { line, headers, body } = heard();
    expect(line).toBe(`POST ${models}/claude-sonnet-4@20250514:streamRawPredict HTTP/1.1`);
    expect(headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
    expect(headers.get("anthropic-beta")).toBe("one, two");
    expect(body).toEqual({ ...ASKED, stream: true, anthropic_version: "vertex-2023-10-16" });
    for (const { body: sent, headers: shown } of upstream.received) {
      expect(sent.toString() + JSON.stringify([...shown])).not.toContain("PRIVATE KEY");
    }
  });

  test("is shown a statement of the service account's that its key has signed", async () => {
    answer = exchange => exchange.stream(WIRE_FORMS[2]?.events ?? []);
    await chat(gateway.base, { key, body: chatBody("gemini", { stream: true }) });
    const form = new URLSearchParams(upstream.received[0]?.body.toString());
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const verify = createVerify("RSA-SHA256").update(`${head}.${claims}`);
    expect(verify.verify(publicKey, signature, "base64url")).toBe(true);
    const said = JSON.parse(Buffer.from(claims, "base64url").toString());
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({
      alg: "RS256",
      typ: "JWT",
      kid: "k1",
    });
    expect(said).toMatchObject({
      iss: "gate@p1.iam.gserviceaccount.com",
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    expect(said.exp - said.iat).toBe(3_600);
    expect(said.aud).toEndWith("/token");
  });

  test("serves Gemini in chat", async () => {
    answer = exchange => exchange.stream(WIRE_FORMS[2]?.events ?? []);
    const seen = await chat(gateway.base, { key, body: chatBody("gemini", { stream: true }) });
    expect(seen.text).toContain('"model":"gemini"');
    const { line, body } = heard();
    expect(line).toBe(`POST ${PLACE}/endpoints/openapi/chat/completions HTTP/1.1`);
    expect(body.model).toBe("google/gemini-2.5-flash");
    expect(await settledRow(dir, seen.requestId)).toMatchObject({ input_tokens: 12, output_tokens: 3 });
  });

  test("takes a token that is given by itself", async () => {
    answer = exchange => exchange.stream(WIRE_FORMS[2]?.events ?? []);
    await chat(gateway.base, { key, body: chatBody("plain", { stream: true }) });
    const { headers, body } = heard();
    expect(headers.get("authorization")).toBe("Bearer a-token-by-itself");
    expect(body.model).toBe("google/gemini-2.5-pro");
    expect(upstream.received).toHaveLength(1);
  });

  test("counts the tokens of Claude", async () => {
    answer = exchange => exchange.reply(200, JSON.stringify({ input_tokens: 77 }));
    const seen = await ask("claude-google", {}, "/v1/messages/count_tokens");
    expect(JSON.parse(seen.text)).toEqual({ input_tokens: 77 });
    const { line, body } = heard();
    expect(line).toBe(`POST ${models}/count-tokens:rawPredict HTTP/1.1`);
    expect(body).toMatchObject({ model: "claude-sonnet-4@20250514", anthropic_version: "vertex-2023-10-16" });
  });

  test("with a service account that is none fails in our words, and gives nothing away", async () => {
    const seen = await chat(gateway.base, { key, body: chatBody("broken") });
    expect(seen.error).toMatchObject({ reason: "upstream_failed" });
    expect(seen.text).not.toContain("private_key");
    expect(upstream.received).toEqual([]);
  });
});
