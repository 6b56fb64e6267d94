import type { PartStart, ReplyEvent } from "../../domain/chat.ts";
import {
  isAbsent,
  isObject,
  listOf,
  numberOf,
  objectOf,
  parsedObject,
  textOf,
  textOrNull,
} from "../json-value.ts";
import type { Json, SseEvent, StreamReader } from "../protocol.ts";
import { startOf } from "../reply-part.ts";
import { readCitation } from "./read-content.ts";
import { readItem } from "./read-item.ts";
import { readBeginning } from "./read-reply.ts";
import { readResponsesUsage } from "./read-usage.ts";
import { readResponsesStop } from "./stop.ts";
import { type StreamItem, StreamItems } from "./stream-items.ts";
import { type ToldPart, ToldParts } from "./told-parts.ts";

const MESSAGE_CHARACTERS_MAX = 500;

export function responsesStreamReader(): StreamReader {
  return new ResponsesStreamReader();
}

class ResponsesStreamReader implements StreamReader {
  readonly #told = new ToldParts();
  readonly #items = new StreamItems();
  #hasBegun = false;
  #isOver = false;

  read({ event, data }: SseEvent): ReplyEvent[] {
    if (this.#isOver) return [];
    const message = parsedObject(data);
    if (message === null) return [];
    this.#read(textOrNull(message["type"]) ?? event ?? "", message);
    return this.#told.take();
  }

  finish(): ReplyEvent[] {
    if (this.#isOver) return [];
    this.#fail("the stream ended before the response did");
    return this.#told.take();
  }

  #read(type: string, message: Json): void {
    switch (type) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        this.#begin(objectOf(message["response"]));
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.done":
        this.#end(type, objectOf(message["response"]));
        break;
      case "response.failed":
      case "response.cancelled":
        this.#fail(failureText(objectOf(message["response"])["error"]) ?? type);
        break;
      case "error":
        this.#fail(failureText(message["error"] ?? message) ?? type);
        break;
      default:
        if (type.startsWith("response.")) this.#readOutput(type, message);
    }
  }

