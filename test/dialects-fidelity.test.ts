import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Dialect } from "../src/domain/usage.ts";
import { NO_RECORDINGS, recordings, shattered } from "../src/protocols/tap.case.ts";
import { seeded } from "./harness.ts";
import { corpusOf } from "./hostile-corpus.ts";
import { type Chance, pick } from "./hostile-mutator.ts";
import { type HostileRig, PATHS, plainBody, startHostileRig } from "./hostile-rig.ts";
import { DIALECTS, VOICES } from "./hostile-voice.ts";

/** Where client and upstream speak the same dialect, the bytes that one sends are the bytes that the other gets. */

const STREAMS = 1_002;
const AT_ONCE = 8;
let rig: HostileRig;
const corpora = new Map<Dialect, string[]>();
beforeAll(async () => {
  rig = await startHostileRig();
  for (const dialect of DIALECTS) {
    const { streams } = await corpusOf(dialect);
    corpora.set(
      dialect,
      streams.filter(stream => !stream.includes('"type":"error"')),
    );
  }
});
afterAll(() => rig.stop());

const hash = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The same events in another form of lines, with comments between some of them. */
function oddly(stream: string, chance: Chance): Buffer {
  const end = pick(chance, ["\n", "\r\n", "\r"]);
  const events = stream.split(/(?<=\n\n)/).map((event, at) => {
    const spaced = chance() < 0.1 ? event.replaceAll(/^(data|event): /gm, "$1:") : event;
    return at > 0 && chance() < 0.05 ? `: a comment\n\n${spaced}` : spaced;
  });
  return Buffer.from(events.join("").replaceAll("\n", end));
}

function streamOf(number: number): { dialect: Dialect; bytes: Buffer; chance: Chance } {
  const chance = seeded(number * 2_654_435_761 + 7);
  const dialect = DIALECTS[number % DIALECTS.length] ?? "chat";
  return { dialect, bytes: oddly(pick(chance, corpora.get(dialect) ?? []), chance), chance };
}

/** The number stands in the request, so that the upstream knows what to say. */
async function playStream(number: number): Promise<string[]> {
  const { dialect, bytes } = streamOf(number);
  const more = dialect === "chat" ? { stream_options: { include_usage: true } } : {};
  const body = {
    ...plainBody(dialect, `same-${dialect}`),
    ...more,
    user: `${number}`,
    metadata: { user_id: `${number}` },
  };
  const response = await rig.post(dialect, JSON.stringify({ ...body, stream: true }));
  const got = hash(new Uint8Array(await response.arrayBuffer()));
  return got === hash(bytes) ? [] : [`stream ${number} of ${dialect}`];
}

