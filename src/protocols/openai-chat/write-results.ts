import type { ToolResultPart } from "../../domain/chat.ts";
import type { Json, PromptTarget } from "../protocol.ts";
import { toCallId } from "../tool-id.ts";
import { contentOf, type WirePart, type WireText, withMark, writeParts } from "./write-parts.ts";

const ERROR = "Error: ";
const ELSEWHERE = "The result is in the next message.";

/** A tool's message has text alone, so whatever else the tool gave goes into the user's message after it. */
export type WrittenResult = { callId: string; message: Json; media: WirePart[] };

export function writeResult(result: ToolResultPart, target: PromptTarget): WrittenResult {
  const callId = toCallId(result.id);
  const written = writeParts(result.parts, target);
  const media = written.filter(part => part.type !== "text");
  const texts = written.filter((part): part is WireText => part.type === "text");
  if (texts.length === 0 && media.length > 0) texts.push({ type: "text", text: ELSEWHERE });
  const told = result.isError ? asError(texts) : texts;
  const last = told.pop();
  // The mark on the result is one on the last of its texts.
  if (last !== undefined) told.push(withMark({ part: last, cache: result.cache, target }));
  const content = contentOf(told, { ...target, kind: "openai-compatible" });
  return {
    callId,
    message: { role: "tool", tool_call_id: callId, content },
    media: media.length === 0 ? [] : [{ type: "text", text: `From the tool call ${callId}:` }, ...media],
  };
}

/** The dialect has no field for it, so the text says it. */
function asError(texts: readonly WireText[]): WireText[] {
  const [first, ...others] = texts;
  if (first === undefined) return [{ type: "text", text: "Error: the tool failed without a word" }];
  const text = /^error\b/i.test(first.text) ? first.text : ERROR + first.text;
  return [{ ...first, text }, ...others];
}
