import type { Usage } from "../../domain/usage.ts";
import { ContentMeter, valueAt } from "../content-meter.ts";
import { type EventRules, EventTap, SAMPLE_BYTES_MAX } from "../event-tap.ts";
import { isAbsent, isDeep, isObject, objectOf } from "../json-value.ts";
import type { Json, Report, Tap, TapOptions } from "../protocol.ts";
import { renamedInside } from "../rename-model.ts";
import { eventJson, eventName } from "../sse.ts";
import { type Begun, responsesFailureEnd, responsesLengthEnd } from "./length-end.ts";
import { OutputItems } from "./output-items.ts";
import { readResponsesUsage } from "./read-usage.ts";

/** What is said comes in pieces of this name; the events that end a part only repeat it. */
const FIELDS = [Buffer.from('"delta"')];
/** The whole answer, as it stands at its start and its end. */
const RESPONSE = Buffer.from('"response"');
/** The start and the end of an item, and of a part of one. */
const ITEM = Buffer.from("_item.");
const PART = Buffer.from("_part.");
const ERROR = Buffer.from("error");
const SEQUENCE = Buffer.from('"sequence_number"');
const HEAD_BYTES_MAX = 1_048_576;
const DIGITS_MAX = 12;
const ZERO = 0x30;
const NINE = 0x39;

/** Watches a responses stream go by. All of it passes, but for the model's name where the upstream has another. */
export function responsesTap(options: TapOptions): Tap {
  return new EventTap(new ResponsesRules(options), options.eventBytesMax);
}

class ResponsesRules implements EventRules {
  ended = false;
  failed = false;
  readonly content = new ContentMeter(FIELDS, SAMPLE_BYTES_MAX);
  readonly #options: TapOptions;
  readonly #items = new OutputItems();
  /** The event that began it, as it came: it may hold long instructions, and is parsed only where it is needed. */
  #head: Buffer | null = null;
  #sequence = -1;
  #usage: Usage | null = null;
  #bad = false;

  constructor(options: TapOptions) {
    this.#options = options;
  }

  get isWhole(): boolean {
    return this.ended;
  }

  reported(): Report {
    return { usage: this.#usage, isFinal: this.ended && this.#usage !== null, bad: this.#bad };
  }

  isPlain(events: Buffer): boolean {
    if (this.#items.isMixed || events.indexOf(RESPONSE) >= 0 || events.indexOf(ERROR) >= 0) return false;
    return events.indexOf(ITEM) < 0 && events.indexOf(PART) < 0;
  }

  pass(events: Buffer): void {
    this.#count(events);
    this.content.read(events);
  }

  read(event: Buffer): Uint8Array | null {
    const json = this.isPlain(event) ? null : eventJson(event);
    if (isError(event, json)) {
      this.failed = !this.ended;
      return null;
    }
    if (json === null) {
      this.pass(event);
      return event;
    }
    this.#count(event);
    this.#note(event, json);
    const { renameTo } = this.#options;
    if (renameTo === null || !isObject(json["response"])) return event;
    return renamedInside(event, { inside: "response", name: renameTo });
  }

  lengthEnd(usage: { input: number; output: number }): string {
    return responsesLengthEnd({ begun: this.#begun(), items: this.#items, usage });
  }

  failureEnd(body: Json): string {
    return responsesFailureEnd(this.#begun(), body);
  }

  #begun(): Begun {
    const told = this.#head === null ? null : eventJson(this.#head)?.["response"];
    const response = isObject(told) && !isDeep(told) ? told : null;
    const { request, renameTo } = this.#options;
    const own = response?.["model"];
    const model = renameTo ?? (typeof own === "string" ? own : request.model);
    return { response, model, sequence: this.#sequence + 1 };
  }

  #note(event: Buffer, json: Json): void {
    const type = String(json["type"]);
    switch (type) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        if (event.length <= HEAD_BYTES_MAX) this.#head ??= Buffer.from(event);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.cancelled":
        this.#end(objectOf(json["response"])["usage"]);
        break;
      case "response.output_item.added":
      case "response.output_item.done":
      case "response.content_part.added":
      case "response.content_part.done":
      case "response.reasoning_summary_part.added":
      case "response.reasoning_summary_part.done":
        this.#items.note(json, event.length);
        this.content.also = this.#items.sink;
        break;
      default:
        if (!type.endsWith(".delta")) break;
        this.content.read(event);
        if (this.#items.isMixed) this.#items.add(json);
    }
  }

  #end(usage: unknown): void {
    this.ended = true;
    this.#usage = readResponsesUsage(usage);
    this.#bad = this.#usage === null && isObject(usage);
  }

  /** Events are numbered, and ours go on from the last. */
  #count(events: Buffer): void {
    const at = events.lastIndexOf(SEQUENCE);
    if (at >= 0)
      this.#sequence = Math.max(this.#sequence, numberAt(events, valueAt(events, at + SEQUENCE.length)));
  }
}

function numberAt(data: Buffer, from: number): number {
  let value = -1;
  for (let at = from; at < from + DIGITS_MAX; at++) {
    const byte = data[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
    value = Math.max(value, 0) * 10 + byte - ZERO;
  }
  return value;
}

/** An answer that failed says so as well, and neither is for the client to read. */
function isError(event: Buffer, json: Json | null): boolean {
  const type = json?.["type"];
  if (type === "error" || type === "response.failed") return true;
  if (event.indexOf(ERROR) < 0) return false;
  if (eventName(event) === "error") return true;
  return json !== null && type === undefined && !isAbsent(json["error"]);
}
