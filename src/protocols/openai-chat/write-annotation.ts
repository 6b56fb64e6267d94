import type { ChatCompletionMessage } from "openai/resources/chat/completions";
import type { Citation } from "../../domain/chat.ts";

export type CitedText = { citation: Citation; start: number; end: number };

type Place = ChatCompletionMessage.Annotation.URLCitation & { content?: string };

/** The dialect points at the text that leans on a source; what the source says goes along where it is known. */
export function writeAnnotation({ citation, start, end }: CitedText): ChatCompletionMessage.Annotation {
  const { url, title, quote } = citation;
  const place: Place = { start_index: start, end_index: end, title: title ?? "", url };
  if (quote !== null) place.content = quote;
  return { type: "url_citation", url_citation: place };
}
