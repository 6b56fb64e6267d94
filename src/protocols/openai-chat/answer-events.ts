import type { Citation, ReplyEvent } from "../../domain/chat.ts";
import type { Usage } from "../../domain/usage.ts";
import { isObject, listOf, objectOf, textOf, textOrNull } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { AnswerCalls } from "./answer-calls.ts";
import { AnswerParts } from "./answer-parts.ts";
import { detailsText } from "./reasoning-details.ts";
import { readStop } from "./stop.ts";

export type AnswerEnd = { raw: unknown; matched: unknown; usage: Usage | null };

/** Calls of the time before tools have no index of their own. */
const LEGACY_INDEX = -1;

/**
 * An answer as events. A stream's pieces and a whole message have the same fields, so both are read here, and a message
 * read whole is what its stream comes to.
 */
export class AnswerEvents {
  readonly #parts = new AnswerParts();
  readonly #calls: AnswerCalls;

  constructor(answerId: string) {
    this.#calls = new AnswerCalls(this.#parts, answerId);
  }

  read(delta: Json): ReplyEvent[] {
    this.#reasoning(delta);
    this.#content(delta["content"]);
    // They belong to the text, which a refusal would end.
    for (const annotation of listOf(delta["annotations"])) this.#annotation(annotation);
    this.#parts.refusal(textOf(delta["refusal"]));
    if (isObject(delta["function_call"]))
      this.#calls.add({ index: LEGACY_INDEX, function: delta["function_call"] });
    for (const call of listOf(delta["tool_calls"])) if (isObject(call)) this.#calls.add(call);
    return this.#parts.take();
  }

  end({ raw, matched, usage }: AnswerEnd): ReplyEvent[] {
    this.#calls.end();
    const stop = readStop({ raw, matched, hasCalls: this.#calls.any, hasRefusal: this.#parts.hasRefusal });
    return [...this.#parts.take(), { kind: "end", stop, usage }];
  }

  /** Where several fields have it, they have the same. */
  #reasoning({ reasoning_content, reasoning, reasoning_details }: Json): void {
    const content = textOf(reasoning_content);
    const text = content || textOf(reasoning) || detailsText(reasoning_details);
    this.#parts.reasoning(text, content === "" ? "reasoning" : "reasoning_content");
    this.#parts.details(reasoning_details);
  }

  /** Mistral has a list where its models think. */
  #content(content: unknown): void {
    if (typeof content === "string") this.#parts.content(content);
    for (const part of listOf(content)) {
      const { type, text, thinking } = objectOf(part);
      if (type === "text") this.#parts.content(textOf(text));
      if (type === "thinking") this.#parts.reasoning(thinkingText(thinking), "thinking");
    }
  }

  #annotation(annotation: unknown): void {
    const { type, url_citation } = objectOf(annotation);
    const citation = type === "url_citation" ? citationOf(objectOf(url_citation)) : null;
    if (citation !== null) this.#parts.cite(citation);
  }
}

export function thinkingText(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  return listOf(thinking)
    .map(part => textOf(objectOf(part)["text"]))
    .join("");
}

function citationOf({ url, title, content }: Json): Citation | null {
  return typeof url === "string" && url !== ""
    ? { url, title: textOrNull(title), quote: textOrNull(content) }
    : null;
}
