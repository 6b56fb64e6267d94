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
import { isAbsent, isObject, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import type { Faults } from "./faults.ts";
import { listOf, textOf, textOrNull } from "./json-shape.ts";

export type ContentPart = TextPart | RefusalPart | ImagePart | DocumentPart | AudioPart;

export type Placed = { value: unknown; at: string; faults: Faults };
type PlacedObject = { value: Json; at: string; faults: Faults };

/** The media type stands at the very beginning, however long the data. */
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.=+-]*)*?;base64,/i;
const DATA_URL_HEAD_MAX = 200;

/** What a message or the output of a tool says: one text, or a list of parts. */
export function readContent({ value, at, faults }: Placed): ContentPart[] {
  if (typeof value === "string") return value === "" ? [] : [textPart(value)];
  if (!Array.isArray(value)) {
    faults.add(at, isAbsent(value) ? "is missing" : "must be a text or a list of parts");
    return [];
  }
  return value.flatMap((part: unknown, place) => readPart({ value: part, at: `${at}[${place}]`, faults }));
}

export function textPart(text: string): TextPart {
  return { kind: "text", text, citations: [], cache: null };
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

function readPart({ value, at, faults }: Placed): ContentPart[] {
  if (!isObject(value)) {
    faults.add(at, "must be an object");
    return [];
  }
  const placed = { value, at, faults };
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
      faults.add(
        `${at}.type`,
        "must be one of input_text, output_text, refusal, input_image, input_file, input_audio",
      );
      return [];
  }
}

function readText({ value, at, faults }: PlacedObject): TextPart[] {
  const { text, annotations } = value;
  if (typeof text === "string")
    return [{ kind: "text", text, citations: readCitations(annotations), cache: cacheMark(value) }];
  faults.add(`${at}.text`, "must be a text");
  return [];
}

function readImage({ value, at, faults }: PlacedObject): ImagePart[] {
  const url = value["image_url"];
  const file = textOrNull(value["file_id"]);
  const kept: MediaSource | null = file === null ? null : { kind: "file", id: file };
  const source = isAbsent(url) ? kept : mediaAt(url);
  if (source !== null)
    return [{ kind: "image", source, detail: textOrNull(value["detail"]), cache: cacheMark(value) }];
  if (isAbsent(url)) faults.add(at, "has neither “image_url” nor “file_id”");
  else faults.add(`${at}.image_url`, "must be a web address, or a data URL in base64");
  return [];
}

function readFile({ value, at, faults }: PlacedObject): DocumentPart[] {
  const part = (source: DocumentPart["source"]): DocumentPart[] => [
    { kind: "document", source, name: textOrNull(value["filename"]), cache: cacheMark(value) },
  ];
  const { file_data: data, file_url: url, file_id: id } = value;
  if (!isAbsent(data)) {
    const source = typeof data === "string" ? dataAt(data) : null;
    if (source !== null) return part(asText(source));
    faults.add(`${at}.file_data`, "must be a data URL in base64, such as data:application/pdf;base64,…");
    return [];
  }
  if (typeof url === "string" && url !== "") return part(mediaAt(url) ?? { kind: "url", url });
  if (typeof id === "string" && id !== "") return part({ kind: "file", id });
  faults.add(at, "has neither “file_data” nor “file_url” nor “file_id”");
  return [];
}

function readAudio({ value, at, faults }: PlacedObject): AudioPart[] {
  const { data, format } = objectOf(value["input_audio"]);
  if (typeof data === "string" && typeof format === "string") return [{ kind: "audio", data, format }];
  faults.add(`${at}.input_audio`, "must have “data” and “format”");
  return [];
}

function mediaAt(url: unknown): MediaSource | null {
  if (typeof url !== "string" || url === "") return null;
  return /^data:/i.test(url.slice(0, 5)) ? dataAt(url) : { kind: "url", url };
}

type DataSource = Extract<MediaSource, { kind: "data" }>;

function dataAt(url: string): DataSource | null {
  const head = DATA_URL.exec(url.slice(0, DATA_URL_HEAD_MAX));
  const mediaType = head?.[1];
  if (head === null || mediaType === undefined) return null;
  return { kind: "data", mediaType: mediaType.toLowerCase(), data: url.slice(head[0].length) };
}

/** A text is one in every dialect; as bytes only some would take it. */
function asText(source: DataSource): DocumentPart["source"] {
  if (!source.mediaType.startsWith("text/")) return source;
  return { kind: "text", text: Buffer.from(source.data, "base64").toString("utf8") };
}

/** Its two times stand for the short and the long one of ours. */
function cacheMark(value: Json): CacheMark | null {
  const mark = value["prompt_cache_breakpoint"];
  if (!isObject(mark)) return null;
  return { ttl: mark["ttl"] === "12h" ? "1h" : null };
}
