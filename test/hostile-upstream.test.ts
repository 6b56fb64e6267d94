import { describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { good, hostilePlay, type Says, SECRET, STREAMING, WHOLE } from "./hostile-play.ts";
import { ALL_PAIRS } from "./hostile-rig.ts";
import { VOICES, type Voice } from "./hostile-voice.ts";

/**
 * Upstreams of each dialect that fail in every way, with clients of each in front of them: the right end in the
 * client's dialect and no false success, nobody billed for an error, and a gateway that goes on as if nothing happened.
 */

const { asked, expectEndings, expectGoodOrder } = hostilePlay();
const REFUSED = "refused upstream_failed";

describe("an answer that is none", () => {
  const bodies: readonly (readonly [
    string,
    (voice: Voice) => string | Uint8Array,
    Record<string, string>,
  ])[] = [
    ["garbage bytes", () => Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7_919) % 256)), {}],
    ["[P48] an error as the body of a 200", voice => voice.errorBody(SECRET), {}],
    ["HTML", () => `<html><body>${SECRET}</body></html>`, { "content-type": "text/html" }],
    ["nothing", () => "", {}],
    ["half of a JSON text", voice => voice.whole(SECRET, undefined).slice(0, 90), {}],
    ["a list", () => `["${SECRET}"]`, {}],
    ["a number", () => "12", {}],
    ["null", () => "null", {}],
    ["an empty object", () => "{}", {}],
    ["an object of something else", () => '{"ok":true,"choices":5,"content":"x","output":null}', {}],
    ["an object under 100,000 lists", () => `${"[".repeat(100_000)}{}${"]".repeat(100_000)}`, {}],
    ["100,000 lists in an object", () => `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, {}],
    ["100,000 lists never closed", () => "[".repeat(100_000), {}],
  ];
  for (const [name, body, headers] of bodies) {
    test(`${name} is an error, whether a stream was asked for or not`, () =>
      expectEndings(ALL_PAIRS, (exchange, voice) => exchange.reply(200, body(voice), headers), REFUSED));
  }

  test("and is no better under the name of a stream", async () => {
    for (const [, body] of bodies) {
      const says: Says = (exchange, voice) =>
        exchange.reply(200, body(voice), { "content-type": "text/event-stream" });
      await expectEndings(STREAMING, says, "error");
    }
  });

  test("or of another dialect", async () => {
    const other: Record<Dialect, Dialect> = { chat: "messages", messages: "responses", responses: "chat" };
    const foreign = (dialect: Dialect) => VOICES[other[dialect]];
    await expectEndings(
      WHOLE,
      (exchange, voice, dialect) => exchange.reply(200, foreign(dialect).whole("Hi", voice.usage(5, 5))),
      REFUSED,
    );
  });
});

describe("a stream that does not come to its end", () => {
  const CUTS: readonly (readonly [string, Says])[] = [
    [
      "[P41] [P42] is cut off in the middle of an event",
      async (exchange, voice) => {
        await exchange.begin();
        await exchange.piece(voice.start + voice.word("Hi") + voice.word("there").slice(0, 25));
        exchange.cut();
      },
    ],
    [
      "is closed in good order in the middle of an event",
      (exchange, voice) => exchange.stream([voice.start, voice.word("Hi"), voice.word("x").slice(0, 25)]),
    ],
    [
      "is closed in good order between two",
      (exchange, voice) => exchange.stream([voice.start, voice.word("Hi")]),
    ],
    [
      "is reset",
      async (exchange, voice) => {
        await exchange.begin();
        await exchange.piece(voice.start + voice.word("Hi"));
        await Bun.sleep(50);
        exchange.reset();
      },
    ],
    [
      "[P39] [P41] reports an error",
      (exchange, voice) => exchange.stream([voice.start, voice.word("Hi"), voice.error(SECRET), good(voice)]),
    ],
    [
      "falls silent",
      async (exchange, voice) => {
        await exchange.begin();
        await exchange.piece(voice.start + voice.word("Hi"));
      },
    ],
    [
      "goes on in a line without end",
      async (exchange, voice) => {
        await exchange.begin();
        await exchange.piece(`${voice.start}${voice.word("Hi")}data: {"a":"`);
        const piece = Buffer.alloc(262_144, "x");
        for (let sent = 0; sent < 400 && exchange.isOpen; sent++) await exchange.piece(piece);
        expect(exchange.bytesSent).toBeLessThan(90_000_000);
      },
    ],
    [
      "goes on in lines without an event",
      async (exchange, voice) => {
        await exchange.begin();
        await exchange.piece(voice.start + voice.word("Hi"));
        const piece = Buffer.from('data: {"a":1}\n'.repeat(10_000));
        for (let sent = 0; sent < 500 && exchange.isOpen; sent++) await exchange.piece(piece);
        expect(exchange.bytesSent).toBeLessThan(60_000_000);
      },
    ],
    [
      "says nothing in 50,000 events",
      async (exchange, voice) => {
        const nothing = ': still here\n\ndata: {}\n\nevent: ping\ndata: {"type":"ping"}\n\n';
        await exchange.stream([
          voice.start,
          voice.word("Hi"),
          ...Array<string>(50).fill(nothing.repeat(333)),
        ]);
      },
    ],
  ];
  for (const [name, says] of CUTS)
    test(`${name}: an error, and no end`, () => expectEndings(STREAMING, says, "error Hi"));

  test("or has none because it says the same for ever ends at the length that was paid for", async () => {
    const says: Says = async (exchange, voice) => {
      await exchange.begin();
      await exchange.piece(voice.start);
      const piece = Buffer.from(voice.word("a b ").repeat(50));
      for (let sent = 0; sent < 2_000 && exchange.isOpen; sent++) await exchange.piece(piece);
    };
    await expectEndings(STREAMING, says, /^length a b /);
  });

  test("is no better before its first word: silence, a reset, nothing", async () => {
    await expectEndings(STREAMING, exchange => exchange.begin(), "error");
    await expectEndings(STREAMING, exchange => exchange.stream([]), "error");
    const says: Says = async exchange => {
      await exchange.begin();
      exchange.reset();
    };
    await expectEndings(STREAMING, says, /^(error|refused upstream_failed)$/);
    await expectEndings(ALL_PAIRS, exchange => exchange.reset(), REFUSED);
  });

  test("is an error as a whole answer too", async () => {
    const half: Says = async (exchange, voice) => {
      const body = voice.whole(SECRET, voice.usage(5, 5));
      await exchange.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n${body}`,
      );
      exchange.cut();
    };
    await expectEndings(WHOLE, half, REFUSED);
    const silent: Says = exchange => exchange.write("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{");
    await expectEndings(WHOLE, silent, "refused upstream_timeout");
  });

  test("is none where it has another type", async () => {
    for (const type of ["application/json", "text/plain", "application/octet-stream", ""])
      await expectEndings(
        STREAMING,
        (exchange, voice) => exchange.stream([good(voice)], { "content-type": type }),
        REFUSED,
      );
  });
});

test("after all of it every row is there and fair, and the process is the same and has nothing to say", async () => {
  await expectGoodOrder();
  expect(asked.length).toBeGreaterThan(400);
});
