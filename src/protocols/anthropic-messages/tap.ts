import type { Usage } from "../../domain/usage.ts";
import { ContentMeter } from "../content-meter.ts";
import { type EventRules, EventTap, SAMPLE_BYTES_MAX } from "../event-tap.ts";
import { isAbsent, isObject, jsonText, objectOf } from "../json-value.ts";
import type { Json, Report, Tap, TapOptions } from "../protocol.ts";
import { renamedInside } from "../rename-model.ts";
import { eventJson, eventName, writeEvent } from "../sse.ts";
import { messagesLengthEnd } from "./length-end.ts";
import { mergedUsage } from "./merge-usage.ts";
import { readMessagesUsage } from "./read-usage.ts";

const FIELDS = ['"text"', '"thinking"', '"partial_json"'].map(field => Buffer.from(field));
/** The start, the end and the usage of a message. */
const MESSAGE = Buffer.from("message_");
/** The start and the stop of a block. */
const BLOCK = Buffer.from("content_block_st");
const ERROR = Buffer.from("error");
/** Far more than an answer has: an upstream that never stops its blocks must not fill the memory with them. */
const OPEN_BLOCKS_MAX = 20_000;

/** Watches a messages stream go by. All of it passes, but for the model's name where the upstream has another. */
export function messagesTap(options: TapOptions): Tap {
  return new EventTap(new MessagesRules(options), options.eventBytesMax);
}

class MessagesRules implements EventRules {
  ended = false;
  failed = false;
  readonly content = new ContentMeter(FIELDS, SAMPLE_BYTES_MAX);
  readonly #options: TapOptions;
  readonly #openBlocks = new Set<number>();
  #hasBegun = false;
  #told: Json | null = null;
  /** More was told than what is known at the start. */
  #isToldAgain = false;
  #isFinal = false;

  constructor(options: TapOptions) {
    this.#options = options;
  }

  get isWhole(): boolean {
    return this.ended;
  }

  /** What the start tells of the output is no count of it. */
  reported(): Report {
    const isOfUse = this.#told !== null && (this.#isToldAgain || !this.ended);
    const usage = isOfUse ? this.#usage() : null;
    return { usage, isFinal: this.#isFinal, bad: isOfUse && usage === null };
  }

  isPlain(events: Buffer): boolean {
    return events.indexOf(MESSAGE) < 0 && events.indexOf(BLOCK) < 0 && events.indexOf(ERROR) < 0;
  }

  pass(events: Buffer): void {
    this.content.read(events);
  }

  read(event: Buffer): Uint8Array | null {
    const json = this.isPlain(event) ? null : eventJson(event);
    if (isError(event, json)) {
      this.failed = !this.ended;
      return null;
    }
    if (json === null) this.pass(event);
    else this.#note(event, json);
    const { renameTo } = this.#options;
    if (renameTo === null || json?.["type"] !== "message_start") return event;
    return renamedInside(event, { inside: "message", name: renameTo });
  }

  lengthEnd({ input, output }: { input: number; output: number }): string {
    return messagesLengthEnd({
      model: this.#options.request.model,
      hasBegun: this.#hasBegun,
      openBlocks: this.#openBlocks,
      input: this.#usage() === null ? input : null,
      output,
    });
  }

  failureEnd(body: Json): string {
    return writeEvent("error", body);
  }

  #usage(): Usage | null {
    return this.#told === null ? null : readMessagesUsage(this.#told);
  }

  #note(event: Buffer, json: Json): void {
    const index = typeof json["index"] === "number" ? json["index"] : 0;
    switch (json["type"]) {
      case "message_start":
        this.#hasBegun = true;
        this.#tell(objectOf(json["message"])["usage"]);
        break;
      case "content_block_start":
        if (this.#openBlocks.size < OPEN_BLOCKS_MAX) this.#openBlocks.add(index);
        this.#startBlock(event, objectOf(json["content_block"]));
        break;
      case "content_block_stop":
        this.#openBlocks.delete(index);
        break;
      case "message_delta":
        this.#tell(json["usage"]);
        this.#isToldAgain ||= !isAbsent(objectOf(json["usage"])["output_tokens"]);
        this.#isFinal ||= this.#isToldAgain && !isAbsent(objectOf(json["delta"])["stop_reason"]);
        break;
      case "message_stop":
        this.ended = true;
        break;
      default:
        this.pass(event);
    }
  }

  #tell(usage: unknown): void {
    if (isObject(usage)) this.#told = mergedUsage(this.#told, usage);
  }

  /** Some upstreams begin a block with all that is in it. What a tool of the upstream's gave back nobody said. */
  #startBlock(event: Buffer, { type, input }: Json): void {
    if (type === "text" || type === "thinking") this.pass(event);
    if (isObject(input) && Object.keys(input).length > 0) this.content.add(jsonText(input));
  }
}

/** Most name it in the event, and all in its data. */
function isError(event: Buffer, json: Json | null): boolean {
  if (event.indexOf(ERROR) < 0) return false;
  if (json?.["type"] === "error" || eventName(event) === "error") return true;
  return json !== null && json["type"] === undefined && !isAbsent(json["error"]);
}
