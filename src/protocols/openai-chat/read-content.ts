import type { Part } from "../../domain/chat.ts";
import { isAbsent, isObject, textOf } from "../json-value.ts";
import type { Problems } from "../problems.ts";
import { textPart } from "../text-part.ts";
import { thinkingText } from "./answer-events.ts";
import { readCacheMark } from "./read-cache-mark.ts";
import { type PartSpot, readAudio, readFile, readImage } from "./read-media.ts";
import { NO_TOOLS, writeSeal } from "./reasoning-seal.ts";

export type PartType = "text" | "image_url" | "input_audio" | "file" | "refusal" | "thinking";

export type ContentSpot = {
  content: unknown;
  /** Where the content stands: `messages[2].content`. */
  at: string;
  takes: readonly PartType[];
  problems: Problems;
};

/** A message's content: a text, or a list of parts of the types that its role takes. Empty where there is none. */
export function readContent({ content, at, takes, problems }: ContentSpot): Part[] {
  if (isAbsent(content)) return [];
  if (typeof content === "string") return [textPart(content)];
  if (!Array.isArray(content)) {
    problems.add({ at, clause: "must be a text or a list of parts" });
    return [];
  }
  return content.flatMap((given: unknown, place) => {
    const spot = `${at}[${place}]`;
    if (!isObject(given)) {
      problems.add({ at: spot, clause: "must be an object" });
      return [];
    }
    const type = takes.find(name => name === given["type"]);
    if (type === undefined) {
      problems.add({
        at: `${spot}.type`,
        clause: `must be ${takes.length === 1 ? "" : "one of "}${takes.join(", ")}`,
      });
      return [];
    }
    const part = readPart(type, { part: given, at: spot, problems });
    return part === null ? [] : [part];
  });
}

function readPart(type: PartType, spot: PartSpot): Part | null {
  const { part } = spot;
  switch (type) {
    case "text": {
      const text = required("text", spot);
      return text === null ? null : { kind: "text", text, citations: [], cache: readCacheMark(part) };
    }
    case "refusal": {
      const text = required("refusal", spot);
      return text === null ? null : { kind: "refusal", text };
    }
    case "image_url":
      return readImage(spot);
    case "input_audio":
      return readAudio(spot);
    case "file":
      return readFile(spot);
    case "thinking": {
      const seal = writeSeal({ field: "thinking", details: [], tools: NO_TOOLS });
      return { kind: "reasoning", text: thinkingText(part["thinking"]), seal };
    }
    default:
      return type satisfies never;
  }
}

function required(field: "text" | "refusal", { part, at, problems }: PartSpot): string | null {
  if (typeof part[field] === "string") return textOf(part[field]);
  problems.add({ at: `${at}.${field}`, clause: "must be a text" });
  return null;
}
