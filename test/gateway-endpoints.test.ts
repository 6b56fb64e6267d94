import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { APIError, toFile } from "openai";
import {
  eventually,
  freshDir,
  type Gateway,
  mustRun,
  nanos,
  removeDir,
  settledRow,
  startGateway,
  usageRows,
  verifyClean,
} from "./harness.ts";
import { type Rig, startRig, UPSTREAM_CREDENTIAL, UPSTREAM_NAME } from "./harness-rig.ts";
import { chatCompletion, usageOf } from "./harness-upstream.ts";

/** The calls beside conversations, by the official SDK: passed on as they are, metered and priced. */

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.key());
});
afterAll(() => rig.stop());

const client = (apiKey = key) => new OpenAI({ baseURL: rig.gateway.base, apiKey, maxRetries: 0 });
const last = () => {
  const exchange = rig.upstream.exchanges.at(-1);
  if (exchange === undefined) throw new Error("the upstream was not asked");
  return exchange;
};
const pathOf = (line: string) => line.split(" ")[1];

async function refused(request: Promise<unknown>): Promise<APIError> {
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof APIError) return error;
  throw new Error(`not refused, but: ${String(error)}`);
}

const VECTORS = (usage: unknown, model = "mock") =>
  JSON.stringify({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: [0.5, -0.25] }],
    model,
    ...(usage === undefined ? {} : { usage }),
  });

describe("embeddings", () => {
  test("pass as they are, and cost their input and no output", async () => {
    rig.upstream.script(exchange => exchange.reply(200, VECTORS({ prompt_tokens: 12, total_tokens: 12 })));
    const ask = { model: "mock", input: ["one", "two"], encoding_format: "float" as const };
    const { data, request_id: id } = await client().embeddings.create(ask).withResponse();
    expect(data.data[0]?.embedding).toEqual([0.5, -0.25]);
    expect(pathOf(last().received.requestLine)).toBe("/v1/embeddings");
    expect(last().received.headers.get("authorization")).toBe(`Bearer ${UPSTREAM_CREDENTIAL}`);
    expect(last().body).toEqual(ask);
    const row = await settledRow(rig.dir, id ?? "");
    expect(row).toMatchObject({ input_tokens: 12, output_tokens: 0, source: "reported", status: 200 });
    expect(row.cost).toBe("0.000012");
    // A token for every byte, and nothing for an answer.
    expect(nanos(row.held)).toBe(BigInt(JSON.stringify(ask).length) * 1_000n);
  });

  test("without a report are estimated by a quarter of the bytes", async () => {
    rig.upstream.script(exchange => exchange.reply(200, VECTORS(undefined)));
    const body = JSON.stringify({ model: "mock", input: "x".repeat(4_000) });
    const answer = await post("/embeddings", body);
    const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
    expect(row).toMatchObject({ input_tokens: Math.ceil(body.length / 4), output_tokens: 0 });
    expect(row.source).toBe("estimated");
  });

  test("[P63] get the upstream's name for the model, and the client its own back", async () => {
    rig.upstream.script(exchange =>
      exchange.reply(200, VECTORS({ prompt_tokens: 1, total_tokens: 1 }, "vendor/model-x")),
    );
    const answer = await post("/embeddings", '{ "input":[1,2.0e0] ,"model": "renamed","x":1.0}');
    expect(await answer.json()).toMatchObject({ model: "renamed" });
    expect(last().received.body.toString()).toBe('{ "input":[1,2.0e0] ,"model": "vendor/model-x","x":1.0}');
  });

  test("with nothing to embed are refused, naming the field, and nobody is asked", async () => {
    const asked = rig.upstream.exchanges.length;
    for (const input of [[], "", undefined, 3]) {
      const answer = await post("/embeddings", JSON.stringify({ model: "mock", input }));
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { param: "input", reason: "request_invalid" } });
    }
    expect(rig.upstream.exchanges.length).toBe(asked);
  });
});

