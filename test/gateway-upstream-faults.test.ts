import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { settledRow } from "./harness.ts";
import { chat, chatBody, streamError } from "./harness-client.ts";
import { type Rig, startRig, UPSTREAM_CREDENTIAL, UPSTREAM_NAME } from "./harness-rig.ts";
import { chatEvent, DONE, mockUpstream } from "./harness-upstream.ts";

/** What an upstream says of the request is the client's to read; everything else becomes our own sentence. */

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig({ WICKETGATE_FIRST_BYTE_STREAM_SECONDS: "1", WICKETGATE_FIRST_BYTE_SECONDS: "1" });
  ({ key } = await rig.key());
});
afterAll(() => rig.stop());

/** What an upstream's own error may give away. */
const SECRET_TEXT = `Incorrect API key provided: ${UPSTREAM_CREDENTIAL}; organisation org-secret has no quota`;
const errorBody = JSON.stringify({ error: { message: SECRET_TEXT, type: "x", code: "y" } });

function expectNothingGivenAway(seen: { text: string; headers: Headers }): void {
  const whole = seen.text + JSON.stringify([...seen.headers]);
  for (const secret of [UPSTREAM_CREDENTIAL, UPSTREAM_NAME, "org-secret", "Incorrect API key"]) {
    expect(whole).not.toContain(secret);
  }
}

describe("an upstream's refusal of the request itself", () => {
  for (const status of [400, 422]) {
    for (const stream of [true, false]) {
      test(`${status} reaches the client byte for byte${stream ? ", also when it asked for a stream" : ""}`, async () => {
        const body = `{ "error" : {"message":"max_tokens is too large\\u0021", "n": 1.0 } }`;
        rig.upstream.script(exchange => exchange.reply(status, body));
        const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream }) });
        expect(seen.status).toBe(status);
        expect(seen.text).toBe(body);
        const row = await settledRow(rig.dir, seen.requestId);
        expect(row).toMatchObject({ state: "voided", status, cost: "0.00" });
      });
    }
  }
});

describe("an upstream's refusal that repeats the operator's credential", () => {
  for (const status of [400, 422]) {
    test(`${status} becomes ours`, async () => {
      rig.upstream.script(exchange => exchange.reply(status, errorBody));
      const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", {}) });
      expect(seen.status).toBe(502);
      expect(seen.error).toMatchObject({ reason: "upstream_failed", cause: "upstream" });
      expectNothingGivenAway(seen);
    });
  }
});

