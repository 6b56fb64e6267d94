import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { type DemoPath, demoExchange } from "../src/upstream/demo.ts";
import { PATHS, plainBody } from "./dialects-checks-money.ts";
import { type Dialects, startDialects, type Variant } from "./dialects-gateway.ts";
import { DIALECTS, type Told, type WAYS } from "./dialects-talk.ts";
import { playDemo } from "./dialects-upstream.ts";
import { eventually, type UsageRow, usageRows } from "./harness.ts";
import { eventData } from "./harness-client.ts";

/** Translated streams as they come over the wire. */

let rig: Dialects;
beforeAll(async () => {
  rig = await startDialects();
});
beforeEach(() => rig.upstream.mock.script(exchange => playDemo(exchange, rig.upstream.heard)));
afterAll(() => rig.stop());

type Pair = { client: Dialect; upstream: Dialect };
const PAIRS: readonly Pair[] = DIALECTS.flatMap(client => DIALECTS.map(upstream => ({ client, upstream })));
const TRANSLATED = PAIRS.filter(({ client, upstream }) => client !== upstream);
const LAST: Record<Dialect, string> = {
  chat: "data: [DONE]\n\n",
  responses: "event: response.completed\n",
  messages: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
};

async function stream(pair: Pair, more: Record<string, unknown> = {}, variant?: Variant) {
  const response = await fetch(rig.gateway.url + PATHS[pair.client], {
    method: "POST",
    headers: { authorization: `Bearer ${rig.key()}`, "content-type": "application/json" },
    body: JSON.stringify(
      plainBody(pair.client, rig.model(pair.upstream, variant), { stream: true, ...more }),
    ),
  });
  expect(response.status).toBe(200);
  return { headers: response.headers, text: await response.text() };
}

async function hear(
  { client, upstream }: Pair,
  way: (typeof WAYS)[number],
  variant?: Variant,
): Promise<Told> {
  const talk = rig.talk(client);
  talk.say("Hello, dear gateway");
  return talk.hear({ model: rig.model(upstream, variant) }, way);
}

/** What the demo says to a request, framed as it frames it. */
async function demoStream(upstream: Dialect): Promise<string> {
  const body = Buffer.from(
    JSON.stringify({ ...plainBody(upstream, "demo"), stream: true, ...USAGE[upstream] }),
  );
  const path: DemoPath = upstream;
  const { answer } = demoExchange({ body, model: "demo", path }, { nowMs: () => 1_800_000_000_000 });
  const { read } = await answer;
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    const onEnd = () => resolve(Buffer.concat(parts).toString());
    read({ onBytes: bytes => void parts.push(bytes), onEnd, onFailure: reject });
  });
}
const USAGE: Record<Dialect, object> = {
  chat: { stream_options: { include_usage: true } },
  responses: {},
  messages: {},
};

test("[P10] [P63] nothing of the upstream's names and ids is in a stream, and the model on every event is the client's", async () => {
  for (const pair of PAIRS) {
    const { text } = await stream(pair);
    expect(text).not.toContain("demo_");
    expect(text).not.toContain("hidden-");
    const models = [...text.matchAll(/"model":"([^"]*)"/g)].map(([, model]) => model ?? "");
    expect(new Set(models)).toEqual(new Set([rig.model(pair.upstream)]));
    if (pair.client === pair.upstream) continue;
    const { said } = rig.upstream.last(rig.upstreamModel(pair.upstream));
    const [, id = ""] = /"id":"([^"]+)"/.exec(said) ?? [];
    expect(id).not.toBe("");
    expect(text).not.toContain(id.replace(/^[a-z]+[-_]/, ""));
  }
});

test("[P50] a stream is not cached, buffered or packed", async () => {
  for (const pair of PAIRS) {
    const { headers } = await stream(pair);
    expect(headers.get("content-type")).toStartWith("text/event-stream");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.has("content-encoding")).toBe(false);
  }
});

