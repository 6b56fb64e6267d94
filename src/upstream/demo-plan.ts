import { jsonText, minimalObject } from "./demo-json.ts";
import type { DemoSettings } from "./demo-settings.ts";
import {
  answerToResults,
  answerToUser,
  countDemoTokens,
  type DemoMedia,
  demoTokens,
  longTokens,
  NO_MEDIA,
  REFUSAL,
  thoughtBefore,
  untilStop,
} from "./demo-text.ts";
import type { DemoPrompt } from "./demo-usage.ts";

/** What was asked, whatever the dialect it was asked in. */
export type DemoAsk = {
  messages: readonly DemoMessage[];
  /** Those that may be called. */
  tools: readonly DemoTool[];
  toolChoice: { kind: "auto" | "none" | "required" } | { kind: "named"; name: string };
  /** Whether one answer may call several tools. */
  parallelTools: boolean;
  format: { kind: "text" | "json" } | { kind: "schema"; schema: unknown };
  tokensMax: number | null;
  stops: readonly string[];
  thinks: boolean;
  prompt: DemoPrompt;
};

/** `calls` are the tool calls the model made in this message, each of which counts as prompt text. */
export type DemoMessage = {
  role: "instruction" | "user" | "assistant" | "tool";
  text: string;
  media: DemoMedia;
  calls: readonly { name: string; arguments: string }[];
  /** Of a tool: it says that it failed. */
  isError: boolean;
};

/** A custom tool takes free text, a function the JSON its parameters describe. */
export type DemoTool = {
  kind: "function" | "custom";
  name: string;
  namespace: string | null;
  description: string;
  parameters: unknown;
};

/** A call as it is meant; where the answer is cut short, less of the input is told. The id has no prefix. */
export type DemoCall = { id: string; tool: DemoTool; input: string };

/** One token of the answer; the opening of a tool call, with its name, is one token. */
export type DemoPiece =
  | { kind: "thought" | "text" | "refusal"; token: string }
  | { kind: "call"; index: number; call: DemoCall }
  | { kind: "arguments"; index: number; token: string };

export type DemoFinish =
  | { reason: "stop" | "length" | "calls" | "refusal" }
  | { reason: "sequence"; sequence: string };

/** What to answer. `pieces` makes each token when it is asked for, so a million of them cost no memory. */
export type DemoPlan = {
  says: "text" | "calls" | "refusal";
  pieces: Generator<DemoPiece, DemoFinish>;
  /** Only the conversation decides, so that what is made of it is the same streamed or whole. */
  seed: () => string;
};

const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_IMAGE = 85;
const TOKENS_PER_DOCUMENT = 250;
const TOKENS_PER_SOUND = 50;

export function planDemo(ask: DemoAsk, settings: DemoSettings): DemoPlan {
  const tools = settings.refuses ? [] : toolsToCall(ask);
  const seed = () => digest(JSON.stringify(ask.messages));
  const thought = ask.thinks || settings.thinking !== "as-asked" ? thoughtOf(ask, tools) : "";
  const pieces = answerPieces(ask, { settings, tools, seed });
  return {
    says: settings.refuses ? "refusal" : tools.length > 0 ? "calls" : "text",
    pieces: atMost(afterThought(thought, pieces), ask.tokensMax ?? Number.POSITIVE_INFINITY),
    seed,
  };
}

/** All text, four for each message, and as many for each tool; media have a price of their own. */
export function promptTokens(
  messages: readonly DemoMessage[],
  tools: readonly Omit<DemoTool, "kind" | "namespace">[],
): number {
  const spoken = messages.reduce((sum, message) => sum + TOKENS_PER_MESSAGE + messageTokens(message), 0);
  return tools.reduce((sum, tool) => sum + toolTokens(tool), spoken);
}

export function messageTokens(message: Pick<DemoMessage, "text" | "media" | "calls">): number {
  const calls = message.calls.reduce((sum, call) => sum + 1 + countDemoTokens(call.arguments), 0);
  const { images, documents, sounds } = message.media;
  const media = images * TOKENS_PER_IMAGE + documents * TOKENS_PER_DOCUMENT + sounds * TOKENS_PER_SOUND;
  return countDemoTokens(message.text) + media + calls;
}

export function toolTokens(tool: Omit<DemoTool, "kind" | "namespace">): number {
  const parameters = tool.parameters === undefined ? "" : (jsonText(tool.parameters) ?? "");
  return (
    TOKENS_PER_MESSAGE +
    countDemoTokens(tool.name) +
    countDemoTokens(tool.description) +
    countDemoTokens(parameters)
  );
}

