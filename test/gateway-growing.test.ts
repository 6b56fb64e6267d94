import { describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import OpenAI from "openai";
import { eventually, nanos, settledRow, verifyClean } from "./harness.ts";
import { chat, chatBody, eventData } from "./harness-client.ts";
import { FIRST_TOKENS, growingRig, longBody, longPrice, WORDS, WORDS_TOKENS } from "./harness-growing.ts";
import { chatCompletion, chatEvent, DONE, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** A stream is held for as it grows, and ends properly where no more can be held. */

const { rig, account, balance, heldNow, stepwise } = growingRig();

/** Never stops by itself, whatever limit it was given. */
async function deafUpstream(exchange: UpstreamExchange): Promise<void> {
  const event = chatEvent({ content: WORDS });
  await exchange.begin();
  while (exchange.isOpen) {
    for (let at = 0; at < 20; at++) await exchange.piece(event);
    await Bun.sleep(1);
  }
}

const client = (apiKey: string) => new OpenAI({ baseURL: rig().gateway.base, apiKey, maxRetries: 0 });
const deafAsk = {
  model: "long",
  messages: [{ role: "user" as const, content: "Hello" }],
  stream: true as const,
  stream_options: { include_usage: true },
};

/** Reads to the end, as anybody would. */
async function readAll(key: string, more: Record<string, unknown> = {}) {
  const { data, request_id, response } = await client(key)
    .chat.completions.create({ ...deafAsk, ...more })
    .withResponse();
  let text = "";
  const finishes: (string | null)[] = [];
  const usages: OpenAI.CompletionUsage[] = [];
  const ids = new Set<string>();
  for await (const chunk of data) {
    ids.add(chunk.id);
    text += chunk.choices[0]?.delta.content ?? "";
    if (chunk.choices[0]?.finish_reason) finishes[chunk.choices[0].index] = chunk.choices[0].finish_reason;
    if (chunk.usage) usages.push(chunk.usage);
  }
  return { text, finishes, usages, ids, id: request_id ?? "", headers: response.headers };
}

describe("a long stream", () => {
  test("holds a moderate part at first and more as it goes, so that others of the account get in", async () => {
    // Two dollars: 20,000 tokens. The whole of 15,000 would leave too little for the second.
    const { email, key } = await account("2");
    const { send, finish, seen } = await stepwise(key, longBody({ max_tokens: 15_000 }));
    const first = await heldNow(key);
    expect(first).toBeGreaterThanOrEqual(longPrice(0, FIRST_TOKENS));
    expect(first).toBeLessThan(longPrice(0, FIRST_TOKENS + 200));

    rig().upstream.script(exchange => exchange.reply(200, chatCompletion("Hi", usageOf(5, 100))));
    const other = chatBody("long", { max_tokens: 15_000 });
    const second = await chat(rig().gateway.base, { key, body: other });
    expect(second.status).toBe(200);
    expect(second.headers.get("x-wicketgate-max-tokens")).toBe(null);
    await settledRow(rig().dir, second.requestId);

    await send(3_000);
    expect(await eventually(async () => (await heldNow(key)) > longPrice(0, 2 * FIRST_TOKENS - 1))).toBe(
      true,
    );
    await send(7_000);
    expect(await eventually(async () => (await heldNow(key)) > longPrice(0, 3 * FIRST_TOKENS))).toBe(true);
    await finish(usageOf(5, 10_000));
    const row = await settledRow(rig().dir, seen.requestId);
    expect(row).toMatchObject({ status: 200, reason: null, source: "reported", output_tokens: 10_000 });
    expect(nanos(row.cost)).toBe(longPrice(5, 10_000));
    expect(await balance(email)).toBe(nanos("2") - longPrice(5, 10_000) - longPrice(5, 100));
    await verifyClean(rig().dir);
  });

  test("that does not stream holds all it may cost", async () => {
    const { key } = await account("2");
    let held = 0n;
    rig().upstream.script(async exchange => {
      held = await heldNow(key);
      await exchange.reply(200, chatCompletion("Hi", usageOf(5, 100)));
    });
    expect(
      (await chat(rig().gateway.base, { key, body: chatBody("long", { max_tokens: 15_000 }) })).status,
    ).toBe(200);
    expect(held).toBeGreaterThanOrEqual(longPrice(0, 15_000));
  });

  test("is limited to what the pocket affords: the client is told, and so is the upstream", async () => {
    const { key } = await account("0.5");
    rig().upstream.script(exchange =>
      exchange.stream([chatEvent({ content: "Hi" }), chatEvent({ usage: usageOf(5, 1) }), DONE]),
    );
    for (const [field, asked, choices] of [
      ["max_tokens", 90_000, 1],
      ["max_completion_tokens", 90_000, 1],
      ["max_tokens", undefined, 1],
      ["max_tokens", 90_000, 3],
    ] as const) {
      const body = longBody({ n: choices, ...(asked === undefined ? {} : { [field]: asked }) });
      const seen = await chat(rig().gateway.base, { key, body });
      expect(seen.status).toBe(200);
      const granted = Number(seen.headers.get("x-wicketgate-max-tokens"));
      expect(granted).toBeWithin(Math.floor(4_800 / choices), Math.floor(5_000 / choices) + 1);
      expect(rig().upstream.exchanges.at(-1)?.body[field]).toBe(granted);
      await settledRow(rig().dir, seen.requestId);
    }
  });
});

describe("an upstream that does not heed its limit", () => {
  async function expectEnded(seen: Awaited<ReturnType<typeof readAll>>, reason: string, tokens: number) {
    expect(seen.finishes).toEqual(["length"]);
    expect(seen.ids).toEqual(new Set(["chatcmpl-mock"]));
    const delivered = countTokens(seen.text);
    expect(delivered).toBeWithin(Math.floor(0.9 * tokens), Math.ceil(1.7 * tokens) + 1_000);
    const row = await settledRow(rig().dir, seen.id);
    expect(row).toMatchObject({ state: "settled", status: 200, reason, source: "estimated" });
    expect(seen.usages).toHaveLength(1);
    expect(seen.usages[0]).toMatchObject({
      prompt_tokens: row.input_tokens,
      completion_tokens: row.output_tokens,
      total_tokens: row.input_tokens + row.output_tokens,
    });
    expect(row.output_tokens).toBeWithin(Math.floor(0.9 * tokens), tokens + 1);
    expect(await eventually(() => rig().upstream.exchanges.at(-1)?.aborted ?? false, 2_000)).toBe(true);
    await verifyClean(rig().dir);
    return row;
  }

  test("is ended as at a length limit when the balance is used up, and the account is not below zero", async () => {
    const { email, key } = await account("0.75");
    rig().upstream.script(deafUpstream);
    const seen = await readAll(key);
    const granted = Number(seen.headers.get("x-wicketgate-max-tokens"));
    const row = await expectEnded(seen, "balance_exhausted", granted);
    const left = await balance(email);
    expect(left).toBe(nanos("0.75") - nanos(row.cost));
    // All but the input, of which less was read than its bytes allow.
    expect(Number(left)).toBeWithin(0, Number(longPrice(300, 0)));
    // Nothing is left to send another with.
    expect((await chat(rig().gateway.base, { key, body: longBody() })).error?.reason).toBe(
      "balance_exhausted",
    );
  });

  test("the same for a key's quota, a limit by the day, and the client's own limit", async () => {
    rig().upstream.script(deafUpstream);
    const quota = await rig().key("--quota", "0.2");
    await expectEnded(await readAll(quota.key), "key_quota_exhausted", 2_000);
    const daily = await rig().key("--spend-per-day", "0.2");
    await expectEnded(await readAll(daily.key), "key_quota_exhausted", 2_000);
    const free = await rig().key();
    await expectEnded(await readAll(free.key, { max_tokens: 1_500 }), "length", 1_500);
  });

  test("without usage where nobody asked for it, and with [DONE] at the end", async () => {
    const { key } = await rig().key("--quota", "0.05");
    rig().upstream.script(deafUpstream);
    const seen = await chat(rig().gateway.base, { key, body: longBody() });
    const events = eventData(seen.text);
    expect(events.at(-1)).toBe("[DONE]");
    expect(JSON.parse(events.at(-2) ?? "")).toEqual({
      id: "chatcmpl-mock",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "long",
      choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: "length" }],
    });
    expect(seen.text).not.toContain('"usage"');
    await settledRow(rig().dir, seen.requestId);
  });

  test("several choices are each ended once, and one that ended by itself keeps its end", async () => {
    const { key } = await rig().key("--quota", "0.1");
    rig().upstream.script(async exchange => {
      const event = (index: number, content: string | null) => {
        const delta = content === null ? {} : { content };
        const choices = [{ index, delta, finish_reason: content === null ? "stop" : null }];
        return `data: ${JSON.stringify({ id: "chatcmpl-mock", object: "chat.completion.chunk", created: 1, model: "long", choices })}\n\n`;
      };
      await exchange.begin();
      await exchange.piece(event(1, "short") + event(1, null));
      while (exchange.isOpen) {
        for (const index of [0, 2]) await exchange.piece(event(index, WORDS));
        await Bun.sleep(0);
      }
    });
    const seen = await chat(rig().gateway.base, { key, body: longBody({ n: 3 }) });
    const granted = Number(seen.headers.get("x-wicketgate-max-tokens"));
    expect(granted).toBeWithin(300, 334);
    const ends = eventData(seen.text)
      .slice(0, -1)
      .flatMap(
        data => (JSON.parse(data) as { choices: { index: number; finish_reason: string | null }[] }).choices,
      )
      .filter(choice => choice.finish_reason !== null);
    expect(ends.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [1, "stop"],
      [0, "length"],
      [2, "length"],
    ]);
    const row = await settledRow(rig().dir, seen.requestId);
    expect(row).toMatchObject({ status: 200, reason: "key_quota_exhausted" });
    expect(row.output_tokens).toBeWithin(900, 3 * 334);
  });
});

