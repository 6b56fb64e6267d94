import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Reply } from "../domain/chat.ts";
import type { Dialect } from "../domain/usage.ts";
import { heardPrompt, PROMPT_TARGETS, placeless } from "./heard-prompt.case.ts";
import { asOneMessage, heardReply, unworded } from "./heard-reply.case.ts";
import { HEAD, prompts } from "./prompt.case.ts";
import type { Json, Protocol, ReplyHead } from "./protocol.ts";
import { PROTOCOLS } from "./protocols.ts";
import { repliesWith, usages } from "./reply.case.ts";
import { sdkReply } from "./sdk-reply.case.ts";
import { cutAt, cuts, inPieces, interleaved, streamedReply, writtenStream } from "./stream.case.ts";
import { NO_RECORDINGS, recordedStream, recordings } from "./tap.case.ts";
import { noToolBook } from "./tool-book.ts";
import { translatePrompt } from "./translate-prompt.ts";
import { translatingTap } from "./translate-stream.ts";
import { translateWhole, unfoldedStream } from "./translate-whole.ts";
import { unfoldReply } from "./unfold.ts";

const SEED = { seed: 20_261_115, numRuns: 100 };
const DIALECTS: readonly Dialect[] = ["chat", "messages", "responses"];
const UPSTREAM_HEAD: ReplyHead = { ...HEAD, id: "7d1fupstream", model: "upstream-model" };
const EVENT_BYTES_MAX = 10_000_000;

type Pair = { from: Protocol; to: Protocol };
const PAIRS: readonly Pair[] = DIALECTS.flatMap(client =>
  DIALECTS.map(upstream => ({ from: PROTOCOLS[upstream], to: PROTOCOLS[client] })),
);
const named = ({ from, to }: Pair) => `a client of ${to.dialect} at an upstream of ${from.dialect}`;
const through = (pair: Pair) => ({ ...pair, head: HEAD, book: noToolBook });

/** Answers with a usage: one that has none is guessed at in messages, and is no report then. */
function repliesFrom(dialect: Dialect, citations = true): fc.Arbitrary<Reply> {
  const given = repliesWith({ seals: dialect, custom: true, citations, foreign: true });
  return fc.tuple(given, usages).map(([reply, usage]) => ({ ...reply, usage: reply.usage ?? usage }));
}

const bytesOf = (body: Json) => Buffer.from(JSON.stringify(body));
const bodyIn = (bytes: Uint8Array | undefined): Json =>
  JSON.parse(Buffer.from(bytes ?? []).toString()) as Json;

/** Where one of the two is chat, the order in which things were said is in the stream alone. */
function settled(reply: Reply | null, { from, to }: Pair): Reply | null {
  const isChat = from.dialect === "chat" || to.dialect === "chat";
  return isChat ? asOneMessage(unworded(reply)) : unworded(reply);
}

/** OpenAI's client does not know what a chat model thought, and keeps the last piece of it only. */
function understood(reply: Reply | null, pair: Pair): Reply | null {
  const known = settled(reply, pair);
  if (known === null || pair.to.dialect !== "chat") return known;
  return { ...known, parts: known.parts.filter(({ kind }) => kind !== "reasoning") };
}

function translatedStream(pair: Pair, pieces: readonly Uint8Array[]) {
  const tap = translatingTap({ ...through(pair), eventBytesMax: EVENT_BYTES_MAX });
  const passed = [...pieces.map(piece => tap.feed(piece)), tap.rest()].filter(bytes => bytes !== null);
  return { tap, bytes: Buffer.concat(passed) };
}

