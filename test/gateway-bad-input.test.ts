import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectRefused } from "./case-refusal.ts";
import { type MadeKey, settledRow, usageRows } from "./harness.ts";
import { type ChatAnswer, chat, chatBody, rawExchange } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatCompletion, usageOf } from "./harness-upstream.ts";

/** Bodies that cannot be served: told what is wrong, put on record, never sent on, and nothing breaks. */

let rig: Rig;
let made: MadeKey;
beforeAll(async () => {
  rig = await startRig({ WICKETGATE_BODY_MIB: "1", WICKETGATE_REQUESTS_IN_FLIGHT: "2" });
  made = await rig.key();
});
afterAll(() => rig.stop());

async function expectRecorded(seen: ChatAnswer, reason: string): Promise<void> {
  const rows = (await usageRows(rig.dir, made.id)).filter(({ id }) => id === seen.requestId);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ state: "refused", reason, status: seen.status, cost: "0.00" });
  expect(rig.upstream.received).toEqual([]);
}

const messages = `"messages":[{"role":"user","content":"Hi"}]`;
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("a body that is not valid:", () => {
  const INVALID: readonly (readonly [string, string | Uint8Array, string | null, RegExp])[] = [
    ["malformed JSON", `{"model":"mock",${messages}`, null, /not valid JSON/],
    ["not JSON at all", "hello", null, /not valid JSON/],
    ["nothing", "", null, /empty/],
    ["a list", "[]", null, /JSON object/],
    ["null", "null", null, /JSON object/],
    ["a text", '"mock"', null, /JSON object/],
    ["invalid UTF-8", Buffer.from(`{"model":"mock\xff",${messages}}`, "latin1"), null, /UTF-8/],
    ["no model", `{${messages}}`, "model", /“model” is missing/],
    ["a model that is a number", `{"model":5,${messages}}`, "model", /“model”/],
    ["a model that is empty", `{"model":"",${messages}}`, "model", /“model”/],
    ["a model that is null", `{"model":null,${messages}}`, "model", /“model”/],
    ["a model of 5,000 characters", `{"model":"${"x".repeat(5000)}",${messages}}`, "model", /200 characters/],
    ["two models", `{"model":"mock",${messages},"model":"call"}`, "model", /twice/],
    ["two models, one escaped", `{"model":"mock",${messages},"mod\\u0065l":"call"}`, "model", /twice/],
    ["no messages", `{"model":"mock"}`, "messages", /missing/],
    ["messages that are a text", `{"model":"mock","messages":"Hi"}`, "messages", /list/],
    ["messages that are empty", `{"model":"mock","messages":[]}`, "messages", /empty/],
    ["a message that is a text", `{"model":"mock","messages":["Hi"]}`, "messages[0]", /object/],
    ["stream that is a text", `{"model":"mock",${messages},"stream":"yes"}`, "stream", /true or false/],
    [
      "stream_options that are a list",
      `{"model":"mock",${messages},"stream_options":[]}`,
      "stream_options",
      /./,
    ],
    ["max_tokens of zero", `{"model":"mock",${messages},"max_tokens":0}`, "max_tokens", /whole number/],
    ["max_tokens that are negative", `{"model":"mock",${messages},"max_tokens":-5}`, "max_tokens", /whole/],
    ["max_tokens of 1e30", `{"model":"mock",${messages},"max_tokens":1e30}`, "max_tokens", /whole number/],
    ["max_tokens that are a text", `{"model":"mock",${messages},"max_tokens":"9"}`, "max_tokens", /whole/],
    ["n of 1.5", `{"model":"mock",${messages},"n":1.5}`, "n", /whole number/],
    ["nesting of 200 levels", `{"model":"mock",${messages},"x":${deep(200)}}`, null, /nested/],
    ["nesting of 100,000 levels", `{"model":"mock","x":${"[".repeat(100_000)}`, null, /nested|not valid/],
  ];
  for (const [name, body, param, words] of INVALID) {
    test(name, async () => {
      const seen = await chat(rig.gateway.base, { key: made.key, body });
      const error = expectRefused(seen, "request_invalid", [made.key]);
      expect(error.message).toMatch(words);
      expect(error.param).toBe(param);
      await expectRecorded(seen, "request_invalid");
    });
  }

  test("too large, with its length declared: just above, and far above", async () => {
    for (const bytes of [1_100_000, 3_000_000, 40_000_000]) {
      const seen = await chat(rig.gateway.base, {
        key: made.key,
        body: JSON.stringify(chatBody("mock", { x: "y".repeat(bytes) })),
      });
      expect(expectRefused(seen, "body_too_large").message).toContain("1 MiB");
      await expectRecorded(seen, "body_too_large");
    }
  });

  test("too large, in chunks without a length", async () => {
    for (const pieces of [20, 100]) {
      const piece = new Uint8Array(65_536).fill(32);
      let left = pieces;
      const body = new ReadableStream({
        pull: control => {
          if (left-- > 0) control.enqueue(piece);
          else control.close();
        },
      });
      const response = await fetch(`${rig.gateway.base}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${made.key}` },
        body,
      });
      const text = await response.text();
      expect(response.status).toBe(413);
      expect(text).toContain("body_too_large");
    }
  });

  test("compressed, or of another kind", async () => {
    const zipped = Bun.gzipSync(Buffer.from(JSON.stringify(chatBody("mock"))));
    for (const [headers, body] of [
      [{ "content-encoding": "gzip" }, zipped],
      [{ "content-type": "multipart/form-data; boundary=x" }, "--x--"],
      [{ "content-type": "application/xml" }, "<model/>"],
    ] as const) {
      const seen = await chat(rig.gateway.base, { key: made.key, body, headers });
      expectRefused(seen, "unsupported_media_type");
      await expectRecorded(seen, "unsupported_media_type");
    }
  });

  test("cut off in the middle: it is not taken for a request", async () => {
    const before = rig.upstream.received.length;
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${made.key}\r\n`;
    await rawExchange(rig.gateway.url, `${head}content-length: 500\r\n\r\n{"model":"mock"`, 300);
    expect((await fetch(`${rig.gateway.url}/healthz`)).status).toBe(200);
    expect(rig.upstream.received.length).toBe(before);
  });
});

test("__proto__ and its like are fields like the others, and pass", async () => {
  rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(1, 1))));
  const body = `{"__proto__":{"model":"call","admitted":true},"constructor":{"prototype":{}},"model":"mock",${messages}}`;
  const seen = await chat(rig.gateway.base, { key: made.key, body });
  expect(seen.status).toBe(200);
  expect(rig.upstream.received.at(-1)?.body.toString("utf8")).toBe(body);
  expect((await settledRow(rig.dir, seen.requestId)).model).toBe("mock");
  const only = await chat(rig.gateway.base, {
    key: made.key,
    body: `{"__proto__":{"model":"mock",${messages}}}`,
  });
  expect(expectRefused(only, "request_invalid").param).toBe("model");
});

test("a body of nothing but valid odds is served: a limit of 100 levels, text/plain, no content-type", async () => {
  rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(1, 1))));
  const body = `{"model":"mock",${messages},"x":${deep(90)}}`;
  expect((await chat(rig.gateway.base, { key: made.key, body })).status).toBe(200);
  const headers = { "content-type": "text/plain" };
  expect((await chat(rig.gateway.base, { key: made.key, body, headers })).status).toBe(200);
});

test("more requests at once than the gateway takes are told to come again", async () => {
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  rig.upstream.script(async exchange => {
    await held;
    await exchange.reply(200, chatCompletion("Hi", usageOf(1, 1)));
  });
  const asked = rig.upstream.exchanges.length;
  const running = [1, 2].map(() => chat(rig.gateway.base, { key: made.key, body: chatBody("mock") }));
  while (rig.upstream.exchanges.length < asked + 2) await Bun.sleep(5);
  const seen = await chat(rig.gateway.base, { key: made.key, body: chatBody("mock") });
  expect(expectRefused(seen, "gateway_overloaded").message).toContain("2 requests");
  release();
  for (const one of running) expect((await one).status).toBe(200);
});