describe("another request takes the money meanwhile", () => {
  test("an extension is refused, and the stream ends at what it has", async () => {
    const { email, key } = await account("1");
    const { send, seen, exchange } = await stepwise(key);
    const waiting: UpstreamExchange[] = [];
    rig().upstream.script(other => void waiting.push(other));
    // 4,096 of about 10,000 tokens are held: all but a little of the rest goes to the other one.
    const other = chat(rig().gateway.base, { key, body: chatBody("long", { max_tokens: 5_800 }) });
    expect(await eventually(() => waiting.length === 1)).toBe(true);
    await send(6_000);
    await seen.ended;
    const events = eventData(seen.text());
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.at(-2)).toContain('"finish_reason":"length"');
    expect(await eventually(() => exchange.aborted, 2_000)).toBe(true);
    const row = await settledRow(rig().dir, seen.requestId);
    expect(row).toMatchObject({ status: 200, reason: "balance_exhausted", source: "estimated" });
    expect(row.output_tokens).toBeWithin(3_900, 4_250);
    await waiting[0]?.reply(200, chatCompletion("Hi", usageOf(5, 5_800)));
    expect((await other).status).toBe(200);
    await settledRow(rig().dir, (await other).requestId);
    expect(await balance(email)).toBe(nanos("1") - nanos(row.cost) - longPrice(5, 5_800));
    await verifyClean(rig().dir);
  });

  test("and gives it back in time: the stream asks once more before it ends, and goes on", async () => {
    const { key } = await account("1");
    const { send, finish, seen } = await stepwise(key, longBody({ max_tokens: 8_000 }));
    const waiting: UpstreamExchange[] = [];
    rig().upstream.script(other => void waiting.push(other));
    const other = chat(rig().gateway.base, { key, body: chatBody("long", { max_tokens: 5_800 }) });
    expect(await eventually(() => waiting.length === 1)).toBe(true);
    await send(2_500);
    await Bun.sleep(200);
    await waiting[0]?.reply(500, "{}");
    await settledRow(rig().dir, (await other).requestId);
    await send(4_000);
    await finish(usageOf(5, 6_500));
    const row = await settledRow(rig().dir, seen.requestId);
    expect(row).toMatchObject({ status: 200, reason: null, source: "reported", output_tokens: 6_500 });
    expect(nanos(row.cost)).toBe(longPrice(5, 6_500));
  });
});

