import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { eventually, nanos, settledRow, type UsageRow, usageRows, verifyClean } from "./harness.ts";
import { chat, chatBody, chatHead, openStream, rawConnection, streamError } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatCompletion, chatEvent, DONE, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** Every request is billed once, for what was delivered, whatever upstream and client do. */

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  await warmUp();
});
afterAll(() => rig.stop());

/** The first count loads the tokenizer, which on a busy machine takes longer than a settlement waits. */
async function warmUp(): Promise<void> {
  const { key } = await rig.key();
  rig.upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", undefined)));
  const isCounted = async () => {
    const seen = await chat(rig.gateway.base, { key, body: chatBody("mock") });
    return (await settledRow(rig.dir, seen.requestId)).input_tokens === HELLO_TOKENS;
  };
  if ((await eventually(isCounted, 30_000)) === null) throw new Error("nothing is counted");
}

/** 1 USD per million input tokens, 10 per million output tokens. */
const price = (input: number, output: number) => BigInt(input) * 1_000n + BigInt(output) * 10_000n;
/** The harness's own request: a word, and what each message takes. */
const HELLO_TOKENS = 5;
const WORDS = "four words of text ";
/** Deep indentation has far fewer tokens than a fourth of its bytes. */
const INDENTED = `${" ".repeat(100)}end;\n`;
const fullStream = (usage: unknown, content = WORDS) => [
  ...Array.from({ length: 10 }, () => chatEvent({ content })),
  chatEvent({ finish: "stop" }),
  ...(usage === undefined ? [] : [chatEvent({ usage })]),
  DONE,
];

/** A request of which a count and a guess by its bytes cannot be mistaken for each other. */
const indentedBody = (more: Record<string, unknown> = {}) =>
  chatBody("mock", { messages: [{ role: "user", content: INDENTED.repeat(20) }], ...more });

/** Counted with the tokenizer, and nowhere near a fourth of the bytes. */
function expectCounted(row: UsageRow, delivered: string): void {
  expect(row.source).toBe("estimated");
  expect(row.input_tokens).toBe(countTokens(INDENTED.repeat(20)) + 4);
  const output = countTokens(delivered);
  expect(Math.abs(row.output_tokens - output)).toBeLessThanOrEqual(1 + 0.05 * output);
  expect(row.output_tokens).toBeLessThan(delivered.length / 8);
  expect(nanos(row.cost)).toBe(price(row.input_tokens, row.output_tokens));
}

function expectBounded(row: UsageRow): void {
  expect(nanos(row.cost)).toBeGreaterThanOrEqual(0n);
  expect(nanos(row.cost)).toBeLessThanOrEqual(nanos(row.held));
}

describe("the upstream's own count", () => {
  test("is what a request costs, stream or not", async () => {
    const { key } = await rig.key();
    rig.upstream.script(exchange =>
      exchange.body["stream"] === true
        ? exchange.stream(fullStream(usageOf(20, 30)))
        : exchange.reply(200, chatCompletion("Hi", usageOf(20, 30))),
    );
    for (const stream of [true, false]) {
      const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream }) });
      const row = await settledRow(rig.dir, seen.requestId);
      expect(row).toMatchObject({ state: "settled", status: 200, reason: null, source: "reported", stream });
      expect(row).toMatchObject({ input_tokens: 20, output_tokens: 30, pocket: "balance", model: "mock" });
      expect(nanos(row.cost)).toBe(price(20, 30));
    }
  });

  const HOSTILE: readonly (readonly [string, unknown])[] = [
    ["negative", usageOf(-1, -1)],
    ["negative output alone", usageOf(5, -1_000_000)],
    ["2^53", usageOf(2 ** 53, 2 ** 53)],
    ["1e30", usageOf(1e30, 1e30)],
    ["large enough to be true, and dearer than the hold", usageOf(900_000_000, 900_000_000)],
    ["text", { prompt_tokens: "12", completion_tokens: "12" }],
    ["fractions", usageOf(1.5, 2.5)],
    ["null fields", { prompt_tokens: null, completion_tokens: null }],
    ["more cached than read", { ...usageOf(5, 5), prompt_tokens_details: { cached_tokens: 50 } }],
    ["null", null],
    ["missing", undefined],
  ];
  for (const [name, usage] of HOSTILE) {
    test(`is not believed when it is ${name}: 0 ≤ cost ≤ hold, and the row says so`, async () => {
      const { key } = await rig.key();
      rig.upstream.script(exchange =>
        exchange.body["stream"] === true
          ? exchange.stream(fullStream(usage))
          : exchange.reply(200, chatCompletion(WORDS.repeat(10), usage)),
      );
      for (const stream of [true, false]) {
        const body = chatBody("mock", { stream, max_tokens: 100 });
        const seen = await chat(rig.gateway.base, { key, body });
        expect(seen.status).toBe(200);
        const row = await settledRow(rig.dir, seen.requestId);
        expectBounded(row);
        expect(row.state).toBe("settled");
        // A count that is absent is made up for; one that cannot be true is named as such.
        const absent = usage === null || usage === undefined;
        expect(row.source).toBe(absent ? "estimated" : "clamped");
        expect(nanos(row.cost)).toBeGreaterThan(0n);
      }
    });
  }
});

