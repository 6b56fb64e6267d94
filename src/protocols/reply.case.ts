import fc from "fast-check";
import type { Citation, Reply, ReplyPart, Seal, Stop, StopReason, ToolCallPart } from "../domain/chat.ts";
import type { Dialect, Usage } from "../domain/usage.ts";

/** Answers in the neutral form, as models give them and as they might. */

/** Letters of all widths, line breaks of all kinds, and what JSON and server-sent events are written with. */
const LETTERS = fc.constantFrom(
  ..."abc XYZ 019 _-.,:;!?",
  ..."\"\\/{}[]<>&'`",
  ..."äéß漢字が日本",
  "\n",
  "\r\n",
  "\r",
  "\t",
  "\u2028",
  "\u2029",
  "\ufeff",
  "😀",
  "👩‍👩‍👧",
  "data: ",
  "\n\ndata: [DONE]\n\n",
  '"usage":{"input_tokens":9}',
);

export const texts = fc.string({ unit: LETTERS, maxLength: 40 });
/** Blank text is taken out by some dialects, and is tested by its own. */
export const spokenTexts = texts.filter(text => text.trim() !== "");

const JSON_VALUES = fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" });
/** Compact, and without -0: so it stays the same when a dialect that has it as an object writes it anew. */
export const callInputs = fc
  .dictionary(fc.string({ unit: fc.constantFrom(..."abcdef_"), minLength: 1, maxLength: 6 }), JSON_VALUES, {
    maxKeys: 3,
    noNullPrototype: true,
  })
  .map(input => JSON.stringify(input));

const counts = fc.integer({ min: 0, max: 100_000 });
export const usages: fc.Arbitrary<Usage> = fc
  .record({ input: counts, cacheRead: counts, cacheWrite5m: counts, cacheWrite1h: counts, output: counts })
  .chain(usage => fc.integer({ min: 0, max: usage.output }).map(reasoning => ({ ...usage, reasoning })));

const CALL_LETTERS = fc.constantFrom(..."abcXYZ019_-");
const callIds = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: CALL_LETTERS, minLength: 4, maxLength: 20 }) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: CALL_LETTERS, minLength: 4, maxLength: 20 }).map(id => `call_${id}`),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: CALL_LETTERS, minLength: 4, maxLength: 20 }).map(id => `toolu_${id}`),
  },
  { weight: 1, arbitrary: fc.constantFrom("functions.Bash:0", "functions.Bash:1", "tööl/1", "a b") },
);
export const names = fc.string({ unit: CALL_LETTERS, minLength: 1, maxLength: 20 });

export const citations: fc.Arbitrary<Citation> = fc.record({
  url: fc.constantFrom("https://example.com/a", "https://example.com/b?c=d"),
  title: fc.option(fc.constantFrom("A page", "Über “alles”")),
  quote: fc.option(spokenTexts),
});

const functionCalls: fc.Arbitrary<ToolCallPart> = fc.record({
  kind: fc.constant("tool-call"),
  id: callIds,
  name: names,
  input: callInputs,
  tool: fc.constant("function"),
  namespace: fc.constant(null),
  cache: fc.constant(null),
});
const customCalls: fc.Arbitrary<ToolCallPart> = fc.record({
  kind: fc.constant("tool-call"),
  id: callIds,
  name: names,
  input: texts,
  tool: fc.constant("custom"),
  namespace: fc.constant(null),
  cache: fc.constant(null),
});

/** What an upstream calls a thought of its own. */
export const RESPONSES_ITEM_ID = "rs_0123456789";

export const OWN_SEALS: Record<Dialect, fc.Arbitrary<Seal>> = {
  messages: fc.constantFrom<Seal>(
    { origin: "messages", kind: "signature", value: "EqQBCgIYAhIM+/=", id: null },
    { origin: "messages", kind: "ciphertext", value: "EmwKAhgBEgy=", id: null },
  ),
  responses: fc.constantFrom<Seal>({
    origin: "responses",
    kind: "ciphertext",
    value: "gAAAAABpcipher=",
    id: RESPONSES_ITEM_ID,
  }),
  chat: fc.constantFrom<Seal>({
    origin: "chat",
    kind: "signature",
    value: JSON.stringify({ field: "reasoning_content" }),
    id: null,
  }),
};

