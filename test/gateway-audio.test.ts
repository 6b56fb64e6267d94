import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { APIError, toFile } from "openai";
import { eventually, mustRun, settledRow } from "./harness.ts";
import { chatHead, rawConnection } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { BOUNDARY, form } from "./harness-upload.ts";

/** Sound both ways, by the official SDK: bytes that are no text and a form that is no JSON. */

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig({ WICKETGATE_BODY_MIB: "2" });
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

const SOUND = Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 251));
const speak = { model: "mock", input: "Good morning", voice: "alloy" };

describe("speech", () => {
  test("comes as bytes while the upstream still speaks, and costs what was read", async () => {
    const half = Promise.withResolvers<void>();
    rig.upstream.script(async exchange => {
      await exchange.begin({ "content-type": "audio/mpeg" });
      await exchange.piece(SOUND.subarray(0, 20_000));
      await half.promise;
      await exchange.piece(SOUND.subarray(20_000));
      await exchange.end();
    });
    const answer = await client().audio.speech.create(speak);
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    const parts: Uint8Array[] = [];
    for await (const part of answer.body ?? []) {
      parts.push(part);
      half.resolve();
    }
    expect(Buffer.concat(parts).equals(SOUND)).toBe(true);
    expect(pathOf(last().received.requestLine)).toBe("/v1/audio/speech");
    expect(last().body).toEqual(speak);
    const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
    expect(row).toMatchObject({ input_tokens: 3, output_tokens: 0, cost: "0.000003", source: "estimated" });
    expect(row.first_byte_ms).not.toBeNull();
  });

  test("that breaks off breaks off the client's connection, and is no whole file", async () => {
    rig.upstream.script(async exchange => {
      await exchange.begin({ "content-type": "audio/mpeg" });
      await exchange.piece(SOUND);
      exchange.cut();
    });
    const answer = await client().audio.speech.create(speak);
    const ended = await answer.arrayBuffer().then(
      () => "whole",
      () => "cut",
    );
    expect(ended).toBe("cut");
    const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
    expect(row).toMatchObject({ state: "settled", status: 502, reason: "upstream_failed", input_tokens: 3 });
  });

  test("[P47] that nobody waits for is ended upstream", async () => {
    rig.upstream.script(async exchange => {
      await exchange.begin({ "content-type": "audio/mpeg" });
      while (exchange.isOpen) await exchange.piece(SOUND);
    });
    const answer = await client().audio.speech.create(speak);
    await answer.body?.cancel();
    const exchange = last();
    expect(await eventually(() => exchange.aborted, 3_000)).toBe(true);
    const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
    expect(row).toMatchObject({ status: 499, reason: "client_left", input_tokens: 3 });
  });

  test("that is not read holds the upstream back, and arrives whole when it is read again", async () => {
    const pieces = 800;
    rig.upstream.script(async exchange => {
      await exchange.begin({ "content-type": "audio/mpeg" });
      for (let at = 0; at < pieces && exchange.isOpen; at++) await exchange.piece(SOUND);
      await exchange.end();
    });
    const ask = chatHead(rig.gateway.url, key, JSON.stringify(speak));
    const head = ask.replace("/v1/chat/completions", "/v1/audio/speech");
    const asked = rig.upstream.exchanges.length;
    const socket = await rawConnection(rig.gateway.url, head);
    socket.pause();
    const exchange = await eventually(() => rig.upstream.exchanges[asked] ?? null);
    await Bun.sleep(1_000);
    const sent = exchange?.bytesSent ?? 0;
    await Bun.sleep(300);
    expect(exchange?.bytesSent).toBe(sent);
    expect(sent).toBeLessThan(pieces * SOUND.length);
    let bytes = 0;
    let tail = "";
    socket.on("data", piece => {
      bytes += piece.length;
      tail = (tail + piece.toString("latin1")).slice(-7);
    });
    socket.resume();
    expect(await eventually(() => tail.endsWith("\r\n0\r\n\r\n"), 20_000)).toBe(true);
    expect(bytes).toBeGreaterThan(pieces * SOUND.length);
    socket.destroy();
  });

  test("of a key that is deleted meanwhile is cut off", async () => {
    const { key: mine, id } = await rig.key();
    rig.upstream.script(async exchange => {
      await exchange.begin({ "content-type": "audio/mpeg" });
      await exchange.piece(SOUND);
    });
    const answer = await client(mine).audio.speech.create(speak);
    await mustRun(rig.dir, ["key", "delete", id]);
    expect(await answer.arrayBuffer().catch(() => "cut")).toBe("cut");
    const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "", id);
    expect(row).toMatchObject({ state: "settled", reason: "key_deleted" });
  });

  test("as events is a stream with the usage of its end", async () => {
    const usage = { input_tokens: 4, output_tokens: 60, total_tokens: 64 };
    const events = [
      `data: ${JSON.stringify({ type: "speech.audio.delta", audio: SOUND.toString("base64") })}\n\n`,
      `data: ${JSON.stringify({ type: "speech.audio.done", usage })}\n\n`,
    ];
    rig.upstream.script(exchange => exchange.stream(events));
    const answer = await client().audio.speech.create({ ...speak, stream_format: "sse" });
    expect(await answer.text()).toBe(events.join(""));
    const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
    expect(row).toMatchObject({ input_tokens: 4, output_tokens: 60, stream: true, source: "reported" });
  });

  test("[P48] an error in place of sound is an error", async () => {
    rig.upstream.script(exchange => exchange.reply(200, '{"error":{"message":"no voice"}}'));
    expect((await refused(client().audio.speech.create(speak))).status).toBe(502);
  });
});

