import { NO_USAGE, type Usage } from "../../domain/usage.ts";
import { sampleText } from "../content-meter.ts";
import type { Json } from "../protocol.ts";
import { writeEvent } from "../sse.ts";
import type { OpenItem, OpenPart, OutputItems } from "./output-items.ts";
import { writeResponseError } from "./write-error.ts";
import { writeResponsesUsage } from "./write-usage.ts";

/** What a stream that we end ourselves goes on from. */
export type Begun = {
  /** As the upstream told it at the start; null where it did not. */
  response: Json | null;
  model: string;
  /** The number of the next event. */
  sequence: number;
};

export type LengthEnd = { begun: Begun; items: OutputItems; usage: Pick<Usage, "input" | "output"> };

/** The events with which a responses stream ends when its length limit is reached. */
export function responsesLengthEnd({ begun, items, usage }: LengthEnd): string {
  const closed = items.open.map(closedItem).filter(item => item !== null);
  const all = [...items.done, ...closed].toSorted((a, b) => a.index - b.index);
  const response = {
    ...responseOf(begun),
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: all.map(({ item }) => item),
    usage: writeResponsesUsage({ ...NO_USAGE, ...usage }),
  };
  const events = [...closed.flatMap(item => item.events), { type: "response.incomplete", response }];
  return events.map((event, at) => numbered(event, begun.sequence + at)).join("");
}

/** The event with which it ends when it fails; the body is the refusal. */
export function responsesFailureEnd(begun: Begun, body: Json): string {
  const response = { ...responseOf(begun), status: "failed", error: writeResponseError(body) };
  return numbered({ type: "response.failed", response }, begun.sequence);
}

function responseOf({ response, model }: Begun): Json {
  if (response !== null) return { ...response, model };
  const told = { id: "resp_ended", object: "response", created_at: 0, model };
  return { ...told, error: null, incomplete_details: null, output: [], usage: null };
}

function numbered(event: Json, sequence: number): string {
  return writeEvent(String(event["type"]), { ...event, sequence_number: sequence });
}

type Closed = { index: number; item: Json; events: Json[] };

/** What only the upstream can end, such as a search of its own, is left out. */
function closedItem(open: OpenItem): Closed | null {
  const { index, item, text } = open;
  const said = sampleText(text.bytes);
  const place = { item_id: item["id"], output_index: index };
  switch (item["type"]) {
    case "message":
    case "reasoning":
      return closedParts(open, { said, place });
    case "function_call": {
      const event = { type: "response.function_call_arguments.done", ...place, name: item["name"] };
      return closed({ index, item: { ...item, arguments: said }, events: [{ ...event, arguments: said }] });
    }
    case "custom_tool_call": {
      const event = { type: "response.custom_tool_call_input.done", ...place, input: said };
      return closed({ index, item: { ...item, input: said }, events: [event] });
    }
    default:
      return null;
  }
}

function closed({ index, item, events }: Closed): Closed {
  const incomplete = { ...item, status: "incomplete" };
  const done = { type: "response.output_item.done", output_index: index, item: incomplete };
  return { index, item: incomplete, events: [...events, done] };
}

/** What was said of the open part, and where it stands. */
type Words = { said: string; place: Json };

function closedParts({ index, item, part, content, summary }: OpenItem, words: Words): Closed {
  const isMessage = item["type"] === "message";
  const ended = part === null ? unannounced(words.said, isMessage) : closedPart(part, words);
  const last = ended === null ? [] : [ended.part];
  const inContent = part?.in === "summary" ? content : [...content, ...last];
  const inSummary = part?.in === "summary" ? [...summary, ...last] : summary;
  const parts = {
    ...(isMessage ? {} : { summary: inSummary }),
    ...(isMessage || inContent.length > 0 ? { content: inContent } : {}),
  };
  return closed({ index, item: { ...item, ...parts }, events: ended?.events ?? [] });
}

/** Some upstreams say a text without having begun its part, and end none either. */
function unannounced(said: string, isMessage: boolean): ReturnType<typeof closedPart> | null {
  if (said === "") return null;
  const part = isMessage
    ? { type: "output_text", annotations: [], text: said }
    : { type: "reasoning_text", text: said };
  return { part, events: [] };
}

/** By the type of a part: the event that ends its text, and where the text stands. */
const TEXT_ENDS: ReadonlyMap<unknown, { type: string; field: string; more?: Json }> = new Map([
  ["output_text", { type: "response.output_text.done", field: "text", more: { logprobs: [] } }],
  ["refusal", { type: "response.refusal.done", field: "refusal" }],
  ["reasoning_text", { type: "response.reasoning_text.done", field: "text" }],
  ["summary_text", { type: "response.reasoning_summary_text.done", field: "text" }],
]);

function closedPart(open: OpenPart, { said, place }: Words): { part: Json; events: Json[] } {
  const isSummary = open.in === "summary";
  const at = { ...place, [isSummary ? "summary_index" : "content_index"]: open.index };
  const partDone = `response.${isSummary ? "reasoning_summary_part" : "content_part"}.done`;
  const end = TEXT_ENDS.get(open.part["type"]);
  if (end === undefined) return { part: open.part, events: [{ type: partDone, ...at, part: open.part }] };
  const part = { ...open.part, [end.field]: said };
  const textDone = { type: end.type, ...at, [end.field]: said, ...end.more };
  return { part, events: [textDone, { type: partDone, ...at, part }] };
}
