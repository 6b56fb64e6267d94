import type { Usage } from "../../domain/usage.ts";
import { stringEnd, valueAt } from "../content-meter.ts";
import { type EventRules, EventTap, SAMPLE_BYTES_MAX } from "../event-tap.ts";
import { scanObject } from "../json-object.ts";
import { isAbsent, isObject } from "../json-value.ts";
import type { Json, Report, Tap, TapOptions } from "../protocol.ts";
import { dataStart, eventData, eventJson, writeEvent } from "../sse.ts";
import { chatMeter } from "./content-bytes.ts";
import { chatLengthEnd, hasFinish, isFinishReason, OpenChoices } from "./length-end.ts";
import { readChatUsage } from "./read-usage.ts";

/** Enough of the first events to know the answer by. */
const HEAD_BYTES_MAX = 1_024;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
/** The first letter of null. */
const NULL = 0x6e;
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
const DONE = Buffer.from("[DONE]");
const MODEL = Buffer.from('"model"');

/**
 * Watches a chat stream go by. Only the usage chunk that the gateway asked for itself is withheld, and the model's name
 * is put back where the upstream knows it by another.
 */
export function chatTap(options: TapOptions): Tap {
  return new EventTap(new ChatRules(options), options.eventBytesMax);
}

class ChatRules implements EventRules {
  ended = false;
  failed = false;
  readonly content = chatMeter(SAMPLE_BYTES_MAX);
  readonly #options: TapOptions;
  readonly #choices: OpenChoices;
  #head: Uint8Array | null = null;
  #usage: Usage | null = null;
  #isFinal = false;
  #bad = false;

  constructor(options: TapOptions) {
    this.#options = options;
    this.#choices = new OpenChoices(options.request.choices);
  }

  /** Some upstreams never say [DONE]. That a choice ended, or the usage of all of them, is an end as well. */
  get isWhole(): boolean {
    return this.ended || this.#isFinal || this.#choices.hasEnded;
  }

  reported(): Report {
    return { usage: this.#usage, isFinal: this.#isFinal, bad: this.#bad };
  }

  isPlain(events: Buffer): boolean {
    if (this.#options.renameTo !== null || mayHaveUsage(events)) return false;
    return events.indexOf(ERROR) < 0 && events.indexOf(DONE) < 0 && !hasFinish(events);
  }

  pass(events: Buffer): void {
    this.#head ??= Buffer.from(events.subarray(0, HEAD_BYTES_MAX));
    this.content.read(events);
  }

  read(event: Buffer): Uint8Array | null {
    if (event.indexOf(ERROR) >= 0 && isError(event)) {
      this.failed = !this.ended;
      return null;
    }
    if (event.indexOf(DONE) >= 0 && eventData(event).trim() === "[DONE]") this.ended = true;
    if (hasFinish(event)) this.#choices.read(event);
    if (mayHaveUsage(event) && this.#isUsageChunk(event)) return null;
    this.pass(event);
    const { renameTo } = this.#options;
    return renameTo === null ? event : renamed(event, renameTo);
  }

  lengthEnd(usage: { input: number; output: number }): string {
    const { model, wantsUsage } = this.#options.request;
    const choices = this.#choices.indexes;
    return chatLengthEnd({ head: this.#head, model, choices, usage: wantsUsage ? usage : null });
  }

  failureEnd(body: Json): string {
    return writeEvent(null, body);
  }

  /** Reads the usage of an event; true where the event is nothing but usage that the client did not ask for. */
  #isUsageChunk(event: Buffer): boolean {
    const chunk = eventJson(event);
    if (chunk === null || typeof chunk["usage"] !== "object" || chunk["usage"] === null) return false;
    const choices: unknown[] = Array.isArray(chunk["choices"]) ? chunk["choices"] : [{}];
    const read = readChatUsage(chunk["usage"]);
    this.#bad = read === null;
    this.#usage = read ?? this.#usage;
    this.#isFinal = choices.every(isFinished);
    return !this.#options.request.wantsUsage && choices.length === 0;
  }
}

function isFinished(choice: unknown): boolean {
  return isObject(choice) && isFinishReason(choice["finish_reason"]);
}

/** Some upstreams give the error as an object, some as a text, and some name the field where there is none. */
function isError(event: Buffer): boolean {
  return !isAbsent(eventJson(event)?.["error"]);
}

/** Whether any `"usage"` is more than null, as it is on all chunks but the last; parsing tells whether it is one. */
function mayHaveUsage(data: Buffer): boolean {
  for (let at = data.indexOf(USAGE); at >= 0; at = data.indexOf(USAGE, at + 1)) {
    if (data[valueAt(data, at + USAGE.length)] !== NULL) return true;
  }
  return false;
}

/** Where the value of the event's own `"model"` begins, as against one deeper inside; -1 where it has none. */
function modelValue(event: Buffer): number {
  const at = event.indexOf(MODEL);
  if (at < 0) return -1;
  const deeper = event.indexOf(OPEN_BRACE, event.indexOf(OPEN_BRACE) + 1);
  const first = valueAt(event, at + MODEL.length);
  if (at < deeper && event[first] === QUOTE) return first;
  const from = event.indexOf(OPEN_BRACE, dataStart(event));
  const { fields } = scanObject(event.subarray(from), Number.MAX_SAFE_INTEGER);
  const field = fields.find(({ name }) => name === "model");
  return field === undefined ? -1 : from + field.valueStart;
}

/** The event with the value of its own `"model"` replaced, wherever else in it the word may stand. */
function renamed(event: Buffer, name: string): Uint8Array {
  const value = modelValue(event);
  if (event[value] !== QUOTE) return event;
  const end = stringEnd(event, value);
  return Buffer.concat([
    event.subarray(0, value),
    Buffer.from(JSON.stringify(name)),
    event.subarray(end + 1),
  ]);
}
