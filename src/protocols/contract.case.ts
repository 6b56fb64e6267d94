import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Prompt, Reply } from "../domain/chat.ts";
import { isComplete, orderFaults } from "./event-order.case.ts";
import { heardPrompt, PROMPT_TARGETS, placeless } from "./heard-prompt.case.ts";
import { asOneMessage, heardReply, unworded } from "./heard-reply.case.ts";
import { changes, mutated } from "./mutate.case.ts";
import { HEAD, prompts } from "./prompt.case.ts";
import type { Json, Problem, Protocol } from "./protocol.ts";
import { RESPONSES_ITEM_ID, repliesWith } from "./reply.case.ts";
import { SseReader } from "./sse-reader.ts";
import {
  cutAt,
  cuts,
  inPieces,
  interleaved,
  readStream,
  streamedReply,
  writtenStream,
} from "./stream.case.ts";
import { translatePrompt } from "./translate-prompt.ts";
import { unfoldReply } from "./unfold.ts";

const SEED = { seed: 20_261_115, numRuns: 100 };
const BYTES_MAX = 10_000_000;

type Contract = { protocol: Protocol; peers: readonly Protocol[]; replies: fc.Arbitrary<Reply> };

/** What every dialect promises, whichever it is. The peers are those that its prompts are translated for. */
export function protocolContract(protocol: Protocol, peers: readonly Protocol[]): void {
  const { dialect } = protocol;
  const replies = repliesWith({ seals: dialect, custom: true, citations: true, foreign: true });
  const contract = { protocol, peers, replies };
  describe(`an answer in ${dialect}`, () => answers(contract));
  describe(`a stream in ${dialect}`, () => streams(contract));
  describe(`a hostile upstream of ${dialect}`, () => hostility(contract));
  describe(`a prompt in ${dialect}`, () => questions(contract));
}

