import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Part, Prompt, Reply, ReplyPart } from "../domain/chat.ts";
import type { Dialect } from "../domain/usage.ts";
import { echoed } from "./echo.case.ts";
import { PROMPT_TARGETS } from "./heard-prompt.case.ts";
import { HEAD } from "./prompt.case.ts";
import type { Json, PromptTarget, Protocol } from "./protocol.ts";
import { PROTOCOLS } from "./protocols.ts";
import { repliesWith } from "./reply.case.ts";
import { noToolBook } from "./tool-book.ts";
import { translatePrompt } from "./translate-prompt.ts";
import { translateWhole } from "./translate-whole.ts";

/** What an upstream gets back of its own answer, when a client of another dialect goes on with the conversation. */

const SEED = { seed: 20_261_115, numRuns: 100 };
const DIALECTS: readonly Dialect[] = ["chat", "messages", "responses"];
const ORDER: Record<ReplyPart["kind"], number> = {
  reasoning: 0,
  text: 1,
  refusal: 1,
  "tool-call": 2,
  foreign: 3,
};

/** In the order in which models answer: thoughts, words, calls. */
function answersOf(dialect: Dialect): fc.Arbitrary<Reply> {
  const given = repliesWith({ seals: dialect, custom: false, citations: false, foreign: false });
  return given
    .map(reply => {
      const parts = reply.parts.filter(({ kind }) => kind !== "refusal");
      return { ...reply, parts: parts.toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind]) };
    })
    .filter(({ parts }) => parts.some(({ kind }) => kind !== "reasoning"));
}

type Trip = { from: Protocol; to: Protocol; target: PromptTarget };

/** The answer through the client, and back in the body of the next request. */
function broughtBack(answer: Json, { from, to, target }: Trip): Json {
  const whole = translateWhole(Buffer.from(JSON.stringify(answer)), {
    from,
    to,
    head: HEAD,
    book: noToolBook,
  });
  const given = JSON.parse(Buffer.from(whole?.bytes ?? []).toString()) as Json;
  const read = to.readPrompt(echoed(to.dialect, given));
  if ("problem" in read) throw new Error(read.problem.problem);
  const sent = translatePrompt({ prompt: read.prompt, to: from, target });
  if ("problem" in sent) throw new Error(sent.problem.problem);
  return JSON.parse(Buffer.from(sent.bytes).toString()) as Json;
}

function readBack(body: Json, protocol: Protocol): Prompt {
  const read = protocol.readPrompt(body);
  if ("problem" in read) throw new Error(read.problem.problem);
  return read.prompt;
}

const said = (prompt: Prompt, kind: Part["kind"]): Part[] =>
  prompt.turns.flatMap(({ parts }) => parts.filter(part => part.kind === kind));

for (const client of DIALECTS)
  for (const upstream of DIALECTS.filter(other => other !== client)) {
    const [from, to] = [PROTOCOLS[upstream], PROTOCOLS[client]];
    const trip = { from, to, target: PROMPT_TARGETS[upstream] };

    describe(`through a client of ${client}, an upstream of ${upstream} gets back`, () => {
      test("[P9] [P10] its calls under their own ids, each with its result", () => {
        fc.assert(
          fc.property(answersOf(upstream), reply => {
            const answer = from.writeReply(reply, HEAD);
            const calls = from.readReply(answer)?.parts.filter(part => part.kind === "tool-call") ?? [];
            const prompt = readBack(broughtBack(answer, trip), from);
            const back = said(prompt, "tool-call");
            expect(back).toEqual(calls);
            const results = said(prompt, "tool-result").map(part => "id" in part && part.id);
            expect(results).toEqual(calls.map(({ id }) => id));
          }),
          SEED,
        );
      });

      test("[P18] [P20] [P22] its thoughts as it sealed them, or nothing of them", () => {
        fc.assert(
          fc.property(answersOf(upstream), reply => {
            const answer = from.writeReply(reply, HEAD);
            const thoughts = from.readReply(answer)?.parts.filter(part => part.kind === "reasoning") ?? [];
            const body = broughtBack(answer, trip);
            const back = said(readBack(body, from), "reasoning");
            // A client of chat has no field that would bring a seal back, and unsealed they are not sent.
            if (client === "chat") {
              expect(back).toEqual([]);
              const words = textIn(reply.parts.filter(({ kind }) => kind !== "reasoning"));
              const hidden = thoughts.filter(({ text }) => text.length > 8 && !words.includes(text));
              for (const { text } of hidden) expect(textIn(body)).not.toContain(text);
            } else expect(back.map(unnamed)).toEqual(thoughts.map(unnamed));
          }),
          SEED,
        );
      });
    });
  }

/** Without the item's id: nothing is stored, so it is not sent. */
function unnamed(part: Part): Part {
  if (part.kind !== "reasoning" || part.seal === null) return part;
  return { ...part, seal: { ...part.seal, id: null } };
}

function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? Object.values(value).map(textIn).join("\n") : "";
}

describe("[P24] a thought signature of Gemini", () => {
  const target: PromptTarget = { model: "gemini-3-pro", kind: "openai-compatible", outputTokensMax: null };
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  const signed = { ...call, extra_content: { google: { thought_signature: "c2lnbmVk" } } };
  const answer = (toolCall: Json): Json => ({
    id: "g",
    choices: [
      { index: 0, message: { role: "assistant", tool_calls: [toolCall] }, finish_reason: "tool_calls" },
    ],
  });
  const callsIn = (body: Json) =>
    (body["messages"] as Json[]).flatMap(message => (message["tool_calls"] ?? []) as Json[]);

  for (const client of ["messages", "responses"] as const)
    test(`comes back through a client of ${client}`, () => {
      const trip = { from: PROTOCOLS.chat, to: PROTOCOLS[client], target };
      expect(callsIn(broughtBack(answer(signed), trip))).toEqual([signed]);
    });

  test("that was never there, or that a client lost, is asked not to be missed", () => {
    const skipped = {
      ...call,
      extra_content: { google: { thought_signature: "skip_thought_signature_validator" } },
    };
    const trip = { from: PROTOCOLS.chat, to: PROTOCOLS.messages, target };
    expect(callsIn(broughtBack(answer(call), trip))).toEqual([skipped]);
  });
});
