import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectRefused, expectSentences } from "./case-refusal.ts";
import { usageRows } from "./harness.ts";
import { answerOf, chatBody } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";

/** Where a client knocks at the wrong door, it is told which one is right. */

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.key());
});
afterAll(() => rig.stop());

const post = (path: string) =>
  fetch(rig.gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(chatBody("mock")),
  });

describe("a wrong base URL is told, with the value to enter:", () => {
  for (const path of [
    "/chat/completions",
    "/responses",
    "/models",
    "/models/mock",
    "/embeddings",
    "/completions",
    "/v1/v1/chat/completions",
    "/v1/v1/models",
    "/v1/v1/responses",
    "/v1/chat/completions/chat/completions",
    "/v1/chat/completions/responses",
    "/v1/responses/responses",
    "/v1/models/chat/completions",
    "/api/v1/chat/completions",
    "/openai/chat/completions?api-version=1",
    "//chat/completions",
  ]) {
    test(path, async () => {
      const { message, remedy } = expectRefused(await answerOf(await post(path)), "wrong_base_url", [key]);
      for (const sentence of [message, remedy]) expect(sentence).toMatch(`${rig.gateway.url}/v1`);
    });
  }

  for (const path of [
    "/messages",
    "/messages/count_tokens",
    "/v1/v1/messages",
    "/v1/v1/messages?beta=true",
    "/v1/messages/v1/messages",
    "/v1/chat/completions/v1/messages",
    "/v1/v1/messages/count_tokens",
  ]) {
    test(`${path}, in the messages dialect`, async () => {
      const response = await post(path);
      const body = (await response.json()) as {
        type: string;
        request_id: string;
        error: { type: string; reason: string; cause: string; message: string; remedy: string };
      };
      if (/\/messages(\?|$)/.test(path)) expect(response.status).toBe(405);
      else expect([404, 405]).toContain(response.status);
      expect(body.type).toBe("error");
      expect(body.error).toMatchObject({
        type: "invalid_request_error",
        reason: "wrong_base_url",
        cause: "wrong_base_url",
      });
      expectSentences(body.error, [key]);
      expect(body.error.message).toContain(rig.gateway.url);
      expect(body.error.message).not.toContain(`${rig.gateway.url}/v1 `);
      expect(response.headers.get("request-id")).toBe(body.request_id);
      expect(response.headers.get("x-request-id")).toBe(body.request_id);
      expect(response.headers.get("x-should-retry")).toBe("false");
    });
  }

  test("/v1/v1beta/…, which a Gemini client makes, gets the root", async () => {
    const seen = await answerOf(await post("/v1/v1beta/models/mock:generateContent"));
    const { message } = expectRefused(seen, "wrong_base_url", [key]);
    expect(message).toContain(rig.gateway.url);
    expect(message).not.toContain(`${rig.gateway.url}/v1 `);
  });
});

describe("any other path is simply not there:", () => {
  for (const path of ["/nothing", "/v1/nothing", "/v1", "/v1/chat", "/.env", "/v1/../etc/passwd", "/%00"]) {
    test(path, async () => {
      const { remedy } = expectRefused(await answerOf(await post(path)), "not_found", [key]);
      expect(remedy).toContain(`${rig.gateway.url}/v1`);
    });
  }

  test("a wrong method on a right path", async () => {
    const seen = await answerOf(await fetch(`${rig.gateway.base}/chat/completions`));
    expectRefused(seen, "not_found");
  });

  test("none of it is on record: no key was looked at", async () => {
    expect(await usageRows(rig.dir)).toEqual([]);
  });
});

describe("the paths that cost nothing", () => {
  const get = (path: string, bearer: string) =>
    fetch(rig.gateway.url + path, { headers: { authorization: `Bearer ${bearer}` } });

  test("carry a request id, count against no limit and leave no record", async () => {
    const made = await rig.key("--rpm", "1", "--concurrency", "1");
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (const path of ["/v1/models", "/v1/models/mock", "/v1/key", "/v1/key?model=mock"]) {
        const response = await get(path, made.key);
        expect(response.status).toBe(200);
        seen.add(response.headers.get("x-request-id") ?? "");
      }
    }
    expect(seen.size).toBe(12);
    expect(await usageRows(rig.dir, made.id)).toEqual([]);
    const after = await get("/v1/key", made.key);
    const limits = ((await after.json()) as { checks: { step: string; ok: boolean }[] }).checks;
    expect(limits.find(({ step }) => step === "limits")?.ok).toBe(true);
  });

  test("list only what the key can use, in a shape for both dialects", async () => {
    const list = (await (await get("/v1/models", key)).json()) as Record<string, unknown>;
    expect(list).toMatchObject({ object: "list", has_more: false, first_id: "call", last_id: "renamed" });
    const names = (list["data"] as { id: string; object: string; type: string }[]).map(({ id }) => id);
    expect(names).toEqual(["call", "mock", "renamed"]);
    for (const hidden of ["elsewhere", "unpriced", "unserved", "nothing"]) {
      const seen = await answerOf(await get(`/v1/models/${hidden}`, key));
      expect([403, 404]).toContain(seen.status);
    }
  });

  test("say of a key what it is and what is left, never its string", async () => {
    const made = await rig.key("--quota", "2.5", "--rpm", "60");
    const text = await (await get("/v1/key?model=mock", made.key)).text();
    expect(text).not.toContain(made.key);
    expect(JSON.parse(text)).toMatchObject({
      id: made.id,
      state: "active",
      group: { name: "default", enabled: true, models: ["call", "mock", "renamed"] },
      limits: { quota_usd: "2.50", requests_per_minute: 60, concurrency: null },
      pockets: { key_quota: { left_usd: "2.50" }, balance: { left_usd: "1000.00" } },
    });
  });
});

describe("probes of clients are answered:", () => {
  test("HEAD /, HEAD /api/hello, GET /", async () => {
    for (const path of ["/", "/api/hello"]) {
      expect((await fetch(rig.gateway.url + path, { method: "HEAD" })).status).toBe(200);
    }
    const welcome = await fetch(`${rig.gateway.url}/`);
    expect(await welcome.text()).toContain(`${rig.gateway.url}/v1`);
  });

  test("liveness and readiness", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      expect((await fetch(rig.gateway.url + path)).status).toBe(200);
    }
  });

  test("a browser's preflight under /v1, without credentials; not elsewhere", async () => {
    const ask = (path: string) =>
      fetch(rig.gateway.url + path, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type,x-stainless-os",
        },
      });
    const allowed = await ask("/v1/chat/completions");
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("*");
    expect(allowed.headers.get("access-control-allow-methods")).toContain("POST");
    expect(allowed.headers.get("access-control-allow-headers")).toContain("x-stainless-os");
    expect(allowed.headers.get("access-control-allow-credentials")).toBe(null);
    for (const path of ["/console/api/keys", "/console/"]) {
      const refused = await ask(path);
      expect(refused.ok).toBe(false);
      expect(refused.headers.get("access-control-allow-headers")).toBe(null);
    }
  });

  test("a browser reads refusals too", async () => {
    const headers = { origin: "https://app.example" };
    const seen = await answerOf(await fetch(`${rig.gateway.base}/models`, { headers }));
    expectRefused(seen, "key_missing");
    expect(seen.headers.get("access-control-allow-origin")).toBe("*");
  });
});
