import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { APIError } from "openai";
import {
  applyYaml,
  freshDir,
  type Gateway,
  keyOf,
  type MadeKey,
  nanos,
  removeDir,
  settledRow,
  startGateway,
  usageRows,
  verifyClean,
} from "./harness.ts";

/** The official SDK as people use it: a base URL and a key, and nothing else. */

const dir = freshDir();
let gateway: Gateway;
let keys: Map<string, MadeKey>;

beforeAll(async () => {
  keys = await applyYaml(
    dir,
    `
upstreams: [{ name: demo, kind: demo, models: { demo: demo, slow: demo-delay-20-tokens-200 } }]
models:
  - { name: demo, context_tokens: 128000, max_output_tokens: 1000, price: { input: 1, output: 10 } }
  - { name: slow, price: { input: 1, output: 10 } }
  - { name: elsewhere, price: { input: 1, output: 10 } }
groups: [{ name: default, models: [demo, slow] }]
accounts: [{ email: ann@example.org, balance: 10 }]
keys:
  - { account: ann@example.org, name: laptop, group: default }
  - { account: ann@example.org, name: poor, group: default, quota: 0.00001 }
  - { account: ann@example.org, name: slow, group: default, requests_per_minute: 1 }
`,
  );
  gateway = await startGateway(dir);
});
afterAll(async () => {
  try {
    await verifyClean(dir);
  } finally {
    await gateway.stop();
    removeDir(dir);
  }
});

const client = (apiKey = keyOf(keys, "laptop").key) => new OpenAI({ baseURL: gateway.base, apiKey });
const hello = { model: "demo", messages: [{ role: "user" as const, content: "Hello" }] };
const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

describe("models", () => {
  test("are listed", async () => {
    const names: string[] = [];
    for await (const model of client().models.list()) names.push(model.id);
    expect(names.sort()).toEqual(["demo", "slow"]);
  });

  test("are retrieved one by one", async () => {
    const model = await client().models.retrieve("demo");
    expect(model).toMatchObject({ id: "demo", object: "model" });
    expect(model.created).toBeGreaterThan(1_600_000_000);
  });
});

