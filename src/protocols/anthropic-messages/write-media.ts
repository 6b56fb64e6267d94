import type { DocumentBlockParam, ImageBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { DocumentPart, ImagePart } from "../../domain/chat.ts";
import type { Problems } from "../problems.ts";
import { writeCache } from "./write-cache.ts";

type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";
const IMAGE_TYPES: readonly ImageType[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const TEXT_TYPE = /^(text\/|application\/(json|xml|x-ndjson|yaml|x-yaml|toml|javascript)\b)/;

/** Where the client wrote the turn that the part is of. */
export type MediaWriting = { at: string; problems: Problems };

export function writeImage({ source, cache }: ImagePart, { at, problems }: MediaWriting): ImageBlockParam[] {
  switch (source.kind) {
    case "data": {
      const type = source.mediaType.toLowerCase().replace("image/jpg", "image/jpeg");
      const media_type = IMAGE_TYPES.find(known => known === type);
      if (media_type === undefined) {
        const clause = `has an image of the type ${source.mediaType}; this model takes JPEG, PNG, GIF and WebP`;
        problems.add({ at, clause });
        return [];
      }
      const { data } = source;
      return [{ type: "image", source: { type: "base64", media_type, data }, ...writeCache(cache) }];
    }
    case "url":
      return [{ type: "image", source: { type: "url", url: source.url }, ...writeCache(cache) }];
    case "file":
      problems.add({ at, clause: "has an image by the id of a file, which is kept by another provider" });
      return [];
    default:
      return source satisfies never;
  }
}

export function writeDocument(part: DocumentPart, { at, problems }: MediaWriting): DocumentBlockParam[] {
  const { source, name, cache } = part;
  const rest = { ...(name !== null && name !== "" && { title: name }), ...writeCache(cache) };
  switch (source.kind) {
    case "text":
      return textDocument(source.text, rest);
    case "url":
      return [{ type: "document", source: { type: "url", url: source.url }, ...rest }];
    case "data": {
      const { mediaType, data } = source;
      if (TEXT_TYPE.test(mediaType)) return textDocument(Buffer.from(data, "base64").toString("utf8"), rest);
      if (mediaType === "application/pdf")
        return [{ type: "document", source: { type: "base64", media_type: mediaType, data }, ...rest }];
      problems.add({
        at,
        clause: `has a file of the type ${mediaType}; this model takes PDF and plain text`,
      });
      return [];
    }
    case "file":
      problems.add({ at, clause: "has a document by the id of a file, which is kept by another provider" });
      return [];
    default:
      return source satisfies never;
  }
}

type DocumentRest = Omit<DocumentBlockParam, "type" | "source">;

/** A document without a word in it is refused. */
function textDocument(data: string, rest: DocumentRest): DocumentBlockParam[] {
  if (data.trim() === "") return [];
  return [{ type: "document", source: { type: "text", media_type: "text/plain", data }, ...rest }];
}
