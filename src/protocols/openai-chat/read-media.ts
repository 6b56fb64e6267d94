import type { AudioPart, DocumentPart, ImagePart, MediaSource } from "../../domain/chat.ts";
import { objectOf, textOf, textOrNull } from "../json-value.ts";
import { dataSource, plainSource } from "../media-source.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { readCacheMark } from "./read-cache-mark.ts";

export type PartSpot = { part: Json; at: string; problems: Problems };

const PDF = "application/pdf";
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/i;

export function readImage({ part, at, problems }: PartSpot): ImagePart | null {
  const image = part["image_url"];
  const url = typeof image === "string" ? image : textOf(objectOf(image)["url"]);
  const source = sourceOf(url);
  if (source === null) {
    problems.add({
      at: `${at}.image_url.url`,
      clause: "must be a data URL in base64, or begin with https:// or http://",
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

export function readFile({ part, at, problems }: PartSpot): DocumentPart | null {
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
    problems.add({
      at: `${at}.file`,
      clause: "must have “file_data” as a data URL in base64, or a “file_id”",
    });
    return null;
  }
  return {
    kind: "document",
    source: plainSource(source),
    name: textOrNull(filename),
    cache: readCacheMark(part),
  };
}

export function readAudio({ part, at, problems }: PartSpot): AudioPart | null {
  const { data, format } = objectOf(part["input_audio"]);
  if (textOf(data) !== "" && textOf(format) !== "")
    return { kind: "audio", data: textOf(data), format: textOf(format) };
  problems.add({ at: `${at}.input_audio`, clause: "must have “data” and “format”" });
  return null;
}

/** Null where it is neither a data URL in base64 nor an address. */
function sourceOf(url: string): MediaSource | null {
  return /^https?:\/\//i.test(url) ? { kind: "url", url } : dataSource(url, DATA_URL);
}
