import type { ChatCompletionContentPart } from "openai/resources/chat/completions";
import { isOpenAI } from "../../domain/catalogue.ts";
import type { CacheMark, DocumentPart, ImagePart, Part, TextPart } from "../../domain/chat.ts";
import { dataUrl, fileName, plainSource, titledText } from "../media-source.ts";
import type { PromptTarget } from "../protocol.ts";
import { takesCacheMarks } from "./model-traits.ts";

type CacheControl = { type: "ephemeral"; ttl?: string };
/** Routers take more kinds of sound than OpenAI does. */
type Sound = { type: "input_audio"; input_audio: { data: string; format: string } };
type OwnPart = Exclude<ChatCompletionContentPart, { type: "input_audio" }> | Sound;
export type WirePart = OwnPart & { cache_control?: CacheControl };
export type WireText = Extract<WirePart, { type: "text" }>;

/** Between texts that stood apart and have to be one. */
export const TEXT_BREAK = "\n\n";

/** The parts that a user's message can have; the others have messages of their own, or none. */
export function writeParts(parts: readonly Part[], target: PromptTarget): WirePart[] {
  return withoutBlanks(parts).flatMap(part => {
    const written = writePart(part);
    if (written === null) return [];
    return "cache" in part ? [withMark({ part: written, cache: part.cache, target })] : [written];
  });
}

function writePart(part: Part): WirePart | null {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return writeImage(part);
    case "document":
      return writeDocument(part);
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
    case "reasoning":
    case "refusal":
    case "tool-call":
    case "tool-result":
    case "foreign":
      return null;
    default:
      return part satisfies never;
  }
}

function writeImage({ source, detail }: ImagePart): WirePart | null {
  // Files of another provider are refused before.
  if (source.kind === "file") return null;
  const url = source.kind === "url" ? source.url : dataUrl(source);
  const known = (["auto", "low", "high", "original"] as const).find(name => name === detail);
  return { type: "image_url", image_url: known === undefined ? { url } : { url, detail: known } };
}

function writeDocument({ source: given, name }: DocumentPart): WirePart | null {
  const source = plainSource(given);
  switch (source.kind) {
    case "text":
      return { type: "text", text: titledText({ text: source.text, name }) };
    case "data": {
      const filename = fileName({ name, mediaType: source.mediaType });
      return { type: "file", file: { filename, file_data: dataUrl(source) } };
    }
    case "url":
    case "file":
      return null;
    default:
      return source satisfies never;
  }
}

type Marking<P extends WirePart> = { part: P; cache: CacheMark | null; target: PromptTarget };

export function withMark<P extends WirePart>({ part, cache, target }: Marking<P>): P {
  if (cache === null || !takesCacheMarks(target.model)) return part;
  const { ttl } = cache;
  return { ...part, cache_control: ttl === null ? { type: "ephemeral" } : { type: "ephemeral", ttl } };
}

/** Upstreams refuse a text of nothing. The cache mark on one goes to the part before, where the same prefix ends. */
export function withoutBlanks(parts: readonly Part[]): Part[] {
  const kept: Part[] = [];
  for (const part of parts) {
    if (part.kind !== "text" || part.text.trim() !== "") kept.push(part);
    else if (part.cache !== null) {
      const before = kept.at(-1);
      if (before !== undefined && "cache" in before && before.cache === null)
        kept[kept.length - 1] = { ...before, cache: part.cache };
    }
  }
  return kept;
}

/** A text as a text. Several are a list for OpenAI, and for others, who may not know lists, one text. */
export function contentOf(parts: readonly WirePart[], target: PromptTarget): string | WirePart[] {
  const texts = parts.filter(isPlainText);
  const isText = texts.length === parts.length && (texts.length <= 1 || !isOpenAI(target.kind));
  return isText ? texts.map(({ text }) => text).join(TEXT_BREAK) : [...parts];
}

function isPlainText(part: WirePart): part is WireText {
  return part.type === "text" && part.cache_control === undefined;
}

export function isText(part: Part): part is TextPart {
  return part.kind === "text";
}