for (const pair of PAIRS) {
  const { from, to } = pair;

  describe(named(pair), () => {
    test("gets the whole answer", () => {
      fc.assert(
        fc.property(repliesFrom(from.dialect), reply => {
          const whole = translateWhole(bytesOf(from.writeReply(reply, UPSTREAM_HEAD)), through(pair));
          const heard = heardReply[to.dialect](heardReply[from.dialect](reply, UPSTREAM_HEAD));
          expect(unworded(to.readReply(bodyIn(whole?.bytes)))).toEqual(heard);
          expect(Buffer.from(whole?.bytes ?? []).toString()).not.toContain(UPSTREAM_HEAD.model);
          expect(whole?.usage).toEqual(from.readReply(from.writeReply(reply, UPSTREAM_HEAD))?.usage ?? null);
        }),
        SEED,
      );
    });

    test("gets the same answer as a stream, however it is cut", () => {
      fc.assert(
        fc.property(repliesFrom(from.dialect), cuts, fc.boolean(), (reply, places, isMixed) => {
          const events = inPieces(unfoldReply(reply), places);
          const text = writtenStream(from, isMixed ? interleaved(events) : events, UPSTREAM_HEAD);
          const { tap, bytes } = translatedStream(pair, cutAt(Buffer.from(text), places));
          const whole = translateWhole(bytesOf(from.writeReply(reply, UPSTREAM_HEAD)), through(pair));
          const streamed = settled(streamedReply(to, [bytes]), pair);
          expect(streamed).toEqual(settled(to.readReply(bodyIn(whole?.bytes)), pair));
          expect(tap).toMatchObject({ ended: true, failed: false });
          expect(tap.reported()).toEqual({ usage: whole?.usage ?? null, isFinal: true, bad: false });
          expect(bytes.toString()).not.toContain(UPSTREAM_HEAD.model);
        }),
        SEED,
      );
    });

    test("gets a stream of an answer that came whole", () => {
      fc.assert(
        fc.property(repliesFrom(from.dialect), reply => {
          const given = bytesOf(from.writeReply(reply, UPSTREAM_HEAD));
          const whole = translateWhole(given, through(pair));
          const stream = unfoldedStream(given, through(pair));
          const streamed = streamedReply(to, [stream?.bytes ?? Buffer.alloc(0)]);
          expect(settled(streamed, pair)).toEqual(settled(to.readReply(bodyIn(whole?.bytes)), pair));
        }),
        SEED,
      );
    });

    test("is asked what it was asked", () => {
      fc.assert(
        fc.property(prompts(to.dialect), prompt => {
          const asked = to.writePrompt(prompt, PROMPT_TARGETS[to.dialect]);
          const read = "body" in asked ? to.readPrompt(asked.body) : asked;
          if ("problem" in read) throw new Error(read.problem.problem);
          const target = PROMPT_TARGETS[from.dialect];
          const sent = translatePrompt({ prompt: read.prompt, to: from, target });
          const arrived = "bytes" in sent ? from.readPrompt(bodyIn(sent.bytes)) : sent;
          if ("problem" in arrived) throw new Error(arrived.problem.problem);
          const heard = heardPrompt[from.dialect](withoutForeignThoughts(read.prompt, from.dialect));
          expect(placeless(arrived.prompt)).toEqual(placeless(heard));
        }),
        SEED,
      );
    });

    test("gets an answer that its maker's own client understands", async () => {
      await fc.assert(
        // OpenAI's client keeps the last sources of a chat only: of texts with something between them there are more.
        fc.asyncProperty(repliesFrom(from.dialect, to.dialect !== "chat"), async reply => {
          const text = writtenStream(from, unfoldReply(reply), UPSTREAM_HEAD);
          const { bytes } = translatedStream(pair, [Buffer.from(text)]);
          const folded = to.readReply(await sdkReply(to.dialect, bytes));
          expect(understood(folded, pair)).toEqual(understood(streamedReply(to, [bytes]), pair));
        }),
        { ...SEED, numRuns: 20 },
      );
    });

    recordedPair(pair);
  });
}

/** [P20] What another maker's model thought is not sent, neither unsigned nor as text. */
function withoutForeignThoughts(
  prompt: Parameters<(typeof heardPrompt)["chat"]>[0],
  dialect: Dialect,
): typeof prompt {
  const turns = prompt.turns.map(turn => ({
    ...turn,
    parts: turn.parts.filter(part => part.kind !== "reasoning" || part.seal?.origin === dialect),
  }));
  return { ...prompt, turns };
}

function recordedPair(pair: Pair): void {
  const { from, to } = pair;
  const streams = recordings(from.dialect, ".chunks.txt");
  if (streams.length === 0) {
    test.skip(NO_RECORDINGS, () => {});
    return;
  }

  for (const { name, text } of streams) {
    const bytes = Buffer.from(recordedStream(from.dialect, text));
    const reply = streamedReply(from, [bytes]);
    if (reply === null) {
      test(`[P41] is told that the stream of ${name} failed, and nothing more`, () => {
        const { tap } = translatedStream(pair, [bytes]);
        expect(tap).toMatchObject({ ended: false, failed: true });
      });
      continue;
    }
    test(`[P31] gets from the stream of ${name} what it would have got whole`, async () => {
      const whole = to.readReply(JSON.parse(JSON.stringify(to.writeReply(reply, HEAD))));
      for (const size of [7, 1_000, bytes.length]) {
        const pieces = cutAt(bytes, sizes(bytes.length, size));
        const stream = translatedStream(pair, pieces);
        expect(settled(streamedReply(to, [stream.bytes]), pair)).toEqual(settled(whole, pair));
        expect(stream.tap.reported()).toEqual({ usage: reply.usage, isFinal: true, bad: false });
        expect(stream.bytes.toString()).not.toContain(reply.id);
        if (size === bytes.length) {
          const folded = to.readReply(await sdkReply(to.dialect, stream.bytes));
          expect(understood(folded, pair)).toEqual(understood(whole, pair));
        }
      }
    });
  }

  for (const { name, text } of recordings(from.dialect, ".json")) {
    const answer = translateWhole(Buffer.from(text), through(pair));
    if (answer === null) {
      test(`[P48] gets nothing from ${name}, which is no answer`, () => {
        expect(text).toMatch(/"(error|embedding|b64_json|url)"/);
      });
      continue;
    }
    test(`gets from ${name} the same as a stream`, () => {
      const stream = unfoldedStream(Buffer.from(text), through(pair));
      const streamed = streamedReply(to, [stream?.bytes ?? Buffer.alloc(0)]);
      expect(settled(streamed, pair)).toEqual(settled(to.readReply(bodyIn(answer.bytes)), pair));
      expect(answer).toMatchObject({ bad: false });
      expect(answer.usage).not.toBeNull();
    });
  }
}

function sizes(length: number, size: number): number[] {
  return Array.from({ length: Math.floor(length / size) }, (_, place) => (place + 1) * size);
}
