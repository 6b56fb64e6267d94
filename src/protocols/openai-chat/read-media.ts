import type { AudioPart, DocumentPart, ImagePart, MediaSource } from "../../domain/chat.ts";
import { objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import type { Faults } from "./faults.ts";
import { textOf, textOrNull } from "./json-shape.ts";
import { readCacheMark } from "./read-cache-mark.ts";

export type PartSpot = { part: Json; at: string; faults: Faults };

const PDF = "application/pdf";
const HEADER_CHARACTERS_MAX = 200;

export function readImage({ part, at, faults }: PartSpot): ImagePart | null {
  const image = part["image_url"];
  const url = typeof image === "string" ? image : textOf(objectOf(image)["url"]);
  const source = sourceOf(url);
  if (source === null) {
    faults.add({
      at: `${at}.image_url.url`,
      is: "must be a data URL in base64, or begin with https:// or http://",
    });
    return null;
  }
  return {
    kind: "image",
    source,
    detail: textOrNull(objectOf(image)["detail"]),
    cache: readCacheMark(part),
  };
}

export function readFile({ part, at, faults }: PartSpot): DocumentPart | null {
  const { file_data, file_id, filename } = objectOf(part["file"]);
  const data = textOf(file_data);
  // Data without a header is what OpenAI takes for a PDF.
  const source: MediaSource | null =
    data !== ""
      ? (sourceOf(data) ?? (data.includes(":") ? null : { kind: "data", mediaType: PDF, data }))
      : textOf(file_id) === ""
        ? null
        : { kind: "file", id: textOf(file_id) };
  if (source === null) {
    faults.add({ at: `${at}.file`, is: "must have “file_data” as a data URL in base64, or a “file_id”" });
    return null;
  }
  return { kind: "document", source: plain(source), name: textOrNull(filename), cache: readCacheMark(part) };
}

export function readAudio({ part, at, faults }: PartSpot): AudioPart | null {
  const { data, format } = objectOf(part["input_audio"]);
  if (textOf(data) !== "" && textOf(format) !== "")
    return { kind: "audio", data: textOf(data), format: textOf(format) };
  faults.add({ at: `${at}.input_audio`, is: "must have “data” and “format”" });
  return null;
}

/** Null where it is neither a data URL in base64 nor an address. The data may be large: only its header is searched. */
function sourceOf(url: string): MediaSource | null {
  if (/^https?:\/\//i.test(url)) return { kind: "url", url };
  const header = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/i.exec(
    url.slice(0, HEADER_CHARACTERS_MAX),
  );
  if (header === null) return null;
  return { kind: "data", mediaType: textOf(header[1]).toLowerCase(), data: url.slice(header[0].length) };
}

/** Texts are files for some and text for others: as text everybody takes them. */
function plain(source: MediaSource): DocumentPart["source"] {
  if (source.kind !== "data" || !source.mediaType.startsWith("text/")) return source;
  return { kind: "text", text: Buffer.from(source.data, "base64").toString("utf8") };
}
