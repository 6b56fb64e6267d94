import { isObject, type JsonObject, jsonText } from "./demo-json.ts";
import { isDemoSeal } from "./demo-seal.ts";
import type { Refuse } from "./demo-task.ts";
import { type DemoMedia, NO_MEDIA } from "./demo-text.ts";

/** One block of a message, as far as the demo understands it. */
export type Block =
  | { kind: "said"; text: string; media: DemoMedia }
  | { kind: "thought" }
  | { kind: "call"; path: string; id: string; name: string; arguments: string }
  | { kind: "result"; path: string; id: string; text: string; media: DemoMedia; isError: boolean }
  | { kind: "other" };

export type MessagesRole = "user" | "assistant" | "system";

const TYPES: Readonly<Record<MessagesRole | "tool_result", readonly string[]>> = {
  user: ["text", "image", "document", "search_result", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
  system: ["text"],
  tool_result: ["text", "image", "document", "search_result", "tool_reference"],
};

// Made by tools that the provider runs itself: the demo has none, and reads over them.
const PROVIDERS_OWN = /^(server_tool_use|mcp_tool_use|container_upload|[a-z_]+_tool_result|compaction)$/;
const ID = /^[A-Za-z0-9_-]+$/;
const IMAGE_TYPES: readonly unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

type Place = { value: unknown; path: string };

export function readBlock(at: Place & { within: MessagesRole | "tool_result" }, refuse: Refuse): Block {
  const { path, within } = at;
  if (!isObject(at.value)) {
    refuse(path, "must be an object");
    return { kind: "other" };
  }
  const { type } = at.value;
  if (typeof type === "string" && !TYPES[within].includes(type) && PROVIDERS_OWN.test(type)) {
    return { kind: "other" };
  }
  const place = { block: at.value, path };
  switch (TYPES[within].find(known => known === type)) {
    case "text":
      return { kind: "said", text: readText(place, refuse), media: NO_MEDIA };
    case "image":
      return readImage(place, refuse);
    case "document":
    case "search_result":
      return readDocument(place, refuse);
    case "thinking":
    case "redacted_thinking":
      return readThinking(place, refuse);
    case "tool_use":
      return readCall(place, refuse);
    case "tool_result":
      return readResult(place, refuse);
    case "tool_reference":
      return { kind: "other" };
    default:
      refuse(`${path}.type`, `must be one of ${TYPES[within].join(", ")} here`);
      return { kind: "other" };
  }
}

type BlockPlace = { block: JsonObject; path: string };

function readText({ block, path }: BlockPlace, refuse: Refuse): string {
  const { text } = block;
  if (typeof text !== "string") {
    refuse(`${path}.text`, "must be text");
    return "";
  }
  if (text.trim() === "") refuse(path, "a text block must hold more than blanks");
  return text;
}

function readImage({ block, path }: BlockPlace, refuse: Refuse): Block {
  const source = isObject(block["source"]) ? block["source"] : {};
  const isData = source["type"] === "base64" && typeof source["data"] === "string" && source["data"] !== "";
  if (isData && !IMAGE_TYPES.includes(source["media_type"])) {
    refuse(`${path}.source.media_type`, `must be one of ${IMAGE_TYPES.join(", ")}`);
  } else if (!isData && !isElsewhere(source)) {
    refuse(`${path}.source`, "must be data in base64, a url or a file");
  }
  return { kind: "said", text: "", media: { ...NO_MEDIA, images: 1 } };
}

function isElsewhere(source: JsonObject): boolean {
  if (source["type"] === "url") return typeof source["url"] === "string" && source["url"] !== "";
  return source["type"] === "file" && typeof source["file_id"] === "string";
}

function readDocument({ block, path }: BlockPlace, refuse: Refuse): Block {
  const media = { ...NO_MEDIA, documents: 1 };
  if (block["type"] === "search_result") return { kind: "said", text: "", media };
  const source = isObject(block["source"]) ? block["source"] : {};
  const { type, data } = source;
  const isPdf = type === "base64" && typeof data === "string" && source["media_type"] === "application/pdf";
  const isText = type === "text" && typeof data === "string";
  if (!isPdf && !isText && type !== "content" && !isElsewhere(source)) {
    refuse(`${path}.source`, "must be a PDF in base64, text, content, a url or a file");
  }
  return { kind: "said", text: "", media };
}

/** What the demo did not think itself, or what was changed since, it does not take back. */
function readThinking({ block, path }: BlockPlace, refuse: Refuse): Block {
  const { type, thinking, signature, data } = block;
  if (type === "redacted_thinking") {
    const isOurs = typeof data === "string" && isDemoSeal(data, { kind: "redacted", text: null });
    if (!isOurs) refuse(path, "the `data` of this `redacted_thinking` block is not valid");
  } else {
    const isOurs =
      typeof thinking === "string" &&
      typeof signature === "string" &&
      isDemoSeal(signature, { kind: "signature", text: thinking });
    if (!isOurs) refuse(path, "the `signature` of this `thinking` block is not valid");
  }
  return { kind: "thought" };
}

function readCall({ block, path }: BlockPlace, refuse: Refuse): Block {
  const { id, name, input } = block;
  if (typeof id !== "string" || !ID.test(id)) refuse(`${path}.id`, `must match ${ID.source}`);
  if (typeof name !== "string" || name === "") refuse(`${path}.name`, "must be text");
  const given = isObject(input) ? jsonText(input) : null;
  if (given === null) refuse(`${path}.input`, "must be an object");
  return { kind: "call", path, id: textOf(id), name: textOf(name), arguments: given ?? "" };
}

function readResult({ block, path }: BlockPlace, refuse: Refuse): Block {
  const { tool_use_id: id, content } = block;
  if (typeof id !== "string" || !ID.test(id)) refuse(`${path}.tool_use_id`, `must match ${ID.source}`);
  const said = readSaid({ value: content ?? "", path: `${path}.content` }, refuse);
  const isError = block["is_error"] ?? false;
  if (typeof isError !== "boolean") refuse(`${path}.is_error`, "must be true or false");
  return { kind: "result", path, id: textOf(id), ...said, isError: isError === true };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readSaid({ value, path }: Place, refuse: Refuse): { text: string; media: DemoMedia } {
  if (typeof value === "string") return { text: value, media: NO_MEDIA };
  if (!Array.isArray(value)) {
    refuse(path, "must be text or a list of blocks");
    return { text: "", media: NO_MEDIA };
  }
  const blocks = value.map((block: unknown, index) =>
    readBlock({ value: block, path: `${path}.${index}`, within: "tool_result" }, refuse),
  );
  return together(blocks);
}

/** What the blocks of one message say, as one. */
export function together(blocks: readonly Block[]): { text: string; media: DemoMedia } {
  const said = blocks.filter(block => block.kind === "said");
  const media = said.reduce(
    (sum, { media: { images, documents, sounds } }) => ({
      images: sum.images + images,
      documents: sum.documents + documents,
      sounds: sum.sounds + sounds,
    }),
    NO_MEDIA,
  );
  return { text: said.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n"), media };
}
