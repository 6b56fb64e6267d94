import type { Citation, ReplyPart, Seal } from "../../domain/chat.ts";
import { carrySeal } from "../carry-seal.ts";
import type { Json } from "../protocol.ts";
import { toMessagesId } from "../tool-id.ts";
import { toolInput } from "./tool-input.ts";

/** A part of an answer as a block of a client's message; null where there is nothing to say, or no way to say it. */
export function replyBlock(part: ReplyPart): Json | null {
  switch (part.kind) {
    case "text": {
      const citations = part.citations.map(writeCitation);
      if (part.text === "" && citations.length === 0) return null;
      return { type: "text", text: part.text, ...(citations.length > 0 && { citations }) };
    }
    case "refusal":
      return part.text === "" ? null : { type: "text", text: part.text };
    case "reasoning":
      return thoughtBlock(part.text, part.seal);
    case "tool-call": {
      const { id, name, input, tool } = part;
      const given = tool === "custom" ? { input } : toolInput(input);
      return { type: "tool_use", id: toMessagesId(id), name, input: given };
    }
    case "foreign":
      return null;
    default:
      return part satisfies never;
  }
}

/** A thought may be nothing but its seal: the client has to bring it back all the same. */
export function thoughtBlock(text: string, seal: Seal | null): Json | null {
  if (seal === null) return text === "" ? null : { type: "thinking", thinking: text, signature: "" };
  if (isHidden(text, seal)) return { type: "redacted_thinking", data: seal.value };
  return { type: "thinking", thinking: text, signature: signatureOf(seal) };
}

function isHidden(text: string, { origin, kind }: Seal): boolean {
  return origin === "messages" && kind === "ciphertext" && text === "";
}

/** Seals of other makers travel in the field of our own. */
export function signatureOf(seal: Seal): string {
  return seal.origin === "messages" && seal.kind === "signature" ? seal.value : carrySeal(seal);
}

export function writeCitation({ url, title, quote }: Citation): Json {
  return {
    type: "web_search_result_location",
    cited_text: quote ?? "",
    url,
    title,
    // Only Anthropic's own searches have one.
    encrypted_index: "",
  };
}
