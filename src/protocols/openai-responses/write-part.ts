import type {
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { type ItemName, type OutputItem, type WritablePart, writeContent } from "./write-item.ts";

type Unnumbered<Event> = Event extends unknown ? Omit<Event, "sequence_number"> : never;

/** An event of the stream, before its number is known. */
export type PartEvent = Unnumbered<Exclude<ResponseStreamEvent, { response: unknown }>>;

/** A part that has an item in the output. */
export type PlacedPart = { part: WritablePart; name: ItemName; place: number };

/** The events with which an item begins. Reasoning without words has no summary to begin. */
export function openingEvents({ part, name, place }: PlacedPart): PartEvent[] {
  const at = { item_id: name.id, output_index: place };
  const added: PartEvent = {
    type: "response.output_item.added",
    output_index: place,
    item: emptyItem(part, name),
  };
  switch (part.kind) {
    case "text":
    case "refusal":
      return [
        added,
        { type: "response.content_part.added", ...at, content_index: 0, part: emptyContent(part.kind) },
      ];
    case "reasoning":
      return part.text === ""
        ? [added]
        : [
            added,
            {
              type: "response.reasoning_summary_part.added",
              ...at,
              summary_index: 0,
              part: { type: "summary_text", text: "" },
            },
          ];
    case "tool-call":
      return [added];
    default:
      return part satisfies never;
  }
}

/** All of an event that says more, up to what it says: the one kind that comes by the thousand. */
export function deltaHead({ part, name, place }: PlacedPart): string {
  const [type, more] = DELTAS[part.kind === "tool-call" ? part.tool : part.kind];
  const at = `"item_id":${JSON.stringify(name.id)},"output_index":${place}`;
  return `event: ${type}\ndata: {"type":"${type}",${at}${more},"delta":`;
}

const DELTAS = {
  text: ["response.output_text.delta", ',"content_index":0,"logprobs":[]'],
  refusal: ["response.refusal.delta", ',"content_index":0'],
  reasoning: ["response.reasoning_summary_text.delta", ',"summary_index":0'],
  function: ["response.function_call_arguments.delta", ""],
  custom: ["response.custom_tool_call_input.delta", ""],
} as const;

/** The events with which an item ends, the whole of it in the last. */
export function closingEvents({ part, name, place }: PlacedPart, item: OutputItem): PartEvent[] {
  const at = { item_id: name.id, output_index: place };
  const done: PartEvent = { type: "response.output_item.done", output_index: place, item };
  switch (part.kind) {
    case "text":
    case "refusal":
      return [...contentEnd(writeContent(part), { ...at, content_index: 0 }), done];
    case "reasoning": {
      if (part.text === "") return [done];
      const whole = { type: "summary_text", text: part.text } as const;
      return [
        { type: "response.reasoning_summary_text.done", ...at, summary_index: 0, text: part.text },
        { type: "response.reasoning_summary_part.done", ...at, summary_index: 0, part: whole },
        done,
      ];
    }
    case "tool-call":
      return item.type === "function_call"
        ? [{ type: "response.function_call_arguments.done", ...at, arguments: item.arguments }, done]
        : [{ type: "response.custom_tool_call_input.done", ...at, input: part.input }, done];
    default:
      return part satisfies never;
  }
}

type ContentPlace = { item_id: string; output_index: number; content_index: number };

function contentEnd(content: ResponseOutputText | ResponseOutputRefusal, at: ContentPlace): PartEvent[] {
  const done: PartEvent = { type: "response.content_part.done", ...at, part: content };
  if (content.type === "refusal")
    return [{ type: "response.refusal.done", ...at, refusal: content.refusal }, done];
  return [
    ...content.annotations.map(
      (annotation, annotation_index): PartEvent => ({
        type: "response.output_text.annotation.added",
        ...at,
        annotation_index,
        annotation,
      }),
    ),
    { type: "response.output_text.done", ...at, text: content.text, logprobs: [] },
    done,
  ];
}

function emptyContent(kind: "text" | "refusal"): ResponseOutputText | ResponseOutputRefusal {
  return kind === "refusal"
    ? { type: "refusal", refusal: "" }
    : { type: "output_text", text: "", annotations: [], logprobs: [] };
}

function emptyItem(part: WritablePart, { id, callId }: ItemName): OutputItem {
  switch (part.kind) {
    case "text":
    case "refusal":
      return { id, type: "message", status: "in_progress", role: "assistant", content: [] };
    case "reasoning":
      return { id, type: "reasoning", summary: [] };
    case "tool-call": {
      const { name, namespace } = part;
      const space = namespace === null ? {} : { namespace };
      const call = { id, status: "in_progress", call_id: callId, name, ...space } as const;
      return part.tool === "custom"
        ? { ...call, type: "custom_tool_call", input: "" }
        : { ...call, type: "function_call", arguments: "" };
    }
    default:
      return part satisfies never;
  }
}
