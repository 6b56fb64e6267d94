import type { Part, Seal, TextPart, ToolResultPart, Turn } from "../../domain/chat.ts";
import { carriedSeal } from "../carry-seal.ts";
import { isObject, listOf, objectOf, textOf } from "../json-value.ts";
import { textPart } from "../text-part.ts";
import { fromMessagesId } from "../tool-id.ts";
import { ownSeal } from "./own-seal.ts";
import { readCache } from "./read-cache.ts";
import { readCitations } from "./read-citation.ts";
import { contentText, readDocument, readImage } from "./read-media.ts";
import { type Reading, required } from "./reading.ts";

/** Who may write which block; what stands in nobody's list may stand anywhere. */
const ONLY_IN: Readonly<Record<string, Turn["role"]>> = {
  image: "user",
  document: "user",
  search_result: "user",
  tool_result: "user",
  thinking: "assistant",
  redacted_thinking: "assistant",
  tool_use: "assistant",
};

/** Blocks about what Anthropic itself ran or keeps, and which no other maker could read. */
const FOREIGN =
  /^(server_tool_use|mcp_\w+|\w+_tool_result|container_upload|tool_\w+|fallback|browser_state)$/;

export type BlockReading = Reading & {
  role: Turn["role"];
  /** The ids of the calls made so far. */
  calls: Set<string>;
};

export function readBlock(reading: BlockReading): Part[] {
  const { block, at, role, problems } = reading;
  const type = textOf(block["type"]);
  const writer = Object.hasOwn(ONLY_IN, type) ? ONLY_IN[type] : undefined;
  if (writer !== undefined && writer !== role) {
    const clause = `is ${type}, which only a message of the role ${writer} may have`;
    problems.add({ at: `${at}.type`, clause });
    return [];
  }
  switch (type) {
    case "text":
      return readText(reading);
    case "image":
      return readImage(reading);
    case "document":
      return readDocument(reading);
    case "search_result":
      return [searchText(reading)];
    case "thinking":
      return [{ kind: "reasoning", text: textOf(block["thinking"]), seal: sealOf(block["signature"]) }];
    case "redacted_thinking": {
      const seal = ownSeal("ciphertext", textOf(block["data"]));
      return seal.value === "" ? [] : [{ kind: "reasoning", text: "", seal }];
    }
    case "tool_use":
      return readCall(reading);
    case "tool_result":
      return readResult(reading);
    case "compaction":
      return compacted(reading);
    default:
      if (FOREIGN.test(type)) return [{ kind: "foreign", type }];
      problems.add({ at: `${at}.type`, clause: "is no type of block that is known here" });
      return [];
  }
}

/** A message's content, as one text or as a list of blocks. */
export function readContent(content: unknown, reading: Omit<BlockReading, "block">): Part[] {
  const { at, problems } = reading;
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  if (!Array.isArray(content)) {
    problems.add({ at, clause: "must be a text or a list of blocks" });
    return [];
  }
  return content.flatMap((block: unknown, place) => {
    if (isObject(block)) return readBlock({ ...reading, block, at: `${at}[${place}]` });
    problems.add({ at: `${at}[${place}]`, clause: "must be an object" });
    return [];
  });
}

function readText({ block, at, problems }: Reading): TextPart[] {
  const text = block["text"];
  if (typeof text !== "string") {
    problems.add({ at: `${at}.text`, clause: "must be a text" });
    return [];
  }
  return [{ kind: "text", text, citations: readCitations(block["citations"]), cache: readCache(block) }];
}

function searchText({ block }: Reading): TextPart {
  const lines = [textOf(block["title"]), textOf(block["source"]), contentText(block["content"])];
  return { ...textPart(lines.filter(line => line !== "").join("\n")), cache: readCache(block) };
}

/** A seal of another maker comes back in the field in which it was given to the client. */
function sealOf(signature: unknown): Seal | null {
  const value = textOf(signature);
  if (value === "") return null;
  return carriedSeal(value) ?? ownSeal("signature", value);
}

function readCall(reading: BlockReading): Part[] {
  const { block, calls } = reading;
  const given = required(reading, "id");
  const name = required(reading, "name");
  if (given === null || name === null) return [];
  const id = fromMessagesId(given);
  calls.add(id);
  const input = JSON.stringify(block["input"] ?? {});
  return [{ kind: "tool-call", id, name, input, tool: "function", namespace: null, cache: readCache(block) }];
}

function readResult(reading: BlockReading): ToolResultPart[] {
  const { block, at, problems, calls } = reading;
  const given = required(reading, "tool_use_id");
  if (given === null) return [];
  const id = fromMessagesId(given);
  if (!calls.has(id)) {
    const clause = "is the id of no tool_use block in an earlier message";
    problems.add({ at: `${at}.tool_use_id`, clause });
    return [];
  }
  const parts = resultParts({ block, at: `${at}.content`, problems });
  return [{ kind: "tool-result", id, parts, isError: block["is_error"] === true, cache: readCache(block) }];
}

function resultParts({ block, at, problems }: Reading): ToolResultPart["parts"] {
  const content = block["content"] ?? [];
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  if (!Array.isArray(content)) problems.add({ at, clause: "must be a text or a list of blocks" });
  return listOf(content).flatMap((inner, place) =>
    resultPart({ block: objectOf(inner), at: `${at}[${place}]`, problems }),
  );
}

function resultPart(reading: Reading): ToolResultPart["parts"] {
  const { block, at, problems } = reading;
  switch (block["type"]) {
    case "text":
      return readText(reading);
    case "image":
      return readImage(reading);
    case "document":
      return readDocument(reading);
    case "search_result":
      return [searchText(reading)];
    case "tool_reference":
      // Every tool is offered from the start here, so all there is to say of it is its name.
      return [textPart(`Found the tool ${textOf(block["tool_name"])}.`)];
    case "browser_state":
      return [];
    default:
      problems.add({ at: `${at}.type`, clause: "is no type of block that a tool result may have" });
      return [];
  }
}

/** What was summed up is told by this block alone: the messages before it may be gone. */
function compacted({ block }: Reading): TextPart[] {
  const summary = textOf(block["content"]);
  return summary === "" ? [] : [{ ...textPart(summary), cache: readCache(block) }];
}