describe("an upstream's other failures become ours, cost nothing and give nothing away:", () => {
  const MAPPED: readonly (readonly [number, number, string])[] = [
    [401, 502, "upstream_failed"],
    [402, 502, "upstream_failed"],
    [403, 502, "upstream_failed"],
    [404, 502, "upstream_failed"],
    [408, 504, "upstream_timeout"],
    [409, 502, "upstream_failed"],
    [429, 503, "upstream_overloaded"],
    [500, 502, "upstream_failed"],
    [502, 502, "upstream_failed"],
    [503, 503, "upstream_overloaded"],
    [504, 504, "upstream_timeout"],
    [529, 503, "upstream_overloaded"],
  ];
  for (const [upstreamStatus, status, reason] of MAPPED) {
    for (const stream of [true, false]) {
      test(`${upstreamStatus} → ${status} ${reason}${stream ? " (stream)" : ""}`, async () => {
        rig.upstream.script(exchange =>
          exchange.reply(upstreamStatus, errorBody, {
            "retry-after": "7",
            "www-authenticate": `Bearer ${UPSTREAM_CREDENTIAL}`,
          }),
        );
        const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream }) });
        expect(seen.status).toBe(status);
        expect(seen.error).toMatchObject({ reason, cause: "upstream", type: "server_error", code: null });
        if (status === 503) expect(seen.headers.get("retry-after")).toBe("7");
        expectNothingGivenAway(seen);
        const row = await settledRow(rig.dir, seen.requestId);
        expect(row).toMatchObject({ state: "voided", status, reason, cost: "0.00" });
      });
    }
  }

  const ODD: readonly (readonly [string, string, Record<string, string>])[] = [
    ["200 with an error for a body", errorBody, {}],
    ["200 with HTML", `<html>${SECRET_TEXT}</html>`, { "content-type": "text/html" }],
    ["200 with half of a JSON text", `{"choices":[{"message":"${UPSTREAM_CREDENTIAL}`, {}],
    ["200 with nothing", "", {}],
    ["200 with a list", `["${UPSTREAM_CREDENTIAL}"]`, {}],
    ["200 with a number", "12", {}],
  ];
  for (const [name, body, headers] of ODD) {
    for (const stream of [true, false]) {
      test(`${name}${stream ? " (stream)" : ""}`, async () => {
        rig.upstream.script(exchange => exchange.reply(200, body, headers));
        const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream }) });
        expect(seen.status).toBe(502);
        expect(seen.error?.reason).toBe("upstream_failed");
        expectNothingGivenAway(seen);
        expect(await settledRow(rig.dir, seen.requestId)).toMatchObject({ state: "voided", cost: "0.00" });
      });
    }
  }

  test("a redirect is not followed", async () => {
    const trap = await mockUpstream(exchange => exchange.reply(200, "{}"));
    for (const status of [301, 302, 307, 308]) {
      rig.upstream.script(exchange =>
        exchange.reply(status, "", { location: `${trap.baseUrl}/chat/completions` }),
      );
      const seen = await chat(rig.gateway.base, { key, body: chatBody("mock") });
      expect(seen.status).toBe(502);
      expect(seen.headers.get("location")).toBe(null);
    }
    expect(trap.received).toEqual([]);
    await trap.close();
  });

  test("silence is a timeout, and the upstream is let go", async () => {
    rig.upstream.script(() => {});
    const aborts = rig.upstream.aborts();
    for (const stream of [true, false]) {
      const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream }) });
      expect(seen.status).toBe(504);
      expect(seen.error?.reason).toBe("upstream_timeout");
    }
    expect(rig.upstream.aborts() - aborts).toBe(2);
  });

  test("garbage instead of HTTP", async () => {
    rig.upstream.script(async exchange => {
      await exchange.write(`${SECRET_TEXT}\r\n\r\n`);
      exchange.cut();
    });
    const seen = await chat(rig.gateway.base, { key, body: chatBody("mock") });
    expect(seen.status).toBe(502);
    expectNothingGivenAway(seen);
  });
});

test("an error inside a stream becomes ours: no upstream's text, no [DONE]", async () => {
  rig.upstream.script(exchange =>
    exchange.stream([chatEvent({ content: "Hel" }), `data: ${errorBody}\n\n`, DONE]),
  );
  const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream: true }) });
  expect(seen.text.startsWith(chatEvent({ content: "Hel" }))).toBe(true);
  expect(streamError(seen.text)?.reason).toBe("upstream_failed");
  expect(seen.text).not.toContain("[DONE]");
  expectNothingGivenAway(seen);
  const row = await settledRow(rig.dir, seen.requestId);
  expect(row).toMatchObject({ state: "settled", reason: "upstream_failed" });
});

test("no credential of the client ever reaches the upstream, and ours does", async () => {
  rig.upstream.script(exchange => exchange.reply(500, "{}"));
  const headers = {
    "x-api-key": key,
    "x-goog-api-key": key,
    cookie: "session=1",
    "openai-organization": "org-1",
  };
  await chat(rig.gateway.base, { key, body: chatBody("mock"), headers });
  const received = rig.upstream.received.at(-1);
  const whole = `${received?.requestLine}${JSON.stringify([...(received?.headers ?? [])])}${received?.body}`;
  expect(whole).not.toContain(key);
  expect(whole).not.toContain("session=1");
  expect(received?.headers.get("authorization")).toBe(`Bearer ${UPSTREAM_CREDENTIAL}`);
});