describe("without the upstream's count", () => {
  test("request and answer are counted with a tokenizer, stream or not", async () => {
    const { key } = await rig.key();
    rig.upstream.script(exchange =>
      exchange.body["stream"] === true
        ? exchange.stream(fullStream(undefined, INDENTED))
        : exchange.reply(200, chatCompletion(INDENTED.repeat(10), undefined)),
    );
    for (const stream of [true, false]) {
      const seen = await chat(rig.gateway.base, { key, body: indentedBody({ stream }) });
      const row = await settledRow(rig.dir, seen.requestId);
      expect(row).toMatchObject({ state: "settled", status: 200, reason: null });
      expectCounted(row, INDENTED.repeat(10));
    }
  });

  test("a long stream is counted by its beginning", async () => {
    const { key } = await rig.key();
    const events = Array.from({ length: 200 }, () => chatEvent({ content: INDENTED }));
    rig.upstream.script(exchange => exchange.stream([...events, DONE]));
    const seen = await chat(rig.gateway.base, { key, body: indentedBody({ stream: true }) });
    expectCounted(await settledRow(rig.dir, seen.requestId), INDENTED.repeat(200));
  });

  test("no more output is billed than was granted", async () => {
    const { key } = await rig.key();
    rig.upstream.script(exchange => exchange.reply(200, chatCompletion(WORDS.repeat(100), undefined)));
    const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { max_tokens: 70 }) });
    const row = await settledRow(rig.dir, seen.requestId);
    expect(row).toMatchObject({ source: "estimated", input_tokens: HELLO_TOKENS, output_tokens: 70 });
  });

  test("a gateway that is told to stop still settles what it has to count", async () => {
    const own = await startRig();
    try {
      const { key, id } = await own.key();
      own.upstream.script(exchange => exchange.stream(fullStream(undefined, INDENTED)));
      const body = indentedBody({ stream: true });
      await Promise.all(Array.from({ length: 20 }, () => chat(own.gateway.base, { key, body })));
      expect(await own.gateway.stop()).toBe(0);
      const rows = await usageRows(own.dir, id);
      expect(rows).toHaveLength(20);
      for (const row of rows) {
        expect(row).toMatchObject({ state: "settled", status: 200, source: "estimated" });
        expect(row.output_tokens).toBeGreaterThan(0);
      }
    } finally {
      await own.stop();
    }
  });
});

