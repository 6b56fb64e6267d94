import { isOpenAI } from "../../domain/catalogue.ts";
import type { Part, ReasoningPart, ToolCallPart } from "../../domain/chat.ts";
import { functionInput } from "../function-input.ts";
import { isObject } from "../json-value.ts";
import type { Json, PromptTarget } from "../protocol.ts";
import { toCallId } from "../tool-id.ts";
import { wantsThoughtSignature } from "./model-traits.ts";
import { type ChatSeal, type ReasoningField, readSeal } from "./reasoning-seal.ts";
import { contentOf, isText, TEXT_BREAK, withMark, withoutBlanks } from "./write-parts.ts";

type Thought = { text: string; seal: ChatSeal };

const SKIPPED_SIGNATURE = { google: { thought_signature: "skip_thought_signature_validator" } };

/** What the model said before; null where nothing of it can be said in this dialect. */
export function writeAssistant(given: readonly Part[], target: PromptTarget): Json | null {
  const parts = withoutBlanks(given);
  const isTheirs = isOpenAI(target.kind);
  const thoughts = isTheirs ? [] : parts.filter(isReasoning).flatMap(ownThought);
  const calls = writeCalls({ calls: parts.filter(isCall), thoughts, target });
  const refusal = parts.flatMap(part => (part.kind === "refusal" ? [part.text] : [])).join("");
  const content = writeContent({ parts, refusal: isTheirs ? "" : refusal, thoughts, target });
  if (content === null && calls.length === 0 && (refusal === "" || !isTheirs)) return null;
  return {
    role: "assistant",
    content,
    ...fieldsOf(thoughts),
    ...(refusal !== "" && isTheirs ? { refusal } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function isReasoning(part: Part): part is ReasoningPart {
  return part.kind === "reasoning";
}

function isCall(part: Part): part is ToolCallPart {
  return part.kind === "tool-call";
}

/** What another dialect's model thought is not this one's, and is nothing that it said. */
function ownThought({ text, seal }: ReasoningPart): Thought[] {
  const own = readSeal(seal);
  return own === null ? [] : [{ text, seal: own }];
}

function textIn(field: ReasoningField, thoughts: readonly Thought[]): string {
  return thoughts
    .filter(({ text, seal }) => seal.field === field && text !== "")
    .map(({ text }) => text)
    .join(TEXT_BREAK);
}

function fieldsOf(thoughts: readonly Thought[]): Json {
  const fields = (["reasoning_content", "reasoning"] as const).map(name => [name, textIn(name, thoughts)]);
  const details = thoughts.flatMap(({ seal }) => seal.details);
  return {
    ...Object.fromEntries(fields.filter(([, text]) => text !== "")),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

type Content = {
  parts: readonly Part[];
  refusal: string;
  thoughts: readonly Thought[];
  target: PromptTarget;
};

function writeContent({ parts, refusal, thoughts, target }: Content): string | Json[] | null {
  const texts = parts
    .filter(isText)
    .map(({ text, cache }) => withMark({ part: { type: "text", text }, cache, target }));
  if (refusal !== "") texts.push({ type: "text", text: refusal });
  const aloud = textIn("think", thoughts);
  if (aloud !== "") texts.unshift({ type: "text", text: `<think>\n${aloud}\n</think>` });
  const thinking = textIn("thinking", thoughts);
  if (thinking !== "") return [{ type: "thinking", thinking: [{ type: "text", text: thinking }] }, ...texts];
  if (texts.length === 0) return null;
  const content = contentOf(texts, { ...target, kind: "openai-compatible" });
  return typeof content === "string" ? content : content.map(part => ({ ...part }));
}

type Calls = { calls: readonly ToolCallPart[]; thoughts: readonly Thought[]; target: PromptTarget };

function writeCalls({ calls, thoughts, target }: Calls): Json[] {
  const extras = new Map(thoughts.flatMap(({ seal }) => [...seal.tools]));
  return calls.map(({ id, name, input, tool }, place) => {
    const known = extras.get(id);
    // Of calls made at once only the first is signed.
    const isUnsigned = known === undefined && place === 0 && wantsThoughtSignature(target.model);
    const extra = isUnsigned ? SKIPPED_SIGNATURE : known;
    const call =
      tool === "custom"
        ? { type: tool, custom: { name, input } }
        : { type: tool, function: { name, arguments: functionInput(input) } };
    return { id: toCallId(id), ...call, ...(isObject(extra) ? { extra_content: extra } : {}) };
  });
}