function body(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function answers({ protocol, replies }: Contract): void {
  const { dialect } = protocol;
  const settled = dialect === "chat" ? asOneMessage : (reply: Reply | null) => reply;

  test("is read as it was written", () => {
    fc.assert(
      fc.property(replies, reply => {
        const read = protocol.readReply(body(protocol.writeReply(reply, HEAD)));
        expect(unworded(read)).toEqual(heardReply[dialect](reply));
      }),
      SEED,
    );
  });

  test("is the same in a stream, in whatever pieces it was said and however its bytes are cut", () => {
    fc.assert(
      fc.property(replies, cuts, fc.boolean(), (reply, places, isMixed) => {
        const events = inPieces(unfoldReply(reply), places);
        const text = writtenStream(protocol, isMixed ? interleaved(events) : events, HEAD);
        const whole = unworded(protocol.readReply(body(protocol.writeReply(reply, HEAD))));
        const streamed = unworded(streamedReply(protocol, cutAt(Buffer.from(text), places)));
        expect(settled(streamed)).toEqual(settled(whole));
      }),
      SEED,
    );
  });

  test("shows neither the id that its upstream gave it nor the name that the upstream has for the model", () => {
    fc.assert(
      fc.property(replies, reply => {
        const whole = JSON.stringify(protocol.writeReply(reply, HEAD));
        const stream = writtenStream(protocol, unfoldReply(reply), HEAD);
        for (const text of [whole, stream]) {
          expect(text).not.toContain(reply.id);
          expect(text).not.toContain(reply.model);
          expect(text).not.toContain(RESPONSES_ITEM_ID);
          expect(text).toContain(HEAD.model);
        }
      }),
      SEED,
    );
  });
}

function streams({ protocol, replies }: Contract): void {
  test("begins once, ends once, and ends every part that it begins", () => {
    fc.assert(
      fc.property(replies, fc.boolean(), (reply, isMixed) => {
        const events = unfoldReply(reply);
        const text = writtenStream(protocol, isMixed ? interleaved(events) : events, HEAD);
        const read = readStream(protocol, [Buffer.from(text)]);
        expect(orderFaults(read)).toEqual([]);
        expect(read.at(-1)?.kind).toBe("end");
      }),
      SEED,
    );
  });

  test("is written in whole events, and what is said goes out at once", () => {
    fc.assert(
      fc.property(replies, reply => {
        const writer = protocol.streamWriter(HEAD);
        for (const event of unfoldReply(reply)) {
          const text = writer.write(event);
          expect(text === "" || text.endsWith("\n\n")).toBe(true);
          const { length } = new SseReader(BYTES_MAX).feed(Buffer.from(text));
          if (event.kind === "part-delta" && event.text !== "") expect(length).toBeGreaterThan(0);
        }
      }),
      SEED,
    );
  });

  test("[P41] that fails has no end, and nothing after the failure", () => {
    const error = { type: "error", error: { type: "api_error", message: "The upstream failed." } };
    fc.assert(
      fc.property(replies, fc.nat(20), (reply, count) => {
        const events = unfoldReply(reply).slice(0, -1).slice(0, count);
        const writer = protocol.streamWriter(HEAD);
        const text = events.map(event => writer.write(event)).join("") + writer.failure(error);
        const read = readStream(protocol, [Buffer.from(text)]);
        expect(read.at(-1)).toMatchObject({ kind: "failure" });
        expect(JSON.stringify(read.at(-1))).toContain("The upstream failed.");
        expect(orderFaults(read)).toEqual([]);
      }),
      SEED,
    );
  });
}

function hostility({ protocol, replies }: Contract): void {
  test("gives an answer or none, and never an exception", () => {
    fc.assert(
      fc.property(replies, changes, (reply, made) => {
        const changed = mutated(body(protocol.writeReply(reply, HEAD)), made);
        const read = protocol.readReply(objectOf(changed));
        if (read === null) return;
        expect(orderFaults(unfoldReply(read))).toEqual([]);
        expectTexts(read);
        protocol.writeReply(read, HEAD);
      }),
      SEED,
    );
  });

  test("cannot bring the events of a stream out of order, nor make them throw", () => {
    fc.assert(
      fc.property(replies, changes, fc.array(fc.nat(50), { maxLength: 4 }), (reply, made, places) => {
        const text = writtenStream(protocol, unfoldReply(reply), HEAD);
        const events = new SseReader(BYTES_MAX).feed(Buffer.from(text));
        const reader = protocol.streamReader();
        const changedOnes = new Set(places.map(place => place % events.length));
        const read = events.flatMap((event, at) => {
          if (!changedOnes.has(at)) return reader.read(event);
          return spoiled(event.data, made).flatMap(data => reader.read({ ...event, data }));
        });
        const all = [...read, ...reader.finish()];
        expect(orderFaults(all)).toEqual([]);
        expect(isComplete(all)).toBe(true);
      }),
      SEED,
    );
  });

  test("may say anything at all", () => {
    const events = fc.record({
      event: fc.option(fc.constantFrom("error", "message_start", "response.completed", "x")),
      data: fc.oneof(fc.string(), fc.json({ maxDepth: 3 })),
    });
    fc.assert(
      fc.property(fc.array(events), fc.jsonValue({ maxDepth: 3 }), (given, value) => {
        const reader = protocol.streamReader();
        const all = [...given.flatMap(event => reader.read(event)), ...reader.finish()];
        expect(orderFaults(all)).toEqual([]);
        expect(() => protocol.readReply(objectOf(value))).not.toThrow();
      }),
      SEED,
    );
  });
}

function questions({ protocol, peers }: Contract): void {
  const { dialect } = protocol;
  const writtenBody = (prompt: Prompt): Json => {
    const written = protocol.writePrompt(prompt, PROMPT_TARGETS[dialect]);
    if ("problem" in written) throw new Error(written.problem.problem);
    return body(written.body);
  };

  test("is read as it was written", () => {
    fc.assert(
      fc.property(prompts(dialect), prompt => {
        const read = protocol.readPrompt(writtenBody(prompt));
        if ("problem" in read) throw new Error(read.problem.problem);
        expect(placeless(read.prompt)).toEqual(placeless(heardPrompt[dialect](prompt)));
      }),
      SEED,
    );
  });

  test("that makes no sense is a problem that names its field, and never an exception", () => {
    fc.assert(
      fc.property(prompts(dialect), changes, (prompt, made) => {
        const read = protocol.readPrompt(objectOf(mutated(writtenBody(prompt), made)));
        if ("problem" in read) expectNamed(read.problem);
        else
          for (const peer of peers) {
            const target = PROMPT_TARGETS[peer.dialect];
            expect(() => translatePrompt({ prompt: read.prompt, to: peer, target })).not.toThrow();
          }
      }),
      SEED,
    );
  });
}

function expectNamed({ param, problem }: Problem): void {
  expect(param).not.toBe("");
  expect(problem).toStartWith(`“${param}” `);
  expect(problem).not.toMatch(/\w[.!]$/);
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** What may become of an event's data: nonsense, a part of it, or all of it twice. */
function spoiled(data: string, made: Parameters<typeof mutated>[1]): string[] {
  const [first] = made;
  const place = first?.at ?? 0;
  if (place % 4 === 0) return [data.slice(0, place % (data.length + 1))];
  if (place % 4 === 1) return [data, data];
  if (place % 16 === 2) return [];
  try {
    return [JSON.stringify(mutated(JSON.parse(data), made)) ?? ""];
  } catch {
    return [`${data}${data}`];
  }
}

/** Whatever came, texts are texts. */
function expectTexts(reply: Reply): void {
  for (const part of reply.parts) {
    if (part.kind === "tool-call") {
      expect(typeof part.input).toBe("string");
      expect(typeof part.id).toBe("string");
      expect(typeof part.name).toBe("string");
    } else if (part.kind !== "foreign") expect(typeof part.text).toBe("string");
  }
}
