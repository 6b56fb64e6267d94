import type { Reply, ReplyPart } from "../../domain/chat.ts";
import { jsonText, objectOf, stringOrNull, textOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { fromMessagesId } from "../tool-id.ts";
import { ownSeal } from "./own-seal.ts";
import { readCitations } from "./read-citation.ts";
import { readMessagesUsage } from "./read-usage.ts";
import { readStop } from "./stop.ts";

/** An upstream's whole answer. */
export function readMessagesReply(body: Json): Reply | null {
  const { content } = body;
  const isError = (body["error"] ?? null) !== null || body["type"] === "error";
  if (isError || !Array.isArray(content)) return null;
  const parts = content.flatMap((block: unknown) => readPart(objectOf(block)));
  const raw = stringOrNull(body["stop_reason"]);
  const sequence = stringOrNull(body["stop_sequence"]);
  const calledTools = parts.some(part => part.kind === "tool-call");
  const refusal = refusalText(body);
  return {
    id: textOf(body["id"]),
    model: textOf(body["model"]),
    createdSeconds: null,
    parts: refusal === "" ? parts : [...parts, { kind: "refusal", text: refusal }],
    stop: readStop({ raw, sequence, calledTools }),
    usage: readMessagesUsage(body["usage"]),
  };
}

/** Why an answer was refused stands beside it, and may be all that there is of it. */
export function refusalText(message: Json): string {
  if (message["stop_reason"] !== "refusal") return "";
  return textOf(objectOf(message["stop_details"])["explanation"]);
}

function readPart(block: Json): ReplyPart[] {
  const type = textOf(block["type"]);
  switch (type) {
    case "text":
      return [
        {
          kind: "text",
          text: textOf(block["text"]),
          citations: readCitations(block["citations"]),
          cache: null,
        },
      ];
    case "thinking": {
      const value = textOf(block["signature"]);
      const seal = value === "" ? null : ownSeal("signature", value);
      return [{ kind: "reasoning", text: textOf(block["thinking"]), seal }];
    }
    case "redacted_thinking":
      return [{ kind: "reasoning", text: "", seal: ownSeal("ciphertext", textOf(block["data"])) }];
    case "tool_use": {
      const id = fromMessagesId(textOf(block["id"]));
      const input = jsonText(block["input"] ?? {}) || "{}";
      const name = textOf(block["name"]);
      return [{ kind: "tool-call", id, name, input, tool: "function", namespace: null, cache: null }];
    }
    default:
      return [{ kind: "foreign", type }];
  }
}
