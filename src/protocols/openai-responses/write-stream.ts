import type { PartStart, ReplyEvent, Stop } from "../../domain/chat.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Json, ReplyHead, StreamWriter } from "../protocol.ts";
import { writeEvent } from "../sse.ts";
import { textPart } from "../text-part.ts";
import { echoOf, type ResponseState, responseObject } from "./response-object.ts";
import { writeResponsesStop } from "./stop.ts";
import { writeResponseError } from "./write-error.ts";
import {
  closingPart,
  ItemNames,
  isWritable,
  type OutputItem,
  type WritablePart,
  writeItem,
} from "./write-item.ts";
import { closingEvents, deltaHead, openingEvents, type PartEvent, type PlacedPart } from "./write-part.ts";
import { writeResponsesUsage } from "./write-usage.ts";

export function responsesStreamWriter(head: ReplyHead): StreamWriter {
  return new ResponsesStreamWriter(head);
}

/** Its item, once there is something to say, and how each event that says more begins. */
type GrowingPart = { part: WritablePart; opened: { placed: PlacedPart; deltaHead: string } | null };

type LifeCycle = "created" | "in_progress" | "completed" | "incomplete" | "failed";

class ResponsesStreamWriter implements StreamWriter {
  readonly #head: ReplyHead;
  readonly #names: ItemNames;
  readonly #growing = new Map<number, GrowingPart>();
  /** Finished items at their places in the output. */
  readonly #output: OutputItem[] = [];
  #sequence = 0;
  #hasBegun = false;
  #hasRefusal = false;
  #isOver = false;

  constructor(head: ReplyHead) {
    this.#head = head;
    this.#names = new ItemNames(head.id);
  }

  write(event: ReplyEvent): string {
    if (this.#isOver) return "";
    switch (event.kind) {
      case "start":
        return this.#begin();
      case "part-start":
        return this.#start(event.index, event.part);
      case "part-delta":
        return this.#say(event.index, event.text);
      case "part-seal": {
        const part = this.#growing.get(event.index)?.part;
        if (part?.kind === "reasoning") part.seal = event.seal;
        return "";
      }
      case "part-citation": {
        const part = this.#growing.get(event.index)?.part;
        if (part?.kind === "text") part.citations.push(event.citation);
        return "";
      }
      case "part-end":
        return this.#finish(event.index);
      case "end":
        return this.#end(event.stop, event.usage);
      case "failure":
        // What the upstream said is for the log; the client gets our own words, by way of `failure`.
        return "";
      default:
        return event satisfies never;
    }
  }

  failure(body: Json): string {
    if (this.#isOver) return "";
    const begun = this.#begin();
    this.#isOver = true;
    return begun + this.#response("failed", { status: "failed", error: writeResponseError(body) });
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    const state = { status: "in_progress" } as const;
    return this.#response("created", state) + this.#response("in_progress", state);
  }

  #start(index: number, start: PartStart): string {
    if (start.kind === "foreign") return this.#begin();
    const growing: GrowingPart = { part: emptyPart(start), opened: null };
    this.#growing.set(index, growing);
    // A call says something by being made; the rest may yet turn out to be empty.
    return start.kind === "tool-call" ? this.#begin() + this.#open(growing) : this.#begin();
  }

  #say(index: number, text: string): string {
    const growing = this.#growing.get(index);
    if (growing === undefined || text === "") return "";
    const { part } = growing;
    if (part.kind === "tool-call") part.input += text;
    else part.text += text;
    const opening = growing.opened === null ? this.#open(growing) : "";
    return opening + this.#delta(growing, text);
  }

  #open(growing: GrowingPart): string {
    const { part } = growing;
    const { place, ...name } = this.#names.name(part);
    const placed = { part, name, place };
    growing.opened = { placed, deltaHead: deltaHead(placed) };
    if (part.kind === "refusal") this.#hasRefusal = true;
    return this.#events(openingEvents(placed));
  }

  #delta({ opened }: GrowingPart, text: string): string {
    if (opened === null) return "";
    return `${opened.deltaHead}${JSON.stringify(text)},"sequence_number":${this.#next()}}\n\n`;
  }

  #finish(index: number): string {
    const growing = this.#growing.get(index);
    if (growing === undefined) return "";
    this.#growing.delete(index);
    return growing.opened !== null || isWritable(growing.part) ? this.#close(growing) : "";
  }

  #close(growing: GrowingPart): string {
    const opening = growing.opened === null ? this.#open(growing) : "";
    if (growing.opened === null) return "";
    const { part } = growing;
    const { placed } = growing.opened;
    const item = writeItem(part, placed.name);
    // A function that was given nothing is given an empty object, and its client hears of it as of any other.
    const isBare = item.type === "function_call" && part.kind === "tool-call" && part.input === "";
    const filling = isBare ? this.#delta(growing, item.arguments) : "";
    this.#output[placed.place] = item;
    return opening + filling + this.#events(closingEvents(placed, item));
  }

  #end(stop: Stop, usage: Usage | null): string {
    let text = this.#begin();
    for (const index of [...this.#growing.keys()]) text += this.#finish(index);
    const isEmpty = this.#output.length === 0;
    const closing = closingPart(stop, { hasRefusal: this.#hasRefusal, isEmpty });
    if (closing !== null) text += this.#whole(closing);
    this.#isOver = true;
    const told = writeResponsesStop(stop);
    return text + this.#response(told.status, { ...told, usage });
  }

  /** A part of our own, all at once. */
  #whole(part: WritablePart): string {
    const growing: GrowingPart = { part, opened: null };
    const opening = this.#open(growing);
    const saying = part.kind === "refusal" ? this.#delta(growing, part.text) : "";
    return opening + saying + this.#close(growing);
  }

  #response(
    name: LifeCycle,
    state: Partial<Omit<ResponseState, "usage">> & { status: ResponseState["status"]; usage?: Usage | null },
  ): string {
    const response = responseObject(echoOf(this.#head), {
      incompleteReason: null,
      error: null,
      // Places of items that never ended stay empty.
      output: this.#output.filter(item => item !== undefined),
      ...state,
      usage: state.usage === undefined || state.usage === null ? null : writeResponsesUsage(state.usage),
    });
    const type = `response.${name}`;
    return writeEvent(type, { type, sequence_number: this.#next(), response });
  }

  #events(events: readonly PartEvent[]): string {
    return events.map(event => writeEvent(event.type, { ...event, sequence_number: this.#next() })).join("");
  }

  #next(): number {
    const number = this.#sequence;
    this.#sequence += 1;
    return number;
  }
}

function emptyPart(start: Exclude<PartStart, { kind: "foreign" }>): WritablePart {
  switch (start.kind) {
    case "text":
      return textPart("");
    case "reasoning":
      return { kind: "reasoning", text: "", seal: null };
    case "refusal":
      return { kind: "refusal", text: "" };
    case "tool-call":
      return { ...start, input: "", cache: null };
    default:
      return start satisfies never;
  }
}