const STOPS: readonly StopReason[] = [
  "end",
  "length",
  "stop-sequence",
  "refusal",
  "filter",
  "pause",
  "context-full",
  "unknown",
];

function stopOf(parts: readonly ReplyPart[]): fc.Arbitrary<Stop> {
  const isCall = parts.some(part => part.kind === "tool-call");
  // A call decides, unless the answer was cut off.
  const reasons = isCall ? (["tool-calls", "tool-calls", "length", "filter"] as const) : STOPS;
  return fc
    .constantFrom<StopReason>(...reasons)
    .chain(reason =>
      fc
        .option(fc.constantFrom("END", "\n\nHuman:"))
        .map(sequence => ({ reason, raw: null, sequence: reason === "stop-sequence" ? sequence : null })),
    );
}

export type ReplyTraits = {
  /** Which dialect's seals the reasoning bears; null: no reasoning. */
  seals: Dialect | null;
  custom: boolean;
  citations: boolean;
  foreign: boolean;
};

function partsOf({ seals, custom, citations: cited, foreign }: ReplyTraits): fc.Arbitrary<ReplyPart[]> {
  const text: fc.Arbitrary<ReplyPart> = fc.record({
    kind: fc.constant("text"),
    text: spokenTexts,
    citations: fc.array(citations, { maxLength: cited ? 2 : 0 }),
    cache: fc.constant(null),
  });
  const refusal: fc.Arbitrary<ReplyPart> = fc.record({ kind: fc.constant("refusal"), text: spokenTexts });
  const alien: fc.Arbitrary<ReplyPart> = fc.record({
    kind: fc.constant("foreign"),
    type: fc.constantFrom("web_search_call", "server_tool_use"),
  });
  const kinds: fc.WeightedArbitrary<ReplyPart>[] = [
    { weight: 5, arbitrary: text },
    { weight: 3, arbitrary: functionCalls },
    { weight: 1, arbitrary: refusal },
  ];
  if (seals !== null) kinds.push({ weight: 3, arbitrary: reasoningOf(seals) });
  if (custom) kinds.push({ weight: 2, arbitrary: customCalls });
  if (foreign) kinds.push({ weight: 1, arbitrary: alien });
  const parts = fc.uniqueArray(fc.oneof(...kinds), {
    maxLength: 6,
    selector: part => (part.kind === "tool-call" ? part.id : part),
  });
  return parts.map(refusalsLast);
}

/** A model that has refused says no more. */
function refusalsLast(parts: readonly ReplyPart[]): ReplyPart[] {
  const isRefusal = ({ kind }: ReplyPart) => kind === "refusal";
  return [...parts.filter(part => !isRefusal(part)), ...parts.filter(isRefusal)];
}

function reasoningOf(dialect: Dialect): fc.Arbitrary<ReplyPart> {
  return OWN_SEALS[dialect].chain(seal =>
    fc.record({
      kind: fc.constant("reasoning"),
      // A ciphertext of the messages dialect stands in the place of the text.
      text: seal.origin === "messages" && seal.kind === "ciphertext" ? fc.constant("") : spokenTexts,
      seal: fc.constant(seal),
    }),
  );
}

export function repliesWith(traits: ReplyTraits): fc.Arbitrary<Reply> {
  return partsOf(traits).chain(parts =>
    fc.record({
      id: fc.constant("upstream-id-7d1f"),
      model: fc.constant("upstream-model"),
      createdSeconds: fc.option(fc.integer({ min: 1_600_000_000, max: 2_000_000_000 })),
      parts: fc.constant(parts),
      stop: stopOf(parts),
      usage: fc.option(usages, { freq: 5 }),
    }),
  );
}

/** All that the neutral form can say. */
export const replies: fc.Arbitrary<Reply> = fc
  .constantFrom<Dialect>("chat", "responses", "messages")
  .chain(seals => repliesWith({ seals, custom: true, citations: true, foreign: true }));