function post(path: string, body: string | FormData, headers: Record<string, string> = {}, apiKey = key) {
  const typed = typeof body === "string" ? { "content-type": "application/json" } : {};
  return fetch(`${rig.gateway.base}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, ...typed, ...headers },
    body,
  });
}

const textChunk = (choices: object[], extra: object = {}) =>
  `data: ${JSON.stringify({ id: "cmpl-1", object: "text_completion", created: 1, model: "mock", choices, ...extra })}\n\n`;

describe("completions", () => {
  test("pass, with the API's own limit where none is given, and are priced", async () => {
    rig.upstream.script(exchange => exchange.reply(200, chatCompletion("x", usageOf(10, 5))));
    const { request_id: id } = await client()
      .completions.create({ model: "mock", prompt: "Once" })
      .withResponse();
    expect(pathOf(last().received.requestLine)).toBe("/v1/completions");
    expect(last().body).toEqual({ max_tokens: 16, model: "mock", prompt: "Once" });
    const row = await settledRow(rig.dir, id ?? "");
    expect(row).toMatchObject({ input_tokens: 10, output_tokens: 5, cost: "0.00006" });
    expect(nanos(row.held)).toBeLessThan(300_000n);
  });

  test("stream as text completions; usage is asked for and withheld", async () => {
    rig.upstream.script(exchange =>
      exchange.stream([
        textChunk([{ text: "Hel", index: 0, logprobs: null, finish_reason: null }]),
        textChunk([{ text: "lo", index: 0, logprobs: null, finish_reason: "stop" }]),
        textChunk([], { usage: usageOf(3, 2) }),
        "data: [DONE]\n\n",
      ]),
    );
    const { data, request_id: id } = await client()
      .completions.create({ model: "mock", prompt: "Say", stream: true, max_tokens: 20 })
      .withResponse();
    let text = "";
    for await (const chunk of data) {
      expect(chunk.usage ?? null).toBeNull();
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).toBe("Hello");
    expect(last().body).toMatchObject({ max_tokens: 20, stream_options: { include_usage: true } });
    const row = await settledRow(rig.dir, id ?? "");
    expect(row).toMatchObject({ input_tokens: 3, output_tokens: 2, stream: true, source: "reported" });
  });

  test("name the field that is wrong", async () => {
    const error = await refused(client().completions.create({ model: "mock", prompt: "x", n: 0 }));
    expect([error.status, error.param]).toEqual([400, "n"]);
  });
});

const PICTURE = Buffer.alloc(3_000_000, 7).toString("base64");
const PICTURES = (usage?: object) =>
  JSON.stringify({ created: 1, data: [{ b64_json: PICTURE }], ...(usage === undefined ? {} : { usage }) });

describe("images", () => {
  test("of megabytes come whole, and cost what the upstream reports", async () => {
    const usage = { input_tokens: 10, output_tokens: 400, total_tokens: 410 };
    rig.upstream.script(exchange => exchange.reply(200, PICTURES(usage)));
    const ask = { model: "mock", prompt: "A gate", size: "1024x1024" as const };
    const { data, request_id: id } = await client().images.generate(ask).withResponse();
    expect(data.data?.[0]?.b64_json).toBe(PICTURE);
    expect(pathOf(last().received.requestLine)).toBe("/v1/images/generations");
    expect(last().body).toEqual(ask);
    const row = await settledRow(rig.dir, id ?? "");
    expect(row).toMatchObject({ input_tokens: 10, output_tokens: 400, cost: "0.00401" });
  });

  test("without a report have no tokens, and cost the price of the call", async () => {
    rig.upstream.script(exchange => exchange.reply(200, PICTURES()));
    const { request_id: id } = await client()
      .images.generate({ model: "call", prompt: "A gate", n: 2 })
      .withResponse();
    const row = await settledRow(rig.dir, id ?? "");
    expect(row).toMatchObject({ input_tokens: 0, output_tokens: 0, cost: "0.01" });
  });

  test("[P45] stream their parts, however large, and the usage of the last", async () => {
    const usage = { input_tokens: 5, output_tokens: 100, total_tokens: 105 };
    const event = (type: string, extra: object = {}) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: PICTURE, ...extra })}\n\n`;
    rig.upstream.script(exchange =>
      exchange.stream([
        event("image_generation.partial_image", { partial_image_index: 0 }),
        event("image_generation.completed", { usage }),
      ]),
    );
    const { data, request_id: id } = await client()
      .images.generate({ model: "mock", prompt: "A gate", stream: true })
      .withResponse();
    const types: string[] = [];
    for await (const { type, b64_json: picture } of data) {
      types.push(type);
      expect(picture).toBe(PICTURE);
    }
    expect(types).toEqual(["image_generation.partial_image", "image_generation.completed"]);
    const row = await settledRow(rig.dir, id ?? "");
    expect(row).toMatchObject({ input_tokens: 5, output_tokens: 100, source: "reported" });
  });

  test("are refused whole where the key cannot pay for all of what they may cost", async () => {
    const poor = await rig.key("--quota", "0.005");
    const asked = rig.upstream.exchanges.length;
    const error = await refused(client(poor.key).images.generate({ model: "mock", prompt: "A gate" }));
    expect([error.status, error.code]).toEqual([402, "insufficient_quota"]);
    expect(rig.upstream.exchanges.length).toBe(asked);
  });

  test("need a model, and at most ten are made", async () => {
    const answer = await post("/images/generations", '{"prompt":"x"}');
    expect(await answer.json()).toMatchObject({ error: { param: "model" } });
    const many = await post("/images/generations", '{"prompt":"x","model":"mock","n":11}');
    expect(await many.json()).toMatchObject({ error: { param: "n" } });
  });
});

