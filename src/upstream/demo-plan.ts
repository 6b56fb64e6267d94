import { minimalObject } from "./demo-json.ts";
import type { DemoSettings } from "./demo-settings.ts";
import {
  answerToToolResult,
  answerToUser,
  countDemoTokens,
  demoTokens,
  longTokens,
  untilStop,
} from "./demo-text.ts";

/** What was asked, whatever the dialect it was asked in. */
export type DemoAsk = {
  messages: readonly DemoMessage[];
  tools: readonly DemoTool[];
  toolChoice: { kind: "auto" | "none" | "required" } | { kind: "named"; name: string };
  format: { kind: "text" | "json" } | { kind: "schema"; schema: unknown };
  tokensMax: number | null;
  stops: readonly string[];
};

/** `calls` are the tool calls the model made in this message, each of which counts as prompt text. */
export type DemoMessage = {
  role: "instruction" | "user" | "assistant" | "tool";
  text: string;
  calls: readonly { name: string; arguments: string }[];
};

export type DemoTool = { name: string; parameters: unknown };

/** One token of the answer; the opening of a tool call, with its name, is one token. */
export type DemoPiece =
  | { kind: "text"; token: string }
  | { kind: "call"; index: number; id: string; name: string }
  | { kind: "arguments"; index: number; token: string };

export type DemoFinish = "stop" | "length" | "calls";

/** What to answer. `pieces` makes each token when it is asked for, so a million of them cost no memory. */
export type DemoPlan = {
  says: "text" | "calls";
  pieces: Generator<DemoPiece, DemoFinish>;
  promptTokens: number;
  usage: DemoSettings["usage"];
};

const TOKENS_PER_MESSAGE = 4;

export function planDemo(ask: DemoAsk, settings: DemoSettings): DemoPlan {
  const tools = toolsToCall(ask);
  const pieces = tools.length > 0 ? callPieces(ask, tools) : textPieces(ask, settings.tokens);
  return {
    says: tools.length > 0 ? "calls" : "text",
    pieces: atMost(pieces, ask.tokensMax ?? Number.POSITIVE_INFINITY),
    promptTokens: ask.messages.reduce((sum, message) => sum + messageTokens(message), 0),
    usage: settings.usage,
  };
}

function messageTokens(message: DemoMessage): number {
  const calls = message.calls.reduce((sum, call) => sum + 1 + countDemoTokens(call.arguments), 0);
  return TOKENS_PER_MESSAGE + countDemoTokens(message.text) + calls;
}

function toolsToCall(ask: DemoAsk): readonly DemoTool[] {
  const choice = ask.toolChoice;
  if (choice.kind === "none") return [];
  if (choice.kind === "named") return ask.tools.filter(tool => tool.name === choice.name).slice(0, 1);
  const mentioned = toolsMentioned(ask);
  if (choice.kind === "required") return mentioned.length > 0 ? mentioned : ask.tools.slice(0, 1);
  // Calling again after a result would keep an agent's loop going for ever.
  return ask.messages.at(-1)?.role === "tool" ? [] : mentioned;
}

function toolsMentioned(ask: DemoAsk): readonly DemoTool[] {
  if (ask.tools.length === 0) return [];
  const words = new Set(
    lastUserText(ask)
      .toLowerCase()
      .split(/[^\p{L}\p{N}_-]+/u),
  );
  return ask.tools.filter(tool => words.has(tool.name.toLowerCase()));
}

function lastUserText(ask: DemoAsk): string {
  return ask.messages.findLast(message => message.role === "user")?.text ?? "";
}

function* callPieces(ask: DemoAsk, tools: readonly DemoTool[]): Generator<DemoPiece, DemoFinish> {
  // Only the conversation decides, so that the ids are the same streamed or whole.
  const seed = digest(JSON.stringify(ask.messages));
  for (const [index, tool] of tools.entries()) {
    yield { kind: "call", index, id: `call_${digest(`${seed}/${index}`)}`, name: tool.name };
    for (const token of demoTokens(JSON.stringify(minimalObject(tool.parameters)))) {
      yield { kind: "arguments", index, token };
    }
  }
  return "calls";
}

function* textPieces(ask: DemoAsk, length: number | null): Generator<DemoPiece, DemoFinish> {
  for (const token of untilStop(answerTokens(ask, length), ask.stops)) yield { kind: "text", token };
  return "stop";
}

function answerTokens(ask: DemoAsk, length: number | null): Iterable<string> {
  const last = ask.messages.at(-1);
  const text = last?.role === "tool" ? answerToToolResult(last.text) : answerToUser(lastUserText(ask));
  switch (ask.format.kind) {
    case "json":
      return demoTokens(JSON.stringify({ answer: text }));
    case "schema":
      return demoTokens(JSON.stringify(minimalObject(ask.format.schema)));
    case "text":
      return length === null ? demoTokens(text) : longTokens(text).take(length);
  }
}

function* atMost(pieces: Generator<DemoPiece, DemoFinish>, most: number): Generator<DemoPiece, DemoFinish> {
  for (let count = 0; ; count++) {
    const next = pieces.next();
    if (next.done) return next.value;
    if (count >= most) return "length";
    yield next.value;
  }
}

export type DemoUsage = { prompt: number | string; completion: number | string; total: number | string };

const HUGE_TOKENS = 1_000_000_000_000_000;

/** What the answer says it used: the truth, unless the settings ask for one of the lies upstreams tell. */
export function usageOf(plan: DemoPlan, completionTokens: number): DemoUsage | null {
  const prompt = plan.promptTokens;
  const total = prompt + completionTokens;
  switch (plan.usage) {
    case "honest":
      return { prompt, completion: completionTokens, total };
    case "none":
      return null;
    case "negative":
      return { prompt: -prompt, completion: -completionTokens, total: -total };
    case "huge":
      return { prompt: HUGE_TOKENS, completion: HUGE_TOKENS, total: 2 * HUGE_TOKENS };
    case "text":
      return { prompt: String(prompt), completion: String(completionTokens), total: String(total) };
  }
}

export function digest(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 24);
}