const wav = () => toFile(SOUND, "morning.wav", { type: "audio/wav" });
const heard = (usage?: object) =>
  JSON.stringify({ text: "Good morning", ...(usage === undefined ? {} : { usage }) });
const TOKENS = { type: "tokens", input_tokens: 140, output_tokens: 9, total_tokens: 149 };

function sendForm(body: Uint8Array | string, type = `multipart/form-data; boundary=${BOUNDARY}`) {
  return fetch(`${rig.gateway.base}/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    body,
  });
}

describe("a transcription", () => {
  test("passes with its file, byte for byte, and costs what the upstream reports", async () => {
    rig.upstream.script(exchange => exchange.reply(200, heard(TOKENS)));
    const parts = [
      { name: "file", value: SOUND, file: "morning; name=model.wav" },
      { name: "language", value: "en" },
      { name: "model", value: "mock" },
      { name: "unknown[]", value: "stays" },
    ];
    const answer = await sendForm(form(...parts));
    expect(await answer.text()).toBe(heard(TOKENS));
    expect(pathOf(last().received.requestLine)).toBe("/v1/audio/transcriptions");
    expect(last().received.headers.get("content-type")).toBe(`multipart/form-data; boundary=${BOUNDARY}`);
    expect(last().received.body.equals(form(...parts))).toBe(true);
    const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
    expect(row).toMatchObject({ input_tokens: 140, output_tokens: 9, source: "reported", cost: "0.00023" });
  });

  test("by the SDK gets the upstream's name for the model, whichever field comes first", async () => {
    rig.upstream.script(exchange => exchange.reply(200, heard()));
    const asks = [
      { model: "renamed", file: await wav(), language: "en" },
      { file: await wav(), language: "en", model: "renamed" },
    ];
    for (const ask of asks) {
      expect((await client().audio.transcriptions.create(ask)).text).toBe("Good morning");
      const { headers, body } = last().received;
      const sent = await new Response(body, {
        headers: { "content-type": headers.get("content-type") ?? "" },
      }).formData();
      expect(Object.fromEntries([...sent].filter(([name]) => name !== "file"))).toEqual({
        model: "vendor/model-x",
        language: "en",
      });
      const file = sent.get("file");
      expect(file instanceof Blob && Buffer.from(await file.arrayBuffer()).equals(SOUND)).toBe(true);
    }
  });

  test("without a report costs its call, and is counted by its text alone", async () => {
    const duration = { type: "duration", seconds: 3 };
    const plain = { "content-type": "text/plain" };
    for (const [body, headers] of [
      ["Good morning\n", plain],
      [heard(duration), {}],
    ] as const) {
      rig.upstream.script(exchange => exchange.reply(200, body, headers));
      const answer = await sendForm(
        form({ name: "model", value: "call" }, { name: "file", value: SOUND, file: "a" }),
      );
      expect(await answer.text()).toBe(body);
      const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
      expect(row).toMatchObject({ input_tokens: 0, cost: "0.01", source: "estimated" });
      expect(row.output_tokens).toBeGreaterThan(0);
      expect(row.output_tokens).toBeLessThan(6);
    }
  });

  test("streams where that is asked, even behind the file", async () => {
    const events = [
      { type: "transcript.text.delta", delta: "Good " },
      { type: "transcript.text.delta", delta: "morning" },
      { type: "transcript.text.done", text: "Good morning", usage: TOKENS },
    ];
    rig.upstream.script(exchange =>
      exchange.stream(events.map(event => `data: ${JSON.stringify(event)}\n\n`)),
    );
    const ask = { model: "mock", file: await wav(), stream: true as const };
    const { data, request_id: id } = await client().audio.transcriptions.create(ask).withResponse();
    const seen: object[] = [];
    for await (const event of data) seen.push(event);
    expect(seen).toEqual(events);
    expect(await settledRow(rig.dir, id ?? "")).toMatchObject({ input_tokens: 140, output_tokens: 9 });
  });

  test("that is cut off in its stream ends with an error, and costs what was said", async () => {
    rig.upstream.script(async exchange => {
      await exchange.begin();
      await exchange.piece(`data: ${JSON.stringify({ type: "transcript.text.delta", delta: "Good " })}\n\n`);
      exchange.cut();
    });
    const ask = { model: "mock", file: await wav(), stream: true as const };
    const { data, request_id: id } = await client().audio.transcriptions.create(ask).withResponse();
    const reading = (async () => {
      for await (const _ of data);
    })();
    expect(await refused(reading)).toMatchObject({ error: { reason: "upstream_failed" } });
    const row = await settledRow(rig.dir, id ?? "");
    expect(row).toMatchObject({ input_tokens: 0, reason: "upstream_failed", state: "settled" });
    expect(row.output_tokens).toBeGreaterThan(0);
  });

  const file = { name: "file", value: "sound", file: "a.wav" };
  const model = { name: "model", value: "mock" };
  const whole = form(model, file);
  const BROKEN: Record<string, { body: Uint8Array | string; type?: string; says: string; status?: number }> =
    {
      "has no model": { body: form(file), says: "“model” is missing" },
      "has a model without a name": { body: form({ ...model, value: "" }, file), says: "“model” must be" },
      "has a file for a model": {
        body: form({ ...model, file: "x" }, file),
        says: "“model” must be a plain text",
      },
      "has two models": { body: form(model, file, model), says: "“model” is given twice" },
      "has no file": { body: form(model), says: "“file” is missing" },
      "has no end": { body: whole.subarray(0, -6), says: "last boundary is missing" },
      "has no boundary": { body: whole, type: "multipart/form-data", says: "names no boundary" },
      "is JSON": {
        body: '{"model":"mock"}',
        type: "application/json",
        says: "application/json",
        status: 415,
      },
      "is larger than the limit": { body: Buffer.alloc(2_097_153), says: "larger than 2 MiB", status: 413 },
    };
  for (const [what, { body, type, says, status = 400 }] of Object.entries(BROKEN)) {
    test(`that ${what} is refused with ${status}, and nothing is charged`, async () => {
      rig.upstream.script(exchange => exchange.reply(200, heard()));
      const answer = await sendForm(body, type);
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(says)]);
      const row = await settledRow(rig.dir, answer.headers.get("x-request-id") ?? "");
      expect([["refused", "voided"].includes(row.state), row.cost]).toEqual([true, "0.00"]);
    });
  }
});
