import type { Tool } from "../domain/chat.ts";
import { objectOf, parsedObject, stringOrNull } from "./json-value.ts";

type CustomTool = Extract<Tool, { kind: "custom" }>;
type FunctionTool = Extract<Tool, { kind: "function" }>;

const SCHEMA = {
  type: "object",
  properties: { input: { type: "string", description: "The input of the tool, as plain text." } },
  required: ["input"],
  additionalProperties: false,
} as const;

/** A tool that takes free text, for an upstream that has functions only: a function of one text. */
export function customAsFunction({ name, description, format, cache }: CustomTool): FunctionTool {
  const about = [description, grammarText(format)].filter(text => text !== null && text !== "");
  return {
    kind: "function",
    name,
    description: about.length === 0 ? null : about.join("\n\n"),
    schema: SCHEMA,
    strict: null,
    namespace: null,
    cache,
  };
}

/** The input of such a tool as the arguments of the function that stands for it. */
export function wrapped(input: string): string {
  return JSON.stringify({ input });
}

/** And back; what is no such JSON is the input as it is. */
export function unwrapped(given: string): string {
  return stringOrNull(parsedObject(given)?.["input"]) ?? given;
}

/** Only the model can keep to a grammar that the upstream does not know, so it is told. */
function grammarText(format: unknown): string | null {
  const { type, grammar, ...flat } = objectOf(format);
  if (type !== "grammar") return null;
  // Chat has the same two fields one step further in.
  const { syntax, definition } = grammar === undefined ? flat : objectOf(grammar);
  if (typeof definition !== "string") return null;
  const kind = syntax === "regex" ? "regular expression" : `${syntax === "lark" ? "Lark " : ""}grammar`;
  return `The input must match this ${kind}:\n${definition}`;
}
