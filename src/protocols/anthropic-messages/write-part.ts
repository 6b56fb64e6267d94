import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { Part, Seal, ToolCallPart, ToolResultPart, Turn } from "../../domain/chat.ts";
import type { Problems } from "../problems.ts";
import { toMessagesId } from "../tool-id.ts";
import { toolInput } from "./tool-input.ts";
import { writeCache } from "./write-cache.ts";
import { writeDocument, writeImage } from "./write-media.ts";

export type PartWriting = { role: Turn["role"]; at: string; problems: Problems };

/** A part as a block of a message; nothing where the dialect has no place for it. Texts may still be empty. */
export function writePart(part: Part, writing: PartWriting): ContentBlockParam[] {
  const { role, at, problems } = writing;
  switch (part.kind) {
    case "text":
      return [{ type: "text", text: part.text, ...writeCache(part.cache) }];
    case "refusal":
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return part.seal === null || role !== "assistant" ? [] : writeThought(part.text, part.seal);
    case "image":
    case "document":
      if (role !== "user") {
        const clause = `has ${part.kind === "image" ? "an image" : "a file"}, which only the user may give to this model`;
        problems.add({ at, clause });
        return [];
      }
      return part.kind === "image" ? writeImage(part, writing) : writeDocument(part, writing);
    case "audio":
      problems.add({ at, clause: "has audio, which this model does not take" });
      return [];
    case "tool-call":
      return [writeCall(part)];
    case "tool-result":
      return [writeResult(part, writing)];
    case "foreign":
      return [];
    default:
      return part satisfies never;
  }
}

export function isEmptyText(block: ContentBlockParam): boolean {
  return block.type === "text" && block.text.trim() === "";
}

/** Only what Anthropic sealed itself: it refuses what it cannot verify. */
function writeThought(text: string, { origin, kind, value }: Seal): ContentBlockParam[] {
  if (origin !== "messages") return [];
  if (kind === "ciphertext") return [{ type: "redacted_thinking", data: value }];
  return [{ type: "thinking", thinking: text, signature: value }];
}

function writeCall({ id, name, input, tool, cache }: ToolCallPart): ContentBlockParam {
  const written = tool === "custom" ? { input } : toolInput(input);
  return { type: "tool_use", id: toMessagesId(id), name, input: written, ...writeCache(cache) };
}

function writeResult(part: ToolResultPart, writing: PartWriting): ToolResultBlockParam {
  const content = part.parts.flatMap((inner): (TextBlockParam | ImageBlockParam | DocumentBlockParam)[] => {
    if (inner.kind === "image") return writeImage(inner, writing);
    if (inner.kind === "document") return writeDocument(inner, writing);
    return inner.text.trim() === "" ? [] : [{ type: "text", text: inner.text, ...writeCache(inner.cache) }];
  });
  return {
    type: "tool_result",
    tool_use_id: toMessagesId(part.id),
    ...(content.length > 0 && { content }),
    ...(part.isError && { is_error: true }),
    ...writeCache(part.cache),
  };
}
