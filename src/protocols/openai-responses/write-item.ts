import type {
  ResponseCustomToolCallItem,
  ResponseFunctionToolCallItem,
  ResponseOutputMessage,
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import type { Citation, ReplyPart, Seal, Stop } from "../../domain/chat.ts";
import { carriedSeal, carrySeal } from "../carry-seal.ts";
import { textPart } from "../text-part.ts";
import { argumentsOf, saysNothing } from "./read-item.ts";

export type OutputItem =
  | ResponseOutputMessage
  | ResponseReasoningItem
  | ResponseFunctionToolCallItem
  | ResponseCustomToolCallItem;

export type WritablePart = Exclude<ReplyPart, { kind: "foreign" }>;

/** An item's name: its own id, and for a call the id that its output will name. */
export type ItemName = { id: string; callId: string };

const PREFIXES = { text: "msg", refusal: "msg", reasoning: "rs", function: "fc", custom: "ctc" } as const;

/** Names the items of one answer, in the order in which they stand in its output. */
export class ItemNames {
  readonly #answer: string;
  readonly #callIds = new Set<string>();
  #count = 0;

  /** The id of the answer, without a prefix. */
  constructor(answer: string) {
    this.#answer = answer;
  }

  name(part: WritablePart): ItemName & { place: number } {
    const place = this.#count;
    this.#count += 1;
    const prefix = PREFIXES[part.kind === "tool-call" ? part.tool : part.kind];
    const callId = part.kind === "tool-call" ? this.#callId(part.id, place) : "";
    return { id: `${prefix}_${this.#answer}_${place}`, callId, place };
  }

  /** Its maker's own. Clients match an output to its call by it, so no two may be equal, and none empty. */
  #callId(raw: string, place: number): string {
    const callId = raw === "" || this.#callIds.has(raw) ? `call_${this.#answer}_${place}` : raw;
    this.#callIds.add(callId);
    return callId;
  }
}

export function writeItem(part: WritablePart, { id, callId }: ItemName): OutputItem {
  switch (part.kind) {
    case "text":
    case "refusal":
      return { id, type: "message", status: "completed", role: "assistant", content: [writeContent(part)] };
    case "reasoning":
      return {
        id,
        type: "reasoning",
        summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
        encrypted_content: part.seal === null ? null : writeSeal(part.seal),
      };
    case "tool-call": {
      const { name, namespace } = part;
      const space = namespace === null ? {} : { namespace };
      const call = { id, status: "completed", call_id: callId, name, ...space } as const;
      return part.tool === "custom"
        ? { ...call, type: "custom_tool_call", input: part.input }
        : { ...call, type: "function_call", arguments: argumentsOf(part.input) };
    }
    default:
      return part satisfies never;
  }
}

type Said = Extract<WritablePart, { kind: "text" | "refusal" }>;

export function writeContent(part: Said): ResponseOutputText | ResponseOutputRefusal {
  if (part.kind === "refusal") return { type: "refusal", refusal: part.text };
  const annotations = part.citations.map(citation => writeCitation(citation, part.text));
  return { type: "output_text", text: part.text, annotations, logprobs: [] };
}

/** Of what it speaks is not known more closely than to the part. */
export function writeCitation({ url, title }: Citation, text: string): ResponseOutputText.URLCitation {
  return { type: "url_citation", url, title: title ?? url, start_index: 0, end_index: text.length };
}

/** One of the dialect's own goes as it is, unless it would be taken for one that is carried. */
function writeSeal(seal: Seal): string {
  return seal.origin === "responses" && carriedSeal(seal.value) === null ? seal.value : carrySeal(seal);
}

const REFUSAL_TEXT = "The model refused to answer.";

export function isWritable(part: ReplyPart): part is WritablePart {
  return part.kind !== "foreign" && !saysNothing(part);
}

/**
 * What the end of an answer adds to its output. A refusal without words is said in ours: there is no other place for
 * it. And an output that is complete has something in it.
 */
export function closingPart(
  stop: Stop,
  told: { hasRefusal: boolean; isEmpty: boolean },
): WritablePart | null {
  if (stop.reason === "refusal") return told.hasRefusal ? null : { kind: "refusal", text: REFUSAL_TEXT };
  const isGood = stop.reason === "end" || stop.reason === "stop-sequence" || stop.reason === "tool-calls";
  return isGood && told.isEmpty ? textPart("") : null;
}
