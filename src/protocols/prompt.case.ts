import fc from "fast-check";
import {
  type Part,
  type Prompt,
  plainPrompt,
  type ReasoningPart,
  type TextPart,
  type Tool,
  type ToolCallPart,
  type Turn,
} from "../domain/chat.ts";
import type { Dialect } from "../domain/usage.ts";
import type { ReplyHead } from "./protocol.ts";
import { callInputs, OWN_SEALS, spokenTexts } from "./reply.case.ts";

/** A prompt that says nothing but a word. */
export const PROMPT: Prompt = plainPrompt("asked-model", [
  { role: "user", parts: [{ kind: "text", text: "Hello", citations: [], cache: null }], at: "messages[0]" },
]);

export const HEAD: ReplyHead = {
  id: "0190abcdef",
  model: "asked-model",
  createdSeconds: 1_800_000_000,
  prompt: PROMPT,
  inputTokensGuess: 11,
};

const TOOL_NAMES = ["read_file", "get-weather", "search"] as const;

const said: fc.Arbitrary<TextPart> = spokenTexts.map(text => {
  return { kind: "text", text, citations: [], cache: null };
});
const images: fc.Arbitrary<Part> = fc
  .constantFrom(
    { kind: "data", mediaType: "image/png", data: "iVBORw0KGgo=" } as const,
    { kind: "url", url: "https://example.com/a.png" } as const,
  )
  .map(source => ({ kind: "image", source, detail: null, cache: null }));

const turn = (role: Turn["role"], parts: Part[]): Turn => ({ role, parts, at: "" });

const questions = fc
  .tuple(said, fc.option(images))
  .map(([text, image]) => turn("user", image === null ? [text] : [text, image]));

/** What the model said and called, and what came of it. */
function exchanges(dialect: Dialect): fc.Arbitrary<Turn[]> {
  const thoughts: fc.Arbitrary<ReasoningPart> = OWN_SEALS[dialect].chain(seal =>
    spokenTexts.map(text => {
      return {
        kind: "reasoning",
        text: seal.kind === "ciphertext" && dialect === "messages" ? "" : text,
        seal,
      };
    }),
  );
  const call = fc.record({
    name: fc.constantFrom(...TOOL_NAMES),
    input: callInputs,
    result: spokenTexts,
    isError: fc.boolean(),
  });
  return fc
    .record({
      thought: fc.option(thoughts),
      text: said,
      calls: fc.array(call, { maxLength: 3 }),
      isSilent: fc.boolean(),
      salt: fc.nat(1_000_000),
      next: questions,
    })
    .map(({ thought, text, calls, isSilent, salt, next }) => {
      const ids = calls.map((_, place) => `call_${salt}_${place}`);
      const made = calls.map(({ name, input }, place): ToolCallPart => {
        const id = ids[place] ?? "";
        return { kind: "tool-call", id, name, input, tool: "function", namespace: null, cache: null };
      });
      const results = calls.map(({ result, isError }, place): Part => {
        const parts: TextPart[] = [{ kind: "text", text: result, citations: [], cache: null }];
        return { kind: "tool-result", id: ids[place] ?? "", parts, isError, cache: null };
      });
      const words = isSilent && calls.length > 0 ? [] : [text];
      const answer = turn("assistant", [...(thought === null ? [] : [thought]), ...words, ...made]);
      return calls.length === 0 ? [answer, next] : [answer, turn("user", results), next];
    });
}

const tools: fc.Arbitrary<Tool[]> = fc.constant(
  TOOL_NAMES.map((name): Tool => {
    const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    return {
      kind: "function",
      name,
      description: "A tool.",
      schema,
      strict: null,
      namespace: null,
      cache: null,
    };
  }),
);

/** Conversations as agents have them: what every dialect can say, and settings that only some have. */
export function prompts(dialect: Dialect): fc.Arbitrary<Prompt> {
  return fc
    .record({
      system: fc.option(said),
      first: questions,
      exchanges: fc.array(exchanges(dialect), { maxLength: 3 }),
      stream: fc.boolean(),
      tools,
      toolChoice: fc.option(
        fc.constantFrom<NonNullable<Prompt["toolChoice"]>>(
          { kind: "auto" },
          { kind: "none" },
          { kind: "required" },
          { kind: "named", name: "search" },
        ),
      ),
      parallelTools: fc.option(fc.boolean()),
      outputTokensMax: fc.option(fc.integer({ min: 16, max: 100_000 })),
      temperature: fc.option(fc.constantFrom(0, 0.25, 0.5)),
      user: fc.option(fc.constantFrom("user-1", "somebody@example.com")),
      seed: fc.option(fc.nat(1_000)),
      format: fc.option(
        fc.constant({
          kind: "schema",
          name: null,
          description: null,
          schema: {
            type: "object",
            properties: { a: { type: "string" } },
            required: ["a"],
            additionalProperties: false,
          },
          strict: null,
        } as const),
      ),
    })
    .map(({ system, first, exchanges: spoken, ...settings }) => {
      const front = system === null ? [] : [turn("system", [system])];
      return { ...PROMPT, ...settings, turns: [...front, first, ...spoken.flat()] };
    });
}
