import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, seeded, settledRow } from "./harness.ts";
import { chat, chatBody, eventData } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatCompletion, chatEvent, DONE, usageOf } from "./harness-upstream.ts";

/** The bytes pass through, both ways; only what the contract names is edited. */

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.key());
});
afterAll(() => rig.stop());

const RECORDINGS = join(ROOT, "..", "shared", "recordings", "openai-chat");
const names = existsSync(RECORDINGS)
  ? readdirSync(RECORDINGS).filter(name => name.endsWith(".chunks.txt"))
  : [];

type Chunk = {
  model?: string;
  choices?: unknown[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details?: { cached_tokens?: number };
  } | null;
};

function recordedLines(name: string): string[] {
  return readFileSync(join(RECORDINGS, name), "utf8")
    .split("\n")
    .filter(line => line !== "");
}

function framed(lines: readonly string[], lineEnd: string): Buffer {
  const events = [...lines, "[DONE]"].map(line => `data: ${line}${lineEnd}${lineEnd}`);
  return Buffer.from(events.join(""));
}

/** Nothing but usage: what the gateway asked for itself. */
function isUsageChunk(line: string): boolean {
  const chunk = JSON.parse(line) as Chunk;
  return chunk.usage !== undefined && chunk.usage !== null && chunk.choices?.length === 0;
}

function split(bytes: Buffer, random: () => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const size = 1 + Math.floor(random() ** 3 * 700);
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return pieces;
}

const hash = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("recorded streams arrive unchanged", () => {
  if (names.length === 0) {
    test.skip("skipped: the recordings are not beside this clone (../shared/recordings/openai-chat)", () => {});
  }
  for (const [at, name] of names.entries()) {
    for (const [ends, lineEnd] of [
      ["LF", "\n"],
      ["CRLF", "\r\n"],
    ] as const) {
      test(`${name}, ${ends}, in random pieces`, async () => {
        const lines = recordedLines(name);
        const random = seeded(at * 100 + lineEnd.length);
        for (const wanted of [true, false]) {
          const sent = framed(lines, lineEnd);
          rig.upstream.script(async exchange => {
            await exchange.begin();
            for (const piece of split(sent, random)) {
              await exchange.piece(piece);
              if (random() < 0.1) await Bun.sleep(0);
            }
            await exchange.end();
          });
          const options = wanted ? { stream_options: { include_usage: true } } : {};
          const body = chatBody("mock", { stream: true, ...options });
          const seen = await chat(rig.gateway.base, { key, body });
          const kept = wanted ? lines : lines.filter(line => !isUsageChunk(line));
          expect(hash(seen.text)).toBe(hash(framed(kept, lineEnd)));

          const counted = lines.map(line => (JSON.parse(line) as Chunk).usage).findLast(usage => !!usage);
          const cached = counted?.prompt_tokens_details?.cached_tokens ?? 0;
          expect(await settledRow(rig.dir, seen.requestId)).toMatchObject({
            source: "reported",
            status: 200,
            input_tokens: (counted?.prompt_tokens ?? 0) - cached,
            output_tokens: counted?.completion_tokens ?? 0,
          });
        }
      });
    }

    test(`${name}, with the name that the client asked for`, async () => {
      const lines = recordedLines(name);
      rig.upstream.script(exchange => exchange.stream(split(framed(lines, "\n"), seeded(at))));
      const seen = await chat(rig.gateway.base, { key, body: chatBody("renamed", { stream: true }) });
      const kept = lines.filter(line => !isUsageChunk(line));
      const expected = kept.map(line => line.replace(/"model":"[^"]*"/, '"model":"renamed"'));
      expect(eventData(seen.text)).toEqual([...expected, "[DONE]"]);
      expect(rig.upstream.exchanges.at(-1)?.body["model"]).toBe("vendor/model-x");
    });
  }
});

describe("streams with odd bytes arrive unchanged", () => {
  const ODD: readonly (readonly [string, string])[] = [
    [
      "comments and other fields",
      `: hello\n\nevent: x\nid: 1\nretry: 5\n${chatEvent({ content: "a" })}${DONE}`,
    ],
    ["lone CR", `data: {"choices":[]}\r\rdata: [DONE]\r\r`],
    ["no space after the colon", `data:{"choices":[{"delta":{"content":"a"}}]}\n\ndata:[DONE]\n\n`],
    ["U+2028 and U+2029 inside", chatEvent({ content: "a\u2028b\u2029c" }) + DONE],
    ["a byte order mark", `\ufeff${chatEvent({ content: "a" })}${DONE}`],
    ["text that names usage and errors", chatEvent({ content: '{"usage":{"a":1},"error":{"b":2}}' }) + DONE],
    ["usage and error that are null", `data: {"choices":[],"usage":null,"error":null}\n\n${DONE}`],
    ["two data lines in an event", `data: {"choices":\ndata: []}\n\n${DONE}`],
  ];
  for (const [name, text] of ODD) {
    for (const size of [1, 7, 100_000]) {
      test(`${name}, in pieces of ${size}`, async () => {
        const bytes = Buffer.from(text);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, at * size + size),
        );
        rig.upstream.script(exchange => exchange.stream(pieces));
        const response = await fetch(`${rig.gateway.base}/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}` },
          body: JSON.stringify(chatBody("mock", { stream: true })),
        });
        expect(hash(await response.bytes())).toBe(hash(bytes));
      });
    }
  }

  test("an event of 3 MB", async () => {
    const event = chatEvent({ content: "x".repeat(3_000_000) });
    rig.upstream.script(exchange => exchange.stream(split(Buffer.from(event + DONE), () => 40)));
    const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream: true }) });
    expect(hash(seen.text)).toBe(hash(event + DONE));
  });
});

