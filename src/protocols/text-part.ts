import type { TextPart } from "../domain/chat.ts";
import { listOf, objectOf, textOf } from "./json-value.ts";

/** A text that nothing else was said of. */
export function textPart(text: string): TextPart {
  return { kind: "text", text, citations: [], cache: null };
}

/** The texts of a list of parts, on whatever wire, as paragraphs of one. */
export function joinedTexts(parts: unknown): string {
  return listOf(parts)
    .map(part => textOf(objectOf(part)["text"]))
    .filter(text => text !== "")
    .join("\n\n");
}
