import type { Dialect } from "../../src/domain/usage.ts";
import { type Fields, fields, text } from "./wire.ts";

/** What a scripted upstream understands of a request, whatever its dialect, and what it can say. */

export type Offer = {
  name: string;
  /** Of its input; empty where it takes free text. */
  properties: Fields;
  kind: "function" | "custom";
  namespace: string | null;
};

export type Result = {
  text: string;
  /** Null where the dialect has no field for it. */
  isError: boolean | null;
};

export type Heard = {
  dialect: Dialect;
  model: string;
  stream: boolean;
  /** Everything that was said so far by anyone, as text. */
  said: string;
  tools: Offer[];
  results: Result[];
  /** What came back of earlier reasoning: its signature, or its text where the dialect signs nothing. */
  reasonings: string[];
};

/** A custom tool takes a text, any other fields. */
export type Call = { tool: Offer; input: Fields | string };

export type Move = { reasoning: string | null; text: string | null; calls: Call[] };

export const INPUT_TOKENS = 1200;
export const OUTPUT_TOKENS = 34;

export type Voice = {
  dialect: Dialect;
  /** Where clients of the dialect post to. */
  path: string;
  hear: (body: Fields) => Heard;
  /** As a stream of events. */
  speak: (move: Move, about: Utterance) => string;
  /** The same as one JSON object. */
  write: (move: Move, about: Utterance) => Fields;
};

export type Utterance = { id: string; model: string };

/** What an upstream wants back with the history of a turn, so that a test can look for it. */
export function signatureOf(reasoning: string): string {
  return Buffer.from(`signed: ${reasoning}`).toString("base64");
}

/** What one item of a conversation has to do with tools; `other` is anything that is said. */
export type Exchange =
  | { kind: "call"; id: string }
  | { kind: "result"; id: string; result: Result }
  | { kind: "other" };

/**
 * The results in the order of their calls: clients that run tools at once may report them as they end. Upstreams refuse
 * a call whose result does not follow before anything else is said, and a result without its call.
 */
export function inOrder(exchanges: readonly Exchange[]): Result[] {
  const results = new Map<string, Result | null>();
  const isOpen = () => [...results.values()].includes(null);
  for (const exchange of exchanges) {
    if (exchange.kind === "call") {
      if (results.has(exchange.id)) throw new Error(`two calls have the id ${exchange.id}`);
      results.set(exchange.id, null);
    } else if (exchange.kind === "result") {
      if (results.get(exchange.id) !== null) throw new Error(`${exchange.id} has a result too many`);
      results.set(exchange.id, exchange.result);
    } else if (isOpen()) throw new Error("something is said between a call and its result");
  }
  if (isOpen()) throw new Error("a call has no result");
  return [...results.values()].filter(result => result !== null);
}

/** A function tool as most dialects have it. */
export function functionOffer(name: unknown, schema: unknown): Offer {
  const properties = fields(fields(schema)["properties"]);
  return { name: text(name), properties, kind: "function", namespace: null };
}

/** In two pieces, as models write. */
export function halves(whole: string): [string, string] {
  const middle = Math.ceil(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)];
}

export function event(data: Fields, named: boolean): string {
  return `${named ? `event: ${data["type"]}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
}