test("the headers of a stream keep proxies from holding it back", async () => {
  rig.upstream.script(exchange => exchange.stream([chatEvent({ content: "a" }), DONE]));
  const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream: true }) });
  expect(seen.headers.get("content-type")).toStartWith("text/event-stream");
  expect(seen.headers.get("cache-control")).toBe("no-store");
  expect(seen.headers.get("x-accel-buffering")).toBe("no");
  expect(seen.headers.get("content-encoding")).toBe(null);
  expect(seen.headers.get("server-timing")).toMatch(/gateway;dur=\d+, upstream;dur=\d+/);
});

describe("requests reach the upstream unchanged", () => {
  const rest = `"messages":[{"role":"user","content":"caf\\u00e9 é \\/ 😀 \\n"}] , "temperature":1.0,"seed":1e2,
    "x_unknown":{"b":1.50,"a":[1,1.0,-0,1E+5]},"tools":[ ],"dup":1,"dup":2,"top_p" : 0.10`;

  async function receivedFor(body: string): Promise<string> {
    rig.upstream.script(exchange =>
      exchange.body["stream"] === true
        ? exchange.stream([chatEvent({ content: "a" }), DONE])
        : exchange.reply(200, chatCompletion("a", usageOf(1, 1))),
    );
    const seen = await chat(rig.gateway.base, { key, body });
    expect(seen.status).toBe(200);
    return rig.upstream.received.at(-1)?.body.toString("utf8") ?? "";
  }

  test("byte for byte where nothing has to be added", async () => {
    const whole = ` { "model" : "mock" , ${rest} }\n`;
    expect(await receivedFor(whole)).toBe(whole);
    const asked = `{"stream_options":{ "include_usage" : true },"stream" : true,"model":"mock",${rest}}`;
    expect(await receivedFor(asked)).toBe(asked);
  });

  test("with the usage chunk asked for where the client did not", async () => {
    const body = `{ "model":"mock","stream":true,${rest}}`;
    const received = await receivedFor(body);
    const field = '"stream_options":{"include_usage":true}';
    expect(received).toContain(field);
    expect([received.replace(`${field},`, ""), received.replace(`,${field}`, "")]).toContain(body);
  });

  test("with the usage chunk switched on where the client switched it off, its other options kept", async () => {
    const body = (options: string) => `{"model":"mock","stream_options":${options},"stream":true,${rest}}`;
    const received = await receivedFor(body('{ "include_usage":false, "include_obfuscation" : false }'));
    expect(received).toBe(body('{"include_usage":true,"include_obfuscation":false}'));
    expect(await receivedFor(body("null"))).toBe(body('{"include_usage":true}'));
  });

  test("with the upstream's own name of the model, and the answer with the client's", async () => {
    const body = (model: string) => `{"a":{"model":"renamed"},"model" : "${model}",${rest}}`;
    expect(await receivedFor(body("renamed"))).toBe(body("vendor/model-x"));
    const answer = `{"system":{"model":"vendor/model-x"},"model": "vendor/model-x", "choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`;
    rig.upstream.script(exchange => exchange.reply(200, answer));
    const seen = await chat(rig.gateway.base, { key, body: body("renamed") });
    expect(seen.text).toBe(answer.replace('"model": "vendor/model-x"', '"model": "renamed"'));
  });

  test("and answers that do not stream come back byte for byte", async () => {
    const answer = ` { "choices":[] , "n":1.0,"x":"\\u00e9", "usage":{"prompt_tokens":1,"completion_tokens":1}} \n`;
    rig.upstream.script(exchange => exchange.reply(200, answer));
    expect((await chat(rig.gateway.base, { key, body: chatBody("mock") })).text).toBe(answer);
  });
});

test("usage inside a chunk with choices is read and passed on; partial usage is corrected by the last", async () => {
  const first = chatEvent({ content: "a", usage: usageOf(5, 1) });
  const last = chatEvent({ content: "b", finish: "stop", usage: usageOf(5, 2) });
  rig.upstream.script(exchange => exchange.stream([first, last, DONE]));
  const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream: true }) });
  expect(seen.text).toBe(first + last + DONE);
  const row = await settledRow(rig.dir, seen.requestId);
  expect(row).toMatchObject({ input_tokens: 5, output_tokens: 2, source: "reported" });
});

test("the chunk with nothing but usage is withheld unless the client asked for it", async () => {
  const before = chatEvent({ content: "a" }) + chatEvent({ finish: "stop" });
  const usage = chatEvent({ usage: usageOf(5, 2) });
  const bytes = Buffer.from(before + usage + DONE);
  for (const size of [1, 50, 10_000]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, at * size + size),
    );
    rig.upstream.script(exchange => exchange.stream(pieces));
    const plain = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream: true }) });
    expect(plain.text).toBe(before + DONE);
    const body = chatBody("mock", { stream: true, stream_options: { include_usage: true } });
    expect((await chat(rig.gateway.base, { key, body })).text).toBe(before + usage + DONE);
  }
});
