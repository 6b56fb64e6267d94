import { describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { good, hostilePlay, inTheMidst, type Says, SECRET, STREAMING, WHOLE } from "./hostile-play.ts";
import { ALL_PAIRS, pairName, priceFaults } from "./hostile-rig.ts";
import { type Voice, wholeCall } from "./hostile-voice.ts";

/** Upstreams that are odd and not broken: what they say reaches the client, and what they report is not believed. */

const { rig, asked, expectEndings, expectGoodOrder } = hostilePlay();

describe("a stream that is odd and has all that it needs comes to a good end:", () => {
  const long = "x".repeat(4_000_000);
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const ODD: readonly (readonly [string, Says])[] = [
    ["[P45] an event of 4 MB", inTheMidst(voice => voice.word("").replace("{", `{"padding":"${long}",`))],
    [
      "[P43] an upstream that says its last word and keeps the connection",
      async (exchange, voice) => {
        await exchange.begin();
        await exchange.piece(good(voice));
      },
    ],
    ["two last words", (exchange, voice) => exchange.stream([good(voice), voice.end(voice.usage(5, 5))])],
    [
      "two last words in one piece",
      (exchange, voice) => exchange.stream([good(voice) + voice.end(voice.usage(5, 5))]),
    ],
    [
      "words after the last",
      (exchange, voice) =>
        exchange.stream([good(voice) + voice.word("more") + voice.error(SECRET), good(voice)]),
    ],
    [
      "pieces of a call that never began",
      inTheMidst(voice => voice.callPiece(3, '{"a":') + voice.callPiece(3, "1}")),
    ],
    [
      "pieces of calls at places that are none",
      inTheMidst(voice => [-1, 1e9, 1.5, "0", null, {}].map(place => voice.callPiece(place, "{")).join("")),
    ],
    [
      "a text that is never closed",
      (exchange, voice) => exchange.stream([voice.start, voice.word("Hi"), voice.end(voice.usage(5, 5))]),
    ],
    ["an event of 50,000 levels", inTheMidst(() => `data: ${deep(50_000)}\n\n`)],
    [
      "50,000 levels inside a word",
      inTheMidst(voice => voice.word("").replace("{", `{"padding":${deep(50_000)},`)),
    ],
    [
      "bytes that are no UTF-8",
      (exchange, voice) =>
        exchange.stream([
          voice.start,
          voice.word("Hi"),
          Buffer.from([0x3a, 0xff, 0xfe, 0xc0, 0x0a, 0x0a]),
          voice.close,
          voice.end(voice.usage(5, 5)),
        ]),
    ],
    [
      "bytes of nothing",
      inTheMidst(voice => `\0\0\n\n\0data: {}\n\ndata: \0\n\n${voice.word("\0").replace("\\u0000", "\0")}`),
    ],
    [
      "everything in one byte at a time",
      async (exchange, voice) => {
        await exchange.begin();
        for (const byte of Buffer.from(good(voice))) await exchange.piece(Buffer.of(byte));
        await exchange.end();
      },
    ],
  ];
  for (const [name, says] of ODD) test(name, () => expectEndings(STREAMING, says, "end Hi"));

  test("two beginnings", () =>
    expectEndings(STREAMING, (exchange, voice) => exchange.stream([voice.start + good(voice)]), "end Hi"));

  test("10,000 calls, out of order", async () => {
    const calls = (voice: Voice) =>
      Array.from({ length: 10_000 }, (_, at) => wholeCall(voice, (at * 7) % 10_000, '{"q":1}')).join("");
    await expectEndings(STREAMING, inTheMidst(calls), /^(end|length) Hi$/);
  });
});

describe("a call whose arguments are nested 100,000 levels deep", () => {
  const LEVELS = 100_000;
  const deep = `{"a":${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}}`;
  const MS_MAX = 5_000;
  const CALLS: Record<Dialect, (args: string) => string> = {
    chat: args =>
      `{"id":"c","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":${args}}}]}}]}`,
    messages: args =>
      `{"id":"m","type":"message","role":"assistant","stop_reason":"tool_use","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"toolu_1","name":"look","input":${args}}]}`,
    responses: args =>
      `{"id":"r","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","call_id":"c1","name":"look","arguments":${args}}]}`,
  };

  test.each([
    ["as they are", deep],
    ["as a text", JSON.stringify(deep)],
  ])("%s: takes no time, and the rest of the answer is there", async (_, args) => {
    const startedTick = performance.now();
    await expectEndings(
      WHOLE,
      (exchange, _voice, dialect) => exchange.reply(200, CALLS[dialect](args)),
      "end Hi",
    );
    expect(performance.now() - startedTick).toBeLessThan(MS_MAX);
  });

  test("in a stream: the same", async () => {
    const startedTick = performance.now();
    await expectEndings(
      STREAMING,
      inTheMidst(voice => wholeCall(voice, 0, deep)),
      /^(end|length) Hi$/,
    );
    expect(performance.now() - startedTick).toBeLessThan(MS_MAX);
  });
});

describe("usage that cannot be believed is not charged:", () => {
  const NUMBERS = [-1, 1e30, 2 ** 53, 1.5, "12", null, undefined, [], {}];
  for (const number of NUMBERS) {
    test(`${JSON.stringify(number) ?? "none"} tokens`, async () => {
      const usage = (voice: Voice) =>
        Object.fromEntries(Object.keys(voice.usage(1, 1)).map(name => [name, number]));
      const from = asked.length;
      await expectEndings(
        ALL_PAIRS,
        (exchange, voice) => {
          if (exchange.body["stream"] !== true) return exchange.reply(200, voice.whole("Hi", usage(voice)));
          return exchange.stream([voice.start + voice.word("Hi") + voice.close + voice.end(usage(voice))]);
        },
        "end Hi",
      );
      const rows = await rig().rows();
      for (const { pair, requestId } of asked.slice(from)) {
        const row = rows.get(requestId);
        const { input_tokens = 99, output_tokens = 99, source } = row ?? {};
        const isOurs = source === "estimated" || source === "clamped";
        const isSmall = input_tokens <= 50 && output_tokens <= 5;
        expect({ name: pairName(pair), isOurs, isSmall, faults: priceFaults(row) }).toEqual({
          name: pairName(pair),
          isOurs: true,
          isSmall: true,
          faults: [],
        });
      }
    });
  }
});

test("after all of it every row is there and fair, and the process is the same and has nothing to say", async () => {
  await expectGoodOrder();
  expect(asked.length).toBeGreaterThan(250);
});
