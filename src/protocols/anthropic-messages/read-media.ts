import type { DocumentPart, ImagePart, MediaSource, TextPart } from "../../domain/chat.ts";
import { listOf, objectOf, stringOrNull, textOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { joinedTexts, textPart } from "../text-part.ts";
import { readCache } from "./read-cache.ts";
import { type Reading, required } from "./reading.ts";

export function readImage({ block, at, problems }: Reading): ImagePart[] {
  const source = readSource({ block: objectOf(block["source"]), at: `${at}.source`, problems });
  return source === null ? [] : [{ kind: "image", source, detail: null, cache: readCache(block) }];
}

/** What was said about a document stands before it, and pictures out of its middle behind it. */
export function readDocument(reading: Reading): (TextPart | DocumentPart | ImagePart)[] {
  const { block, at, problems } = reading;
  const context = textOf(block["context"]);
  const about: TextPart[] = context === "" ? [] : [textPart(context)];
  const given = objectOf(block["source"]);
  const from = { block: given, at: `${at}.source`, problems };
  const source = given["type"] === "text" || given["type"] === "content" ? inlined(given) : readSource(from);
  if (source === null) return [];
  const name = stringOrNull(block["title"]);
  const pictures = listOf(given["type"] === "content" ? given["content"] : []).flatMap((inner, place) => {
    const picture = objectOf(inner);
    if (picture["type"] !== "image") return [];
    return readImage({ block: picture, at: `${at}.source.content[${place}]`, problems });
  });
  return [...about, { kind: "document", source, name, cache: readCache(block) }, ...pictures];
}

/** The texts of a list of blocks, or the text that stands in its place. */
export function contentText(content: unknown): string {
  return typeof content === "string" ? content : joinedTexts(content);
}

function inlined(source: Json): { kind: "text"; text: string } {
  const text = source["type"] === "text" ? textOf(source["data"]) : contentText(source["content"]);
  return { kind: "text", text };
}

function readSource({ block, at, problems }: Reading): MediaSource | null {
  switch (block["type"]) {
    case "base64": {
      const mediaType = required({ block, at, problems }, "media_type");
      const data = required({ block, at, problems }, "data");
      return mediaType === null || data === null ? null : { kind: "data", mediaType, data };
    }
    case "url": {
      const url = required({ block, at, problems }, "url");
      return url === null ? null : { kind: "url", url };
    }
    case "file": {
      const id = required({ block, at, problems }, "file_id");
      return id === null ? null : { kind: "file", id };
    }
    default:
      problems.add({ at: `${at}.type`, clause: "must be one of base64, url, file, text, content" });
      return null;
  }
}
