import type { DocumentPart, MediaSource } from "../domain/chat.ts";

type DataSource = Extract<MediaSource, { kind: "data" }>;

/** The media type stands at the very beginning of a data URL, however long the data. */
const HEADER_CHARACTERS_MAX = 200;

/** What a data URL holds; null where it has another header than the dialect takes, whose first group is the media type. */
export function dataSource(url: string, header: RegExp): DataSource | null {
  const head = header.exec(url.slice(0, HEADER_CHARACTERS_MAX));
  const mediaType = head?.[1];
  if (head === null || mediaType === undefined) return null;
  return { kind: "data", mediaType: mediaType.toLowerCase(), data: url.slice(head[0].length) };
}

export function dataUrl({ mediaType, data }: DataSource): string {
  return `data:${mediaType};base64,${data}`;
}

/** Texts are files for some and text for others: as text everybody takes them. */
export function plainSource(source: DocumentPart["source"]): DocumentPart["source"] {
  if (source.kind !== "data" || !source.mediaType.startsWith("text/")) return source;
  return { kind: "text", text: Buffer.from(source.data, "base64").toString("utf8") };
}

/** A document as text: what it is called stands before it. */
export function titledText({ text, name }: { text: string; name: string | null }): string {
  return name === null ? text : `${name}\n\n${text}`;
}

/** OpenAI tells what a file is by the end of its name, and wants one. */
export function fileName({ name, mediaType }: { name: string | null; mediaType: string }): string {
  return name ?? (mediaType === "application/pdf" ? "document.pdf" : "document");
}
