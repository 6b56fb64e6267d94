import type { Part, ToolResultPart, Turn } from "../../domain/chat.ts";
import { carriedSeal } from "../carry-seal.ts";
import { isAbsent, isObject, listOf, textOf, textOrNull } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { textPart } from "../text-part.ts";
import { type ContentPart, readContent } from "./read-content.ts";
import { argumentsOf, readReasoning } from "./read-item.ts";
import { type PlacedTool, placedTools, readNamespace } from "./read-tools.ts";
import { requiredText } from "./required-text.ts";

export type Input = {
  turns: Turn[];
  /** Some clients send their tools as an item, too. */
  tools: PlacedTool[];
};

const ROLES = ["system", "developer", "user", "assistant"] as const;

/** Made for, or by, one provider alone, beside all whose names end in `_call` or `_output`. */
const FOREIGN = new Set([
  "agent_message",
  "compaction",
  "configuration_update",
  "context_compaction",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_list_tools",
  "program",
]);

export function readInput(input: unknown, problems: Problems): Input {
  if (typeof input === "string" && input !== "")
    return { turns: [{ role: "user", parts: [textPart(input)], at: "input" }], tools: [] };
  const reader = new InputReader(problems);
  if (isAbsent(input)) problems.add({ at: "input", clause: "is missing" });
  else if (typeof input !== "string" && !Array.isArray(input))
    problems.add({ at: "input", clause: "must be a text or a list of items" });
  for (const [place, item] of listOf(input).entries()) reader.read(item, `input[${place}]`);
  if (reader.isEmpty) problems.add({ at: "input", clause: "is empty" });
  return { turns: reader.turns, tools: reader.tools };
}

/** Whose words an item is: an answer is gathered to one turn, and so are the outputs that follow it. */
type Side = "answer" | "outputs";

class InputReader {
  readonly turns: Turn[] = [];
  readonly tools: PlacedTool[] = [];
  readonly #problems: Problems;
  /** The calls so far, and whether others than their maker can know of them. */
  readonly #calls = new Map<string, "known" | "foreign">();
  #gathering: { side: Side; turn: Turn } | null = null;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  get isEmpty(): boolean {
    return this.turns.length === 0;
  }

  read(item: unknown, at: string): void {
    if (!isObject(item)) {
      this.#problems.add({ at, clause: "must be an object" });
      return;
    }
    switch (itemType(item)) {
      case "message":
        this.#readMessage(item, at);
        break;
      case "function_call":
      case "custom_tool_call":
        this.#readCall(item, at);
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        this.#readOutput(item, at);
        break;
      case "reasoning":
        this.#readReasoning(item, at);
        break;
      case "additional_tools":
        this.tools.push(...placedTools(item["tools"], `${at}.tools`));
        break;
      case "tool_search_output":
        // What a search found may be called from here on, whoever searched.
        this.tools.push(...placedTools(item["tools"], `${at}.tools`));
        this.#readForeign(item, at);
        break;
      default:
        this.#readOther(item, at);
    }
  }

  #readMessage(item: Json, at: string): void {
    const role = ROLES.find(known => known === item["role"]);
    if (role === undefined) {
      this.#problems.add({ at: `${at}.role`, clause: `must be one of ${ROLES.join(", ")}` });
      return;
    }
    const parts = readContent({ value: item["content"], at: `${at}.content`, problems: this.#problems });
    if (parts.length === 0) return;
    if (role === "assistant") this.#gather({ side: "answer", parts, at });
    else {
      this.turns.push({ role, parts, at });
      this.#gathering = null;
    }
  }

  #readCall(item: Json, at: string): void {
    const isCustom = item["type"] === "custom_tool_call";
    const id = this.#required(item, { field: "call_id", at });
    const name = this.#required(item, { field: "name", at });
    const given = item[isCustom ? "input" : "arguments"];
    if (typeof given !== "string")
      this.#problems.add({ at: `${at}.${isCustom ? "input" : "arguments"}`, clause: "must be a text" });
    this.#calls.set(id, "known");
    const input = isCustom ? textOf(given) : argumentsOf(given);
    const tool = isCustom ? "custom" : "function";
    const namespace = readNamespace(item["namespace"]);
    this.#gather({
      side: "answer",
      parts: [{ kind: "tool-call", id, name, input, tool, namespace, cache: null }],
      at,
    });
  }

  #readOutput(item: Json, at: string): void {
    const id = this.#required(item, { field: "call_id", at });
    const call = this.#calls.get(id);
    if (call === "foreign") {
      this.#readForeign(item, at);
      return;
    }
    if (call === undefined && id !== "")
      this.#problems.add({
        at: `${at}.call_id`,
        clause: `names a call that does not stand before it: ${id.slice(0, 100)}`,
      });
    const content = readContent({ value: item["output"], at: `${at}.output`, problems: this.#problems });
    const parts = content.flatMap(part => this.#resultPart(part, at));
    this.#gather({
      side: "outputs",
      parts: [{ kind: "tool-result", id, parts, isError: false, cache: null }],
      at,
    });
  }

  #resultPart(part: ContentPart, at: string): ToolResultPart["parts"] {
    switch (part.kind) {
      case "refusal":
        return [textPart(part.text)];
      case "audio":
        this.#problems.add({ at: `${at}.output`, clause: "has audio, which no tool can give back" });
        return [];
      default:
        return [part];
    }
  }

  #readReasoning(item: Json, at: string): void {
    const { text, seal: own } = readReasoning(item);
    const seal = own === null ? null : (carriedSeal(own.value) ?? own);
    if (text !== "" || seal !== null)
      this.#gather({ side: "answer", parts: [{ kind: "reasoning", text, seal }], at });
  }

  #readOther(item: Json, at: string): void {
    const type = itemType(item);
    if (type === "item_reference")
      this.#problems.add({
        at,
        clause:
          "refers to an item that is not kept here; send the item itself instead, as clients do with “store” set to false",
      });
    else if (type === "compaction_trigger")
      this.#problems.add({
        at,
        clause: "asks for a compaction, which the upstream of this model does not make",
      });
    else if (FOREIGN.has(type) || /_(call|output)$/.test(type)) this.#readForeign(item, at);
    else if (type === "") this.#problems.add({ at: `${at}.type`, clause: "is missing" });
    else
      this.#problems.add({
        at: `${at}.type`,
        clause: `has a value that is not known here: ${type.slice(0, 100)}`,
      });
  }

  #readForeign(item: Json, at: string): void {
    const type = itemType(item);
    const id = textOrNull(item["call_id"]);
    if (id !== null && type.endsWith("_call")) this.#calls.set(id, "foreign");
    const isAnswer = !/_(output|response)$/.test(type);
    this.#gather({ side: isAnswer ? "answer" : "outputs", parts: [{ kind: "foreign", type }], at });
  }

  #gather({ side, parts, at }: { side: Side; parts: Part[]; at: string }): void {
    if (this.#gathering?.side === side) {
      this.#gathering.turn.parts.push(...parts);
      return;
    }
    const turn: Turn = { role: side === "answer" ? "assistant" : "user", parts: [...parts], at };
    this.turns.push(turn);
    this.#gathering = { side, turn };
  }

  #required(item: Json, { field, at }: { field: string; at: string }): string {
    return requiredText(item, { field, at, problems: this.#problems });
  }
}

/** Messages may leave their type out, and so may references. */
function itemType(item: Json): string {
  const { type, role, id } = item;
  if (!isAbsent(type)) return textOf(type);
  if (!isAbsent(role)) return "message";
  return isAbsent(id) ? "" : "item_reference";
}
