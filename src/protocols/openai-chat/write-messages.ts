import { isOpenAI } from "../../domain/catalogue.ts";
import type { Part, ToolResultPart, Turn } from "../../domain/chat.ts";
import { isObject, listOf, textOf } from "../json-value.ts";
import type { Json, PromptTarget } from "../protocol.ts";
import { writeAssistant } from "./write-assistant.ts";
import { contentOf, type WirePart, withoutBlanks, writeParts } from "./write-parts.ts";
import { writeResult } from "./write-results.ts";

/** A message, and the results that have to stand right behind it because its calls asked for them. */
type Entry = { message: Json; results: Json[] };

export function writeMessages(turns: readonly Turn[], target: PromptTarget): Json[] {
  const writing = new Writing(target);
  for (const { role, parts } of joined(turns)) {
    if (role === "assistant") writing.assistant(parts);
    else if (role === "user") writing.user(parts);
    else writing.instructions(role, parts);
  }
  return writing.entries.flatMap(({ message, results }) => [message, ...results]);
}

class Writing {
  readonly entries: Entry[] = [];
  readonly #target: PromptTarget;
  readonly #askedBy = new Map<string, Entry>();

  constructor(target: PromptTarget) {
    this.#target = target;
  }

  assistant(parts: readonly Part[]): void {
    const message = writeAssistant(parts, this.#target);
    if (message === null) return;
    const entry = this.#add(message);
    for (const call of listOf(message["tool_calls"]))
      if (isObject(call)) this.#askedBy.set(textOf(call["id"]), entry);
  }

  user(parts: readonly Part[]): void {
    const media = parts.filter(isResult).flatMap(part => this.#result(part));
    this.#say("user", [...media, ...writeParts(parts, this.#target)]);
  }

  /** Only OpenAI knows developers; to everybody else they speak as the system. */
  instructions(role: "system" | "developer", parts: readonly Part[]): void {
    const texts = writeParts(parts, this.#target).filter(({ type }) => type === "text");
    this.#say(isOpenAI(this.#target.kind) ? role : "system", texts);
  }

  #result(part: ToolResultPart): WirePart[] {
    const { callId, message, media } = writeResult(part, this.#target);
    const asked = this.#askedBy.get(callId);
    if (asked === undefined) this.#add(message);
    else asked.results.push(message);
    return media;
  }

  #say(role: string, parts: readonly WirePart[]): void {
    if (parts.length > 0) this.#add({ role, content: contentOf(parts, this.#target) });
  }

  #add(message: Json): Entry {
    const entry = { message, results: [] };
    this.entries.push(entry);
    return entry;
  }
}

function isResult(part: Part): part is ToolResultPart {
  return part.kind === "tool-result";
}

type Said = Pick<Turn, "role"> & { parts: Part[] };

/** Many upstreams want users and models to take turns, and all want the calls of one step in one message. */
function joined(turns: readonly Turn[]): Said[] {
  const said: Said[] = [];
  for (const { role, parts } of turns) {
    if (withoutBlanks(parts).length === 0) continue;
    const last = said.at(-1);
    if (last?.role === role && (role === "user" || role === "assistant")) last.parts.push(...parts);
    else said.push({ role, parts: [...parts] });
  }
  return said;
}
