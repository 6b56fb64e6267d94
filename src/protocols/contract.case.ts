import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Prompt } from "../domain/chat.ts";
import { isComplete, orderFaults } from "./event-order.case.ts";
import { heardPrompt, PROMPT_TARGETS, placeless } from "./heard-prompt.case.ts";
import { asOneMessage, heardReply, unworded } from "./heard-reply.case.ts";
import { changes, mutated } from "./mutate.case.ts";
import { HEAD, prompts } from "./prompt.case.ts";
import type { Json, Protocol } from "./protocol.ts";
import { repliesWith } from "./reply.case.ts";
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
import { unfoldReply } from "./unfold.ts";

const SEED = { seed: 20_261_115, numRuns: 200 };
const BYTES_MAX = 10_000_000;

/** What every dialect promises, whichever it is. */
export function protocolContract(protocol: Protocol): void {
  const { dialect } = protocol;
  const replies = repliesWith({ seals: dialect, custom: true, citations: true, foreign: true });
  const settled = dialect === "chat" ? asOneMessage : (reply: ReturnType<typeof unworded>) => reply;
  const body = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

  describe(`an answer in ${dialect}`, () => {
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

    test("is written in whole events, each of them as soon as it can be", () => {
      fc.assert(
        fc.property(replies, reply => {
          const writer = protocol.streamWriter(HEAD);
          for (const event of unfoldReply(reply)) {
            const text = writer.write(event);
            expect(text === "" || text.endsWith("\n\n")).toBe(true);
            const said = event.kind === "part-delta" && event.text !== "";
            const { length } = new SseReader(BYTES_MAX).feed(Buffer.from(text));
            if (said) expect(length).toBeGreaterThan(0);
          }
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
            expect(text).not.toContain("rs_0123456789");
            expect(text).toContain(HEAD.model);
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
  });

  describe(`a hostile upstream of ${dialect}`, () => {
    test("gives an answer or none, and never an exception", () => {
      fc.assert(
        fc.property(replies, changes, (reply, made) => {
          const changed = mutated(body(protocol.writeReply(reply, HEAD)), made);
          if (typeof changed !== "object" || changed === null || Array.isArray(changed)) return;
          const read = protocol.readReply(changed as Json);
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
          protocol.readReply({ ...objectOf(value) });
          protocol.readPrompt({ ...objectOf(value) });
        }),
        SEED,
      );
    });
  });

  describe(`a prompt in ${dialect}`, () => {
    const target = PROMPT_TARGETS[dialect];

    test("is read as it was written", () => {
      fc.assert(
        fc.property(prompts(dialect), prompt => {
          const written = protocol.writePrompt(prompt, target);
          if ("problem" in written) throw new Error(written.problem.problem);
          const read = protocol.readPrompt(body(written.body));
          if ("problem" in read) throw new Error(read.problem.problem);
          expect(placeless(read.prompt)).toEqual(placeless(heardPrompt[dialect](prompt)));
        }),
        SEED,
      );
    });

    test("that makes no sense is a problem that names its field, and never an exception", () => {
      fc.assert(
        fc.property(prompts(dialect), changes, (prompt, made) => {
          const written = protocol.writePrompt(prompt, target);
          if ("problem" in written) throw new Error(written.problem.problem);
          const changed = mutated(body(written.body), made);
          const read = protocol.readPrompt(objectOf(changed));
          if ("prompt" in read) expectWritable(protocol, read.prompt);
          else {
            expect(read.problem.param).not.toBe("");
            expect(read.problem.problem).toStartWith(`“${read.problem.param}” `);
            expect(read.problem.problem).not.toMatch(/[.!]$/);
          }
        }),
        SEED,
      );
    });
  });

  function expectWritable(other: Protocol, prompt: Prompt): void {
    const written = other.writePrompt(prompt, target());
    if ("body" in written) JSON.stringify(written.body);
  }
  function target() {
    return PROMPT_TARGETS[dialect];
  }
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
function expectTexts(reply: NonNullable<ReturnType<Protocol["readReply"]>>): void {
  for (const part of reply.parts) {
    if (part.kind === "tool-call") {
      expect(typeof part.input).toBe("string");
      expect(typeof part.id).toBe("string");
      expect(typeof part.name).toBe("string");
    } else if (part.kind !== "foreign") expect(typeof part.text).toBe("string");
  }
}