describe("all of them", () => {
  test("stand in the usage log by their own name, also when they are refused", async () => {
    const { key: mine, id } = await rig.key("--rpm", "1");
    rig.upstream.script(exchange => exchange.reply(200, VECTORS({ prompt_tokens: 1, total_tokens: 1 })));
    await client(mine).embeddings.create({ model: "mock", input: "x" });
    const error = await refused(client(mine).embeddings.create({ model: "mock", input: "x" }));
    expect([error.status, error.headers?.get("x-request-id")]).toEqual([429, expect.any(String)]);
    const rows = await eventually(async () => {
      const found = await usageRows(rig.dir, id);
      return found.length === 2 && found.every(row => row.state !== "open") ? found : null;
    });
    expect(rows?.map(row => row.state)).toEqual(["refused", "settled"]);
    const csv = await mustRun(rig.dir, ["usage", "--json", "--key", id]);
    expect(csv).toContain("embeddings");
  });

  test("50 at once spend a quota to the last call, and never beyond", async () => {
    const { key: mine, id } = await rig.key("--quota", "0.07");
    rig.upstream.script(exchange => exchange.reply(200, PICTURES()));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () => client(mine).images.generate({ model: "call", prompt: "x" })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
    const rows = await eventually(async () => {
      const found = (await usageRows(rig.dir, id)).filter(row => row.state === "settled");
      return found.length === 7 ? found : null;
    });
    expect(rows?.every(row => row.cost === "0.01")).toBe(true);
  });

  test("tell the client nothing of the upstream where it fails", async () => {
    rig.upstream.script(exchange => exchange.reply(500, `{"error":{"message":"${UPSTREAM_NAME} broke"}}`));
    const answer = await post("/embeddings", '{"model":"mock","input":"x"}');
    const text = await answer.text();
    expect(answer.status).toBe(502);
    expect(text).toContain("upstream_failed");
    expect(text).not.toContain(UPSTREAM_NAME);
  });

  test("[P48] treat an error under a good status as one, and charge nothing", async () => {
    rig.upstream.script(exchange => exchange.reply(200, '{"error":{"message":"no"}}'));
    for (const path of ["/embeddings", "/images/generations", "/completions"]) {
      const answer = await post(path, '{"model":"mock","input":"x","prompt":"x"}');
      expect([path, answer.status]).toEqual([path, 502]);
      const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
      expect([row.state, row.cost]).toEqual(["voided", "0.00"]);
    }
  });
});

describe("with the demo model", () => {
  const dir = freshDir();
  let gateway: Gateway;
  beforeAll(async () => {
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

  test("each of them answers, and has its row", async () => {
    const demo = new OpenAI({ baseURL: gateway.base, apiKey: gateway.demoKey ?? "", maxRetries: 0 });
    const vectors = await demo.embeddings.create({ model: "demo", input: "Hello" });
    expect(vectors.data[0]?.embedding.length).toBeGreaterThan(0);
    const text = await demo.completions.create({ model: "demo", prompt: "Hello" });
    expect(text.choices[0]?.text).toContain("Hello");
    const pictures = await demo.images.generate({ model: "demo", prompt: "Hello" });
    expect(pictures.data?.[0]?.b64_json).toBeString();
    const sound = await demo.audio.speech.create({ model: "demo", input: "Hello", voice: "alloy" });
    const wav = await toFile(await sound.arrayBuffer(), "hello.wav");
    const heard = await demo.audio.transcriptions.create({ model: "demo", file: wav });
    expect(heard.text).toContain("hello.wav");
    const rows = await eventually(async () => {
      const found = await usageRows(dir);
      return found.length === 5 && found.every(row => row.state === "settled") ? found : null;
    });
    expect(rows?.map(row => row.status)).toEqual([200, 200, 200, 200, 200]);
  });
});
