import { describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { eventually, mustRun, nanos, settledRow, usageRows, verifyClean } from "./harness.ts";
import { chat, chatBody, chatHead, rawConnection, type StreamSeen, streamError } from "./harness-client.ts";
import { FIRST_TOKENS, growingRig, longBody, longPrice, WORDS, WORDS_TOKENS } from "./harness-growing.ts";
import { chatCompletion, chatEvent, DONE, type UpstreamExchange, usageOf } from "./harness-upstream.ts";

/** A stream whose hold grows is charged once, for what it took, whatever happens while it waits for more. */

const { rig, account, balance, heldNow, stepwise } = growingRig();

describe("what the upstream reports at the end", () => {
  async function reported(key: string, usage: unknown, more: Record<string, unknown> = {}) {
    rig().upstream.script(exchange =>
      exchange.stream([
        chatEvent({ content: "Hi" }),
        chatEvent({ finish: "stop" }),
        chatEvent({ usage }),
        DONE,
      ]),
    );
    const seen = await chat(rig().gateway.base, { key, body: longBody(more) });
    return settledRow(rig().dir, seen.requestId);
  }

  test("above what is held and within what was granted is charged in full where the money is there", async () => {
    const { email, key } = await account("2");
    const row = await reported(key, usageOf(5, 12_000), { max_tokens: 15_000 });
    expect(row).toMatchObject({ source: "reported", output_tokens: 12_000, reason: null });
    expect(nanos(row.cost)).toBe(longPrice(5, 12_000));
    expect(nanos(row.held)).toBeGreaterThanOrEqual(nanos(row.cost));
    expect(await balance(email)).toBe(nanos("2") - longPrice(5, 12_000));
  });

  test("is charged as far as the money goes where another has taken it, and marked", async () => {
    const { email, key } = await account("2");
    const { seen, finish } = await stepwise(key, longBody({ max_tokens: 15_000 }));
    const waiting: UpstreamExchange[] = [];
    rig().upstream.script(other => void waiting.push(other));
    const other = chat(rig().gateway.base, { key, body: chatBody("long", { max_tokens: 14_000 }) });
    expect(await eventually(() => waiting.length === 1)).toBe(true);
    await finish(usageOf(5, 12_000));
    const row = await settledRow(rig().dir, seen.requestId);
    expect(row).toMatchObject({ source: "clamped", output_tokens: 12_000, status: 200 });
    expect(nanos(row.cost)).toBeLessThan(longPrice(0, 6_001));
    expect(nanos(row.cost)).toBeGreaterThan(longPrice(0, 5_900));
    await waiting[0]?.reply(200, chatCompletion("Hi", usageOf(5, 14_000)));
    await settledRow(rig().dir, (await other).requestId);
    expect(await balance(email)).toBe(nanos("2") - nanos(row.cost) - longPrice(5, 14_000));
    expect(await balance(email)).toBeGreaterThanOrEqual(0n);
    await verifyClean(rig().dir);
  });

  test("above what was granted is not believed: the hold is charged, and it is marked", async () => {
    const { key } = await rig().key();
    for (const usage of [usageOf(5, 15_001), usageOf(500_000_000, 10), usageOf(5, 900_000_000)]) {
      const row = await reported(key, usage, { max_tokens: 15_000 });
      expect(row).toMatchObject({ source: "clamped", status: 200 });
      expect(row.cost).toBe(row.held);
      expect(nanos(row.cost)).toBeLessThan(longPrice(0, FIRST_TOKENS + 10));
    }
  });
});

describe("while a longer hold is awaited", () => {
  /** What is read from the upstream at once goes on at once, and is asked for afterwards. */
  const READ_TOKENS_MAX = 7_000;

  /** The database does nothing until the lock is given back. */
  async function withLock(work: () => Promise<void>): Promise<void> {
    const { Database } = await import("bun:sqlite");
    const db = new Database(`${rig().dir}/wicketgate.db`);
    db.run("pragma busy_timeout = 5000");
    db.run("begin immediate");
    try {
      await work();
    } finally {
      db.run("rollback");
      db.close();
    }
  }

  /** More than is held for: the rest waits for the database. */
  async function awaiting(key: string) {
    const running = await stepwise(key, longBody({ max_tokens: 50_000 }));
    const { exchange, seen } = running;
    const event = chatEvent({ content: WORDS.repeat(8) });
    const sending = async () => {
      for (let at = 0; at < 200 && exchange.isOpen; at++) {
        await exchange.piece(event);
        await Bun.sleep(1);
      }
    };
    return { ...running, sending, has: () => countTokens(deliveredText(seen)) };
  }

  function deliveredText(seen: StreamSeen): string {
    const text = seen.text();
    return [...text.slice(0, text.lastIndexOf("\n\n")).matchAll(/"content":"([^"]*)"/g)]
      .map(match => match[1])
      .join("");
  }

  test("nothing more is delivered, and it goes on when the hold is there", async () => {
    const { key } = await rig().key();
    const { seen, sending, has, finish } = await awaiting(key);
    let sent: Promise<void> = Promise.resolve();
    await withLock(async () => {
      sent = sending();
      await Bun.sleep(800);
      expect(has()).toBeWithin(FIRST_TOKENS - 200, FIRST_TOKENS + READ_TOKENS_MAX);
    });
    await sent;
    await finish(usageOf(5, 20_000));
    expect(has()).toBeGreaterThan(200 * 8 * WORDS_TOKENS);
    expect(await settledRow(rig().dir, seen.requestId)).toMatchObject({
      reason: null,
      output_tokens: 20_000,
    });
  });

  test("a client that leaves is settled once, for what it got", async () => {
    const { key, id } = await rig().key();
    const { seen, exchange, sending } = await awaiting(key);
    await withLock(async () => {
      void sending();
      await Bun.sleep(300);
      seen.leave();
      expect(await eventually(() => exchange.aborted, 2_000)).toBe(true);
    });
    const row = await settledRow(rig().dir, seen.requestId);
    expect(row).toMatchObject({ status: 499, reason: "client_left" });
    expect(row.output_tokens).toBeWithin(FIRST_TOKENS - 300, FIRST_TOKENS + READ_TOKENS_MAX);
    expect(await usageRows(rig().dir, id)).toHaveLength(1);
    expect(await heldNow(key)).toBe(0n);
    await verifyClean(rig().dir);
  });

  test("a key that is deleted ends it with the reason, and it is settled once", async () => {
    const { key, id } = await rig().key();
    const { seen, sending } = await awaiting(key);
    let deleting: Promise<string> | null = null;
    await withLock(async () => {
      void sending();
      deleting = mustRun(rig().dir, ["key", "delete", id]);
      await Bun.sleep(500);
    });
    await deleting;
    await seen.ended;
    expect(streamError(seen.text())?.reason).toBe("key_deleted");
    expect(await settledRow(rig().dir, seen.requestId)).toMatchObject({ status: 401, reason: "key_deleted" });
    expect(await usageRows(rig().dir, id)).toHaveLength(1);
    await verifyClean(rig().dir);
  });

  test("a reader that stalls gets the proper end when it reads on", async () => {
    const { key, id } = await rig().key("--quota", "2");
    rig().upstream.script(exchange =>
      exchange.firehose(Buffer.from(chatEvent({ content: WORDS.repeat(50) }))),
    );
    const body = JSON.stringify(longBody({ max_tokens: 100_000 }));
    const socket = await rawConnection(rig().gateway.url, chatHead(rig().gateway.url, key, body));
    socket.pause();
    await Bun.sleep(700);
    let text = "";
    const ended = new Promise<void>(resolve => {
      socket.on("data", piece => {
        text += piece.toString("latin1");
        if (text.endsWith("0\r\n\r\n")) resolve();
      });
    });
    socket.resume();
    await ended;
    socket.destroy();
    expect(text).toContain('"finish_reason":"length"');
    expect(text).toContain("data: [DONE]");
    const [row] = await usageRows(rig().dir, id);
    const settled = await settledRow(rig().dir, row?.id ?? "", id);
    expect(settled).toMatchObject({ state: "settled", status: 200, reason: "key_quota_exhausted" });
    expect(Number(settled.cost)).toBeWithin(1.9, 2.000_000_001);
    expect(await heldNow(key)).toBe(0n);
  });
});