describe("the client leaves", () => {
  /** The upstream must hear of it at once, and the row be settled once. */
  async function leftRow(exchange: UpstreamExchange, leave: () => void, keyId: string): Promise<UsageRow> {
    const leftTick = performance.now();
    leave();
    expect(await eventually(() => exchange.closedTick !== null, 2_000)).toBe(true);
    expect((exchange.closedTick ?? Number.POSITIVE_INFINITY) - leftTick).toBeLessThan(1_000);
    expect(exchange.aborted).toBe(true);
    const row = await eventually(async () => {
      const [only, ...others] = await usageRows(rig.dir, keyId);
      expect(others).toEqual([]);
      return only !== undefined && only.state !== "open" ? only : null;
    });
    if (row === null) throw new Error("the row stays open");
    expectBounded(row);
    expect(row).toMatchObject({ state: "settled", status: 499, reason: "client_left" });
    await verifyClean(rig.dir);
    return row;
  }

  const reached = async (from: number): Promise<UpstreamExchange> => {
    const found = await eventually(() => rig.upstream.exchanges[from] ?? null);
    if (found === null) throw new Error("the upstream was not asked");
    return found;
  };

  for (const stream of [true, false]) {
    test(`before the first byte of ${stream ? "a stream" : "an answer"}: its input is billed`, async () => {
      const { key, id } = await rig.key();
      const from = rig.upstream.exchanges.length;
      rig.upstream.script(() => {});
      const request = chatHead(rig.gateway.url, key, JSON.stringify(chatBody("mock", { stream })));
      const socket = await rawConnection(rig.gateway.url, request);
      const exchange = await reached(from);
      const row = await leftRow(exchange, () => socket.destroy(), id);
      expect(row).toMatchObject({ source: "estimated", input_tokens: HELLO_TOKENS, output_tokens: 0 });
    });
  }

  test("in the middle of a stream: what was delivered is billed", async () => {
    const { key, id } = await rig.key();
    const from = rig.upstream.exchanges.length;
    rig.upstream.script(async exchange => {
      await exchange.begin();
      for (let at = 0; at < 5; at++) await exchange.piece(chatEvent({ content: INDENTED }));
    });
    const seen = await openStream(rig.gateway.base, { key, body: indentedBody({ stream: true }) });
    await seen.bytes(chatEvent({ content: INDENTED }).length * 5);
    const row = await leftRow(await reached(from), seen.leave, id);
    expectCounted(row, INDENTED.repeat(5));
  });

  test("in the middle of an answer that does not stream: its input is billed", async () => {
    const { key, id } = await rig.key();
    const from = rig.upstream.exchanges.length;
    rig.upstream.script(exchange =>
      exchange.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"),
    );
    const request = chatHead(rig.gateway.url, key, JSON.stringify(chatBody("mock")));
    const socket = await rawConnection(rig.gateway.url, request);
    await leftRow(await reached(from), () => socket.destroy(), id);
  });

  test("after the upstream's count and before its last word: the count is billed", async () => {
    const { key, id } = await rig.key();
    const from = rig.upstream.exchanges.length;
    const events = fullStream(usageOf(20, 30)).slice(0, -1);
    rig.upstream.script(async exchange => {
      await exchange.begin();
      for (const event of events) await exchange.piece(event);
    });
    const body = chatBody("mock", { stream: true, stream_options: { include_usage: true } });
    const seen = await openStream(rig.gateway.base, { key, body });
    await seen.bytes(events.join("").length);
    const row = await leftRow(await reached(from), seen.leave, id);
    expect(row.source).toBe("reported");
    expect(nanos(row.cost)).toBe(price(20, 30));
  });
});

describe("the upstream cuts", () => {
  test("a stream in the middle: an error ends it, no false success follows, the delivered part is billed", async () => {
    const { key } = await rig.key();
    rig.upstream.script(async exchange => {
      await exchange.begin();
      for (let at = 0; at < 5; at++) await exchange.piece(chatEvent({ content: INDENTED }));
      await exchange.piece('data: {"id":"half an ev');
      exchange.cut();
    });
    const seen = await chat(rig.gateway.base, { key, body: indentedBody({ stream: true }) });
    expect(seen.text).not.toContain("[DONE]");
    expect(seen.text).not.toContain("half an ev");
    expect(seen.text.startsWith(chatEvent({ content: INDENTED }).repeat(5))).toBe(true);
    expect(streamError(seen.text)).toMatchObject({ reason: "upstream_failed", cause: "upstream" });
    const row = await settledRow(rig.dir, seen.requestId);
    expect(row).toMatchObject({ state: "settled", reason: "upstream_failed" });
    expectCounted(row, INDENTED.repeat(5));
    expectBounded(row);
  });

  test("before a byte: our own sentence, and nothing is charged", async () => {
    const { key } = await rig.key();
    rig.upstream.script(exchange => exchange.cut());
    for (const stream of [true, false]) {
      const seen = await chat(rig.gateway.base, { key, body: chatBody("mock", { stream }) });
      expect(seen.status).toBe(502);
      expect(seen.error).toMatchObject({ reason: "upstream_failed", type: "server_error", code: null });
      const row = await settledRow(rig.dir, seen.requestId);
      expect(row).toMatchObject({ state: "voided", status: 502, reason: "upstream_failed", cost: "0.00" });
    }
  });

  test("an answer that does not stream, in the middle: nothing of it is passed on, nothing is charged", async () => {
    const { key } = await rig.key();
    rig.upstream.script(async exchange => {
      await exchange.write(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n",
      );
      await exchange.write('{"choices":[{"message":{"content":"half');
      exchange.cut();
    });
    const seen = await chat(rig.gateway.base, { key, body: chatBody("mock") });
    expect(seen.status).toBe(502);
    expect(seen.text).not.toContain("half");
    expect((await settledRow(rig.dir, seen.requestId)).cost).toBe("0.00");
  });
});
