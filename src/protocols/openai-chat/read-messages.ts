import type { CacheMark, DocumentPart, ImagePart, Part, TextPart, Turn } from "../../domain/chat.ts";
import { isObject, textOf } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import { type MessageSpot, readAssistant } from "./read-assistant.ts";
import { readCacheMark } from "./read-cache-mark.ts";
import { readContent } from "./read-content.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

/** Results are messages of their own here. Those that stand together are one turn, for they answer one. */
export function readMessages(messages: unknown, problems: Problems): Turn[] {
  if (!Array.isArray(messages)) {
    problems.add({ at: "messages", clause: messages === undefined ? "is missing" : "must be a list" });
    return [];
  }
  if (messages.length === 0) problems.add({ at: "messages", clause: "is empty" });
  const reading = new Reading(problems);
  for (const [place, message] of messages.entries()) {
    const at = `messages[${place}]`;
    if (isObject(message)) reading.message({ message, at, problems });
    else problems.add({ at, clause: "must be an object" });
  }
  return reading.turns;
}

class Reading {
  readonly turns: Turn[] = [];
  readonly #problems: Problems;
  readonly #callIds = new Set<string>();
  /** Of calls without an id, the last of each name. */
  readonly #callsByName = new Map<string, string>();
  #results: Turn | null = null;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  message(spot: MessageSpot): void {
    const { message, at } = spot;
    const role = ROLES.find(name => name === message["role"]);
    if (role === "tool" || message["role"] === "function") this.#result(spot);
    else if (role === undefined)
      this.#problems.add({ at: `${at}.role`, clause: `must be one of ${ROLES.join(", ")}` });
    else this.#turn(spot, role);
  }

  #turn(spot: MessageSpot, role: Turn["role"]): void {
    const { message, at } = spot;
    const parts = role === "assistant" ? readAssistant(spot) : this.#said(spot, role);
    if (parts.length === 0) this.#empty(spot);
    for (const part of parts) if (part.kind === "tool-call") this.#remember(part.id, part.name);
    this.#results = null;
    this.turns.push({ role, parts: marked(parts, readCacheMark(message)), at });
  }

  #said({ message, at }: MessageSpot, role: "system" | "developer" | "user"): Part[] {
    return readContent({
      content: message["content"],
      at: `${at}.content`,
      takes: role === "user" ? ["text", "image_url", "input_audio", "file"] : ["text"],
      problems: this.#problems,
    });
  }

  #empty({ message, at }: MessageSpot): void {
    const clause = message["role"] === "assistant" ? "has neither content nor tool calls" : "has no content";
    this.#problems.add({ at, clause });
  }

  #remember(id: string, name: string): void {
    this.#callIds.add(id);
    this.#callsByName.set(name, id);
  }

  #result(spot: MessageSpot): void {
    const { message, at } = spot;
    const id = this.#callIdOf(spot);
    const content = readContent({
      content: message["role"] === "function" ? (message["content"] ?? "") : message["content"],
      at: `${at}.content`,
      takes: ["text", "image_url", "file"],
      problems: this.#problems,
    });
    if (content.length === 0) this.#empty(spot);
    const parts = content.filter(isResultPart);
    const cache = readCacheMark(message);
    if (this.#results === null) {
      this.#results = { role: "user", parts: [], at };
      this.turns.push(this.#results);
    }
    this.#results.parts.push({ kind: "tool-result", id, parts, isError: false, cache });
  }

  #callIdOf({ message, at }: MessageSpot): string {
    const isLegacy = message["role"] === "function";
    const field = isLegacy ? "name" : "tool_call_id";
    const given = textOf(message[field]);
    const id = isLegacy ? (this.#callsByName.get(given) ?? "") : given;
    if (given === "") this.#problems.add({ at: `${at}.${field}`, clause: "is missing" });
    else if (!this.#callIds.has(id))
      this.#problems.add({ at: `${at}.${field}`, clause: "names no tool call of an earlier message" });
    return id;
  }
}

function isResultPart(part: Part): part is TextPart | ImagePart | DocumentPart {
  return part.kind === "text" || part.kind === "image" || part.kind === "document";
}

/** A mark on the message is a mark on the last of its parts that can bear one. */
function marked(parts: readonly Part[], cache: CacheMark | null): Part[] {
  const last = cache === null ? -1 : parts.findLastIndex(part => "cache" in part);
  return parts.map((part, place) => (place === last && "cache" in part ? { ...part, cache } : part));
}