  #readOutput(type: string, message: Json): void {
    const delta = textOf(message["delta"]);
    switch (type) {
      case "response.output_item.added":
        this.#addItem(objectOf(message["item"]), message["output_index"]);
        break;
      case "response.output_item.done":
        this.#begin({});
        this.#completeItem(
          objectOf(message["item"]),
          this.#items.ofItem(objectOf(message["item"]), message["output_index"]),
        );
        break;
      case "response.content_part.added":
        this.#addContent(message);
        break;
      case "response.output_text.delta":
        this.#say(this.#content(message, "text"), delta);
        break;
      case "response.output_text.done":
        this.#sayRest(this.#content(message, "text"), message["text"]);
        break;
      case "response.output_text.annotation.added":
        this.#cite(message);
        break;
      case "response.refusal.delta":
        this.#say(this.#content(message, "refusal"), delta);
        break;
      case "response.refusal.done":
        this.#sayRest(this.#content(message, "refusal"), message["refusal"]);
        break;
      case "response.reasoning_summary_text.delta":
        this.#reason(message, "summary");
        break;
      case "response.reasoning_text.delta":
        this.#reason(message, "content");
        break;
      case "response.function_call_arguments.delta":
        this.#say(this.#call(message, "function_call"), delta);
        break;
      case "response.function_call_arguments.done":
        this.#sayRest(this.#call(message, "function_call"), message["arguments"]);
        break;
      case "response.custom_tool_call_input.delta":
        this.#say(this.#call(message, "custom_tool_call"), delta);
        break;
      case "response.custom_tool_call_input.done":
        this.#sayRest(this.#call(message, "custom_tool_call"), message["input"]);
        break;
      default:
    }
  }

  /** Some upstreams begin without saying so. */
  #begin(response: Json): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#told.tell({ kind: "start", ...readBeginning(response), usage: null });
  }

  #addItem(item: Json, index: unknown): void {
    this.#begin({});
    const known = this.#items.ofItem(item, index);
    if (known.type === "message" || known.type === "reasoning" || known.parts.size > 0) return;
    const [part] = readItem(item);
    const isCall = known.type === "function_call" || known.type === "custom_tool_call";
    // A call that has no name yet may have one at its end.
    if (part === undefined || (isCall && part.kind !== "tool-call")) return;
    this.#told.begin(this.#partAt(known, { place: 0, start: startOf(part) }));
  }

  #addContent(message: Json): void {
    const type = textOf(objectOf(message["part"])["type"]);
    if (type === "output_text" || type === "refusal" || type === "reasoning_text") return;
    this.#begin({});
    const item = this.#items.ofEvent(message, "message");
    const place = numberOf(message["content_index"]);
    if (item !== null) this.#told.begin(this.#partAt(item, { place, start: { kind: "foreign", type } }));
  }

  #content(message: Json, kind: "text" | "refusal"): ToldPart | null {
    const item = this.#items.ofEvent(message, "message");
    if (item === null) return null;
    const part = this.#partAt(item, { place: numberOf(message["content_index"]), start: { kind } });
    return part.start.kind === kind ? part : null;
  }

  /** Without a name it cannot be told: it waits for the end of the item. */
  #call(message: Json, type: string): ToldPart | null {
    return this.#items.ofEvent(message, type)?.parts.get(0) ?? null;
  }

  /** Its pieces are paragraphs. Of a summary and the thing itself, the one that came first is told. */
  #reason(message: Json, source: "summary" | "content"): void {
    const item = this.#items.ofEvent(message, "reasoning");
    if (item === null || (item.source ?? source) !== source) return;
    const part = this.#partAt(item, { place: 0, start: { kind: "reasoning" } });
    const section = numberOf(message[source === "summary" ? "summary_index" : "content_index"]);
    const delta = textOf(message["delta"]);
    const isNew = section !== item.section && part.said !== "" && delta !== "";
    item.source = source;
    if (delta !== "") item.section = section;
    this.#say(part, isNew ? `\n\n${delta}` : delta);
  }

  #say(part: ToldPart | null, text: string): void {
    if (part === null) return;
    this.#begin({});
    this.#told.say(part, text);
  }

  #sayRest(part: ToldPart | null, whole: unknown): void {
    if (part === null) return;
    this.#begin({});
    this.#told.sayRest(part, textOf(whole));
  }

  #cite(message: Json): void {
    const part = this.#content(message, "text");
    const citation = readCitation(message["annotation"]);
    if (part === null || citation === null) return;
    this.#begin({});
    this.#told.cite(part, citation);
  }

  #completeItem(item: Json, known: StreamItem): void {
    if (known.isDone) return;
    known.isDone = true;
    for (const [place, whole] of readItem(item).entries()) {
      const part = this.#partAt(known, { place, start: startOf(whole) });
      if (part.start.kind === whole.kind) this.#told.complete(part, whole);
    }
    this.#told.closeAll(known.parts.values());
  }

  #partAt(item: StreamItem, { place, start }: { place: number; start: PartStart }): ToldPart {
    const known = item.parts.get(place);
    if (known !== undefined) return known;
    const part = this.#told.part(start);
    item.parts.set(place, part);
    return part;
  }

  #end(type: string, response: Json): void {
    const { status = type.slice("response.".length), error } = response;
    if (!isAbsent(error) || status === "failed" || status === "cancelled") {
      this.#fail(failureText(error) ?? textOf(status));
      return;
    }
    this.#begin(response);
    for (const [place, item] of listOf(response["output"]).entries())
      if (isObject(item)) this.#completeItem(item, this.#items.atPlace(item, place));
    this.#told.closeAll();
    this.#isOver = true;
    const { hasCalls, hasRefusal } = this.#told;
    const incompleteReason = objectOf(response["incomplete_details"])["reason"];
    const ending = {
      status: status === "done" ? "completed" : status,
      incompleteReason,
      hasCalls,
      hasRefusal,
    };
    this.#told.tell({
      kind: "end",
      stop: readResponsesStop(ending),
      usage: readResponsesUsage(response["usage"]),
    });
  }

  /** What is open stays open: a call that was cut off must not look like one that was made. */
  #fail(message: string): void {
    this.#isOver = true;
    this.#told.tell({ kind: "failure", message: message.slice(0, MESSAGE_CHARACTERS_MAX) });
  }
}

function failureText(error: unknown): string | null {
  const { code, message } = objectOf(error);
  const texts = [code, message].filter(text => typeof text === "string" && text !== "");
  return texts.length === 0 ? null : texts.join(": ");
}