describe("an honest upstream is not ended early:", () => {
  test("few tokens of many bytes", async () => {
    const { key } = await rig().key();
    // One token of this is 64 bytes or more, so its bytes are worth sixteen times its limit.
    const spaces = " ".repeat(80);
    const text = `${spaces}end;\\n`.repeat(400);
    const tokens = countTokens(text);
    const limit = tokens + 10;
    expect(text.length / 4).toBeGreaterThan(4 * limit);
    rig().upstream.script(exchange => {
      const pieces = Array.from({ length: 400 }, () => chatEvent({ content: `${spaces}end;\\n` }));
      return exchange.stream([
        ...pieces,
        chatEvent({ finish: "stop" }),
        chatEvent({ usage: usageOf(5, tokens) }),
        DONE,
      ]);
    });
    const seen = await readAll(key, { max_tokens: limit });
    expect(seen).toMatchObject({ text, finishes: ["stop"] });
    const row = await settledRow(rig().dir, seen.id);
    expect(row).toMatchObject({ reason: null, source: "reported", output_tokens: tokens });
  });

  test("all of a long limit, to its last token, by a tokenizer that is not ours", async () => {
    const { key } = await rig().key();
    for (const ratio of [1, 1.3]) {
      const pieces = 1_500;
      const tokens = Math.floor((pieces * WORDS_TOKENS) / ratio);
      rig().upstream.script(async exchange => {
        await exchange.begin();
        for (let at = 0; at < pieces; at++) await exchange.piece(chatEvent({ content: WORDS }));
        await exchange.piece(
          chatEvent({ finish: "length" }) + chatEvent({ usage: usageOf(5, tokens) }) + DONE,
        );
        await exchange.end();
      });
      const seen = await readAll(key, { max_tokens: tokens });
      expect(seen.text.length).toBe(WORDS.length * pieces);
      expect(seen.finishes).toEqual(["length"]);
      expect(await settledRow(rig().dir, seen.id)).toMatchObject({
        reason: null,
        source: "reported",
        output_tokens: tokens,
      });
    }
  });
});
