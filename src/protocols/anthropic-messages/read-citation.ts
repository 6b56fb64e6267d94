import type { Citation } from "../../domain/chat.ts";
import { listOf, objectOf, textOf } from "../json-value.ts";

/** Only what has an address can be cited outside of the documents of this very request. */
export function readCitation(value: unknown): Citation | null {
  const cited = objectOf(value);
  const url = textOf(cited["url"] ?? cited["source"]);
  if (!/^https?:\/\//.test(url)) return null;
  return { url, title: textOf(cited["title"]) || null, quote: textOf(cited["cited_text"]) || null };
}

export function readCitations(values: unknown): Citation[] {
  return listOf(values).flatMap(value => readCitation(value) ?? []);
}