/**
 * The rule, in every dialect: a named choice calls that tool; a required one those that the last user message names
 * as words, in any case, or else the first; left to itself the demo calls those that the message names, unless a tool
 * has just answered. Several named tools are called together, where the request allows it.
 */
function toolsToCall(ask: DemoAsk): readonly DemoTool[] {
  const choice = ask.toolChoice;
  if (choice.kind === "none") return [];
  if (choice.kind === "named") return ask.tools.filter(tool => tool.name === choice.name).slice(0, 1);
  const mentioned = toolsMentioned(ask).slice(0, ask.parallelTools ? undefined : 1);
  if (choice.kind === "required") return mentioned.length > 0 ? mentioned : ask.tools.slice(0, 1);
  // Calling again after a result would keep an agent's loop going for ever.
  return lastResults(ask).length > 0 ? [] : mentioned;
}

function toolsMentioned(ask: DemoAsk): readonly DemoTool[] {
  if (ask.tools.length === 0) return [];
  const words = new Set((lastOfUser(ask)?.text ?? "").toLowerCase().split(/[^\p{L}\p{N}_-]+/u));
  return ask.tools.filter(tool => words.has(tool.name.toLowerCase()));
}

function lastOfUser(ask: DemoAsk): DemoMessage | undefined {
  return ask.messages.findLast(message => message.role === "user");
}

/** The results that the conversation ends with; instructions after them are not an answer to them. */
function lastResults(ask: DemoAsk): DemoMessage[] {
  const spoken = ask.messages.filter(message => message.role !== "instruction");
  return spoken.slice(spoken.findLastIndex(message => message.role !== "tool") + 1);
}

function thoughtOf(ask: DemoAsk, tools: readonly DemoTool[]): string {
  return thoughtBefore({
    tools: tools.map(tool => tool.name),
    afterResults: lastResults(ask).length > 0,
  });
}

function* afterThought(
  thought: string,
  pieces: Generator<DemoPiece, DemoFinish>,
): Generator<DemoPiece, DemoFinish> {
  for (const token of demoTokens(thought)) yield { kind: "thought", token };
  return yield* pieces;
}

function answerPieces(
  ask: DemoAsk,
  how: { settings: DemoSettings; tools: readonly DemoTool[]; seed: () => string },
): Generator<DemoPiece, DemoFinish> {
  if (how.settings.refuses) return refusalPieces();
  return how.tools.length > 0 ? callPieces(how) : textPieces(ask, how.settings.tokens);
}

function* refusalPieces(): Generator<DemoPiece, DemoFinish> {
  for (const token of demoTokens(REFUSAL)) yield { kind: "refusal", token };
  return { reason: "refusal" };
}

function* callPieces(how: {
  tools: readonly DemoTool[];
  seed: () => string;
}): Generator<DemoPiece, DemoFinish> {
  const seed = how.seed();
  for (const [index, tool] of how.tools.entries()) {
    const input = tool.kind === "custom" ? "demo input" : JSON.stringify(minimalObject(tool.parameters));
    yield { kind: "call", index, call: { id: digest(`${seed}/${index}`), tool, input } };
    for (const token of demoTokens(input)) yield { kind: "arguments", index, token };
  }
  return { reason: "calls" };
}

function* textPieces(ask: DemoAsk, length: number | null): Generator<DemoPiece, DemoFinish> {
  const tokens = untilStop(answerTokens(ask, length), ask.stops);
  let next = tokens.next();
  for (; !next.done; next = tokens.next()) yield { kind: "text", token: next.value };
  return next.value === null ? { reason: "stop" } : { reason: "sequence", sequence: next.value };
}

function answerTokens(ask: DemoAsk, length: number | null): Iterable<string> {
  if (ask.format.kind === "schema") return demoTokens(JSON.stringify(minimalObject(ask.format.schema)));
  const results = lastResults(ask);
  const text =
    results.length > 0
      ? answerToResults(results)
      : answerToUser(lastOfUser(ask) ?? { text: "", media: NO_MEDIA });
  if (ask.format.kind === "json") return demoTokens(JSON.stringify({ answer: text }));
  return length === null ? demoTokens(text) : longTokens(text).take(length);
}

function* atMost(pieces: Generator<DemoPiece, DemoFinish>, most: number): Generator<DemoPiece, DemoFinish> {
  for (let count = 0; ; count++) {
    const next = pieces.next();
    if (next.done) return next.value;
    if (count >= most) return { reason: "length" };
    yield next.value;
  }
}

export function digest(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 24);
}