describe("a chat", () => {
  test("is answered, and its row shows key, model, tokens, cost, duration and status", async () => {
    const { data, request_id: id } = await client().chat.completions.create(hello).withResponse();
    expect(data.model).toBe("demo");
    expect(data.choices[0]?.message.content).not.toBe("");
    expect(data.choices[0]?.finish_reason).toBe("stop");
    const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = data.usage ?? {};
    expect(prompt).toBeGreaterThan(0);
    expect(completion).toBeGreaterThan(0);
    const row = await settledRow(dir, id ?? "");
    expect(row).toMatchObject({
      account: "ann@example.org",
      key: "laptop",
      key_id: keyOf(keys, "laptop").id,
      group: "default",
      model: "demo",
      stream: false,
      state: "settled",
      status: 200,
      source: "reported",
      pocket: "balance",
      input_tokens: prompt,
      output_tokens: completion,
    });
    expect(nanos(row.cost)).toBe(BigInt(prompt) * 1_000n + BigInt(completion) * 10_000n);
    expect(row.duration_ms).toBeGreaterThanOrEqual(0);
  });

  for (const asked of [false, true]) {
    test(`streams ${asked ? "with" : "without"} include_usage, and is metered alike`, async () => {
      const { data: stream, request_id: id } = await client()
        .chat.completions.create({
          ...hello,
          stream: true,
          ...(asked ? { stream_options: { include_usage: true } } : {}),
        })
        .withResponse();
      let text = "";
      const counts: (OpenAI.CompletionUsage | null)[] = [];
      let finish: string | null = null;
      for await (const chunk of stream) {
        expect(chunk.model).toBe("demo");
        text += chunk.choices[0]?.delta.content ?? "";
        finish = chunk.choices[0]?.finish_reason ?? finish;
        if (chunk.usage) counts.push(chunk.usage);
      }
      expect(finish).toBe("stop");
      expect(counts).toHaveLength(asked ? 1 : 0);
      const whole = await client().chat.completions.create(hello);
      expect(text).toBe(whole.choices[0]?.message.content ?? "");
      const row = await settledRow(dir, id ?? "");
      expect(row).toMatchObject({ stream: true, status: 200, source: "reported" });
      expect(row.output_tokens).toBe(whole.usage?.completion_tokens ?? 0);
      expect(row.first_byte_ms).not.toBe(null);
    });
  }

  test("calls a tool, whole and streamed, and reads its result", async () => {
    const ask = { ...hello, tools, tool_choice: "required" as const };
    const whole = await client().chat.completions.create(ask);
    const call = whole.choices[0]?.message.tool_calls?.[0];
    expect(whole.choices[0]?.finish_reason).toBe("tool_calls");
    if (call?.type !== "function") throw new Error("no tool was called");
    expect(call.function.name).toBe("get_weather");
    expect(JSON.parse(call.function.arguments)).toHaveProperty("city");

    const streamed = await client().chat.completions.stream(ask).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: "get_weather", arguments: call.function.arguments },
    });

    const after = await client().chat.completions.create({
      model: "demo",
      tools,
      messages: [
        ...hello.messages,
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: "Sunny" },
      ],
    });
    expect(after.choices[0]?.message.content).not.toBe(null);
  });

  test("is left in mid-stream by the SDK's own abort, and billed for what was delivered", async () => {
    const { data: stream, request_id: id } = await client()
      .chat.completions.create({ ...hello, model: "slow", stream: true })
      .withResponse();
    let count = 0;
    for await (const _ of stream) if (++count === 10) break;
    const row = await settledRow(dir, id ?? "");
    expect(row).toMatchObject({ status: 499, reason: "client_left", source: "estimated" });
    expect(row.output_tokens).toBeLessThan(200);
  });
});

describe("a refusal is the SDK's own error, with status, code and a message for people:", () => {
  async function refused(work: Promise<unknown>): Promise<APIError> {
    try {
      await work;
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new Error("it was not refused");
  }

  test("401", async () => {
    const error = await refused(client("wgk_short").chat.completions.create(hello));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(error.message).toContain("9 characters");
    expect(error.requestID).toMatch(/^req_/);
  });

  test("402, which it does not try again", async () => {
    const { key, id } = keyOf(keys, "poor");
    const error = await refused(client(key).chat.completions.create(hello));
    expect(error).toMatchObject({ status: 402, code: "insufficient_quota", type: "insufficient_quota" });
    expect(error.message).toContain("quota of the key “poor”");
    expect(await usageRows(dir, id)).toHaveLength(1);
  });

  test("403", async () => {
    const error = await refused(client().chat.completions.create({ ...hello, model: "elsewhere" }));
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(error).toMatchObject({ status: 403, code: "model_not_found" });
    expect(error.message).toContain("demo, slow");
  });

  test("404, with the base URL to enter", async () => {
    const lost = new OpenAI({ baseURL: gateway.url, apiKey: keyOf(keys, "laptop").key });
    const error = await refused(lost.chat.completions.create(hello));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ status: 404, code: "unknown_url" });
    expect(error.message).toContain(gateway.base);
  });

  test("429", async () => {
    // The SDK would wait for as long as it is told, which is right and too long for a test.
    const impatient = new OpenAI({ baseURL: gateway.base, apiKey: keyOf(keys, "slow").key, maxRetries: 0 });
    await impatient.chat.completions.create(hello);
    const error = await refused(impatient.chat.completions.create(hello));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(Number(error.headers?.get("retry-after"))).toBeGreaterThan(0);
  });

  test("in mid-stream", async () => {
    const stream = await client().chat.completions.create({
      ...hello,
      stream: true,
      ...{ demo: { cut_after: 3 } },
    });
    let text = "";
    const error = await refused(
      (async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
      })(),
    );
    expect(text).not.toBe("");
    expect(error.message).toContain("failed");
  });
});
