import type {
  ChatCompletion,
  ChatCompletionMessage,
  ChatCompletionMessageToolCall,
} from "openai/resources/chat/completions";
import type { Reply, ReplyPart, ToolCallPart } from "../../domain/chat.ts";
import { functionInput } from "../function-input.ts";
import type { Json, ReplyHead } from "../protocol.ts";
import { writeStop } from "./stop.ts";
import { writeAnnotation } from "./write-annotation.ts";
import { writeChatUsage } from "./write-usage.ts";

type Message = ChatCompletionMessage & { reasoning_content?: string };

/** Between two thoughts; texts are pieces of one, and stand together as they are. */
export const THOUGHT_BREAK = "\n\n";

export function writeChatReply({ parts, stop, usage }: Reply, head: ReplyHead): Json {
  const message = writeMessage(parts, head);
  const ended = { stop, hasCalls: parts.some(isCall), hasRefusal: message.refusal !== null };
  const answer: ChatCompletion = {
    id: `chatcmpl-${head.id}`,
    object: "chat.completion",
    created: head.createdSeconds,
    model: head.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: writeStop(ended) }],
    ...(usage === null ? {} : { usage: writeChatUsage(usage) }),
  };
  return { ...answer };
}

function writeMessage(parts: readonly ReplyPart[], { prompt }: ReplyHead): Message {
  const text = textsOf(parts, "text").join("");
  const refusal = textsOf(parts, "refusal").join("");
  const thoughts = prompt.reasoning?.shows === false ? [] : textsOf(parts, "reasoning");
  const calls = parts.filter(isCall);
  const annotations = annotationsOf(parts);
  const isSilent = text === "" && (calls.length > 0 || refusal !== "");
  return {
    role: "assistant",
    content: isSilent ? null : text,
    ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join(THOUGHT_BREAK) }),
    refusal: refusal === "" ? null : refusal,
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
  };
}

function textsOf(parts: readonly ReplyPart[], kind: "text" | "reasoning" | "refusal"): string[] {
  return parts.flatMap(part => (part.kind === kind && part.text !== "" ? [part.text] : []));
}

function isCall(part: ReplyPart): part is ToolCallPart {
  return part.kind === "tool-call";
}

function annotationsOf(parts: readonly ReplyPart[]): ChatCompletionMessage.Annotation[] {
  let start = 0;
  return parts.flatMap(part => {
    if (part.kind !== "text") return [];
    const from = start;
    start += part.text.length;
    return part.citations.map(citation => writeAnnotation({ citation, start: from, end: start }));
  });
}

function writeCall({ id, name, input, tool }: ToolCallPart): ChatCompletionMessageToolCall {
  if (tool === "custom") return { id, type: "custom", custom: { name, input } };
  return { id, type: "function", function: { name, arguments: functionInput(input) } };
}