test(`[P64] ${STREAMS} streams have the same SHA-256 before and after, in any form of lines and however they are cut`, async () => {
  if (recordings("chat", ".json").length === 0) process.stdout.write(`recorded streams: ${NO_RECORDINGS}\n`);
  rig.script(() => async exchange => {
    const { bytes, chance } = streamOf(Number(exchange.body["user"]));
    const pieces = shattered(bytes, chance);
    await exchange.begin();
    for (const piece of pieces.length > 200 ? [bytes] : pieces) await exchange.piece(piece);
    await exchange.end();
  });
  const wrong: string[] = [];
  let next = 0;
  const work = async () => {
    while (next < STREAMS) wrong.push(...(await playStream(next++)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(wrong).toEqual([]);
});

/** A request as nobody would write it: odd numbers, escapes, fields twice, fields of the future, and space. */
function oddRequest(dialect: Dialect, model: string, more = ""): string {
  const odd = `"x_future" : {"a":1.0,"b":1e2,"c":-0,"d":0.10000000000000001,"z":[ ],"e":"\\u00e9\\/\\uD83D\\uDE00"}, "x_future":2`;
  const tail = `"temperature":1.0 ,\t"x_big":12345678901234567890123, ${odd}${more}}`;
  const parts = (type: string) =>
    `[{"type":"${type}","text":"H\\u0065llo \\u2028","cache_control":{"type":"ephemeral","ttl":"1h"},"x":null}]`;
  switch (dialect) {
    case "chat":
      return `{ "messages":[{"content":${parts("text")},"role":"user"}],\n"model":"${model}",${tail}`;
    case "messages":
      return `{"system":${parts("text")},"max_tokens":5E1,"messages":[{"role":"user","content":${parts("text")}}],\r\n"model" : "${model}",${tail}`;
    case "responses":
      return `{"input":[{"role":"user","content":${parts("input_text")}}],"model":"${model}","store":false,${tail}`;
    default:
      return dialect satisfies never;
  }
}

describe.each([...DIALECTS])("[P56] [P64] a request in %s", dialect => {
  const received = () => rig.upstreams[dialect].received.at(-1)?.body.toString("utf8");
  const ask = async (body: string) => {
    rig.upstreams[dialect].script(exchange =>
      exchange.reply(200, VOICES[dialect].whole("Hi", VOICES[dialect].usage(5, 5))),
    );
    expect((await rig.post(dialect, body)).status).toBe(200);
  };

  test("reaches the upstream byte for byte", async () => {
    const body = oddRequest(dialect, `same-${dialect}`);
    await ask(body);
    expect(received()).toBe(body);
  });

  test("differs by the model's name alone, where the upstream has another", async () => {
    const body = oddRequest(dialect, dialect);
    await ask(body);
    expect(received()).toBe(oddRequest(dialect, "up-model"));
  });

  test("that streams differs by no more than the usage that is asked for", async () => {
    const body = oddRequest(dialect, `same-${dialect}`, ',"stream":true');
    rig.upstreams[dialect].script(exchange => exchange.stream([...(corpora.get(dialect) ?? []).slice(0, 1)]));
    await (await rig.post(dialect, body)).arrayBuffer();
    const asked = '"stream_options":{"include_usage":true}';
    const got = received() ?? "";
    expect(got.replace(`${asked},`, "").replace(`,${asked}`, "")).toBe(body);
    expect(got.includes(asked)).toBe(dialect === "chat");
  });
});

describe.each([...DIALECTS])("[P49] [P50] an answer in %s", client => {
  const HIDDEN: Record<string, string> = {
    "x-ratelimit-limit-requests": "5000",
    "x-ratelimit-remaining-tokens": "3999",
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-organization-id": "org-hidden",
    "openai-organization": "org-hidden",
    "openai-processing-ms": "77",
    "set-cookie": "session=hidden",
    "request-id": "req_hidden",
    "x-request-id": "req_hidden",
    server: "hidden",
    via: "1.1 hidden",
    "access-control-allow-origin": "https://hidden.example",
  };

  test("has our own headers and none of the upstream's, whole and streaming", async () => {
    for (const upstream of DIALECTS) {
      for (const stream of [true, false]) {
        rig.upstreams[upstream].script(exchange => {
          const voice = VOICES[upstream];
          if (!stream) return exchange.reply(200, voice.whole("Hi", voice.usage(5, 5)), HIDDEN);
          const all = voice.start + voice.word("Hi") + voice.close + voice.end(voice.usage(5, 5));
          return exchange.stream([all], HIDDEN);
        });
        const body = JSON.stringify({ ...plainBody(client, upstream), stream });
        const response = await rig.post(client, body, { "accept-encoding": "gzip, br, zstd" });
        const text = await response.text();
        const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
        const wrong = headers.filter(line =>
          /hidden|ratelimit|openai-|anthropic-|cookie|content-encoding/.test(line),
        );
        expect({ path: PATHS[client], upstream, stream, wrong }).toEqual({
          path: PATHS[client],
          upstream,
          stream,
          wrong: [],
        });
        expect(response.headers.get("x-request-id")).toMatch(/^req_/);
        expect(text).toContain("Hi");
        if (!stream) continue;
        expect(response.headers.get("cache-control")).toBe("no-store");
        expect(response.headers.get("x-accel-buffering")).toBe("no");
      }
    }
  });
});
