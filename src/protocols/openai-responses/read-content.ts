import type {
  AudioPart,
  CacheMark,
  Citation,
  DocumentPart,
  ImagePart,
  MediaSource,
  RefusalPart,
  TextPart,
} from "../../domain/chat.ts";
import { isAbsent, isObject, listOf, objectOf, textOf, textOrNull } from "../json-value.ts";
import { dataSource, plainSource } from "../media-source.ts";
import type { Problems } from "../problems.ts";
import type { Json } from "../protocol.ts";
import { textPart } from "../text-part.ts";

export type ContentPart = TextPart | RefusalPart | ImagePart | DocumentPart | AudioPart;

export type Placed = { value: unknown; at: string; problems: Problems };
type PlacedObject = { value: Json; at: string; problems: Problems };

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.=+-]*)*?;base64,/i;

/** What a message or the output of a tool says: one text, or a list of parts. */
export function readContent({ value, at, problems }: Placed): ContentPart[] {
  if (typeof value === "string") return value === "" ? [] : [textPart(value)];
  if (!Array.isArray(value)) {
    problems.add({ at, clause: isAbsent(value) ? "is missing" : "must be a text or a list of parts" });
    return [];
  }
  return value.flatMap((part: unknown, place) => readPart({ value: part, at: `${at}[${place}]`, problems }));
}

/** Only an address can be cited in every dialect: files and containers are known to their own provider alone. */
export function readCitation(annotation: unknown): Citation | null {
  const { type, url, title } = objectOf(annotation);
  return type === "url_citation" && typeof url === "string"
    ? { url, title: textOrNull(title), quote: null }
    : null;
}

export function readCitations(annotations: unknown): Citation[] {
  return listOf(annotations)
    .map(readCitation)
    .filter(citation => citation !== null);
}

function readPart({ value, at, problems }: Placed): ContentPart[] {
  if (!isObject(value)) {
    problems.add({ at, clause: "must be an object" });
    return [];
  }
  const placed = { value, at, problems };
  switch (value["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return readText(placed);
    case "refusal":
      return [{ kind: "refusal", text: textOf(value["refusal"]) }];
    case "input_image":
      return readImage(placed);
    case "input_file":
      return readFile(placed);
    case "input_audio":
      return readAudio(placed);
    default:
      problems.add({
        at: `${at}.type`,
        clause: "must be one of input_text, output_text, refusal, input_image, input_file, input_audio",
      });
      return [];
  }
}

function readText({ value, at, problems }: PlacedObject): TextPart[] {
  const { text, annotations } = value;
  if (typeof text === "string")
    return [{ kind: "text", text, citations: readCitations(annotations), cache: cacheMark(value) }];
  problems.add({ at: `${at}.text`, clause: "must be a text" });
  return [];
}

function readImage({ value, at, problems }: PlacedObject): ImagePart[] {
  const url = value["image_url"];
  const file = textOrNull(value["file_id"]);
  const kept: MediaSource | null = file === null ? null : { kind: "file", id: file };
  const source = isAbsent(url) ? kept : mediaAt(url);
  if (source !== null)
    return [{ kind: "image", source, detail: textOrNull(value["detail"]), cache: cacheMark(value) }];
  if (isAbsent(url)) problems.add({ at, clause: "has neither “image_url” nor “file_id”" });
  else problems.add({ at: `${at}.image_url`, clause: "must be a web address, or a data URL in base64" });
  return [];
}

function readFile({ value, at, problems }: PlacedObject): DocumentPart[] {
  const part = (source: DocumentPart["source"]): DocumentPart[] => [
    { kind: "document", source, name: textOrNull(value["filename"]), cache: cacheMark(value) },
  ];
  const { file_data: data, file_url: url, file_id: id } = value;
  if (!isAbsent(data)) {
    const source = typeof data === "string" ? dataSource(data, DATA_URL) : null;
    if (source !== null) return part(plainSource(source));
    problems.add({
      at: `${at}.file_data`,
      clause: "must be a data URL in base64, such as data:application/pdf;base64,…",
    });
    return [];
  }
  if (typeof url === "string" && url !== "") return part(mediaAt(url) ?? { kind: "url", url });
  if (typeof id === "string" && id !== "") return part({ kind: "file", id });
  problems.add({ at, clause: "has neither “file_data” nor “file_url” nor “file_id”" });
  return [];
}

function readAudio({ value, at, problems }: PlacedObject): AudioPart[] {
  const { data, format } = objectOf(value["input_audio"]);
  if (typeof data === "string" && typeof format === "string") return [{ kind: "audio", data, format }];
  problems.add({ at: `${at}.input_audio`, clause: "must have “data” and “format”" });
  return [];
}

function mediaAt(url: unknown): MediaSource | null {
  if (typeof url !== "string" || url === "") return null;
  return /^data:/i.test(url.slice(0, 5)) ? dataSource(url, DATA_URL) : { kind: "url", url };
}

/** Its two times stand for the short and the long one of ours. */
function cacheMark(value: Json): CacheMark | null {
  const mark = value["prompt_cache_breakpoint"];
  if (!isObject(mark)) return null;
  return { ttl: mark["ttl"] === "12h" ? "1h" : null };
}