test("[P28] the usage chunk of chat goes to those who asked for it", async () => {
  for (const upstream of DIALECTS) {
    const usages = async (more: Record<string, unknown>) =>
      eventData((await stream({ client: "chat", upstream }, more)).text)
        .filter(data => data !== "[DONE]")
        .map(data => JSON.parse(data) as { choices: unknown[]; usage?: object | null })
        .filter(({ usage }) => usage !== undefined && usage !== null);
    expect(await usages({})).toEqual([]);
    const asked = await usages({ stream_options: { include_usage: true } });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.choices).toEqual([]);
  }
});

test("[P26] a messages stream begins with a number of input tokens, and ends with the true one", async () => {
  for (const upstream of DIALECTS) {
    const { text } = await stream({ client: "messages", upstream });
    const [, begun = "0"] = /"message_start".*?"input_tokens":(\d+)/.exec(text) ?? [];
    const [, ended = "0"] = /"message_delta".*?"input_tokens":(\d+)/.exec(text) ?? [];
    expect(Number(begun)).toBeGreaterThan(0);
    const { said } = rig.upstream.last(rig.upstreamModel(upstream));
    expect(said).toContain(`${upstream === "chat" ? '"prompt_tokens"' : '"input_tokens"'}:${ended}`);
  }
});

describe("an upstream that", () => {
  for (const pair of TRANSLATED) {
    const name = `a ${pair.client} client, a ${pair.upstream} upstream`;

    test(`[P43] [P44] dribbles and never hangs up: ${name}`, async () => {
      const bytes = Buffer.from(await demoStream(pair.upstream));
      const whole = await hear(pair, "whole");
      for (const size of [1, 97]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, at * size + size),
        );
        rig.upstream.mock.script(async exchange => {
          await exchange.begin();
          for (const piece of pieces) await exchange.piece(piece);
        });
        const { text } = await stream(pair);
        expect(text).toContain(LAST[pair.client]);
        expect(text).toEndWith("\n\n");
        expect((await hear(pair, "stream")).stop).toBe(whole.stop);
      }
    });

    test(`[P45] sends an event of megabytes: ${name}`, async () => {
      const long = "a wicket gate ".repeat(150_000);
      const bytes = (await demoStream(pair.upstream)).replace(
        /"(delta|content|text)":" built"/,
        `"$1":"${long}"`,
      );
      expect(bytes.length).toBeGreaterThan(2_000_000);
      rig.upstream.mock.script(exchange => exchange.stream([bytes]));
      expect((await hear(pair, "stream")).text).toContain(long);
    });
  }
});

function rowsWhenSettled(): Promise<UsageRow[] | null> {
  return eventually(async () => {
    const all = await usageRows(rig.dir);
    return all.every(({ state }) => state !== "open") && all;
  });
}

test("[P32] where nobody reports, stream and whole answer are counted alike, and marked as estimated", async () => {
  // The tokenizer is loaded when it is first needed, and a count that is late becomes a guess.
  await hear({ client: "chat", upstream: "messages" }, "whole", "silent").catch(() => undefined);
  await rowsWhenSettled();
  const ids: string[][] = [];
  for (const pair of TRANSLATED) {
    const told = [];
    // Without a report the SDKs have none to tell either, apart from messages, where a guess stands in.
    for (const stream of [false, true]) {
      const response = await fetch(rig.gateway.url + PATHS[pair.client], {
        method: "POST",
        headers: { authorization: `Bearer ${rig.key()}`, "content-type": "application/json" },
        body: JSON.stringify(plainBody(pair.client, rig.model(pair.upstream, "silent"), { stream })),
      });
      expect(response.status).toBe(200);
      told.push(response.headers.get("x-request-id") ?? "");
      await response.text();
    }
    ids.push(told);
  }
  const rows = await rowsWhenSettled();
  for (const [whole, streamed] of ids) {
    const [one, other] = [whole, streamed].map(id => rows?.find(row => row.id === id));
    expect(one).toMatchObject({ source: "estimated", state: "settled", status: 200 });
    expect(one?.output_tokens).toBeGreaterThan(10);
    expect(other).toMatchObject({ source: "estimated", output_tokens: one?.output_tokens ?? 0 });
    // They are not the same bytes, should it be a guess after all.
    expect(Math.abs((other?.input_tokens ?? 0) - (one?.input_tokens ?? 0))).toBeLessThanOrEqual(1);
  }
});
