import type { Usage } from "../../domain/usage.ts";
import { valueAt } from "../content-meter.ts";
import { isObject } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { eventJson, writeEvent } from "../sse.ts";

export type LengthEnd = {
  /** The first bytes of the stream, from which its id and time are taken. */
  head: Uint8Array | null;
  model: string;
  /** Those that have not ended by themselves. */
  choices: readonly number[];
  /** For a client that asked for it; null where it did not. */
  usage: Pick<Usage, "input" | "output"> | null;
};

/** The events with which a chat stream ends when its length limit is reached. */
export function chatLengthEnd({ head, model, choices, usage }: LengthEnd): string {
  const begun = head === null ? "" : Buffer.from(head).toString("utf8");
  const id = /"id"\s*:\s*"([^"\\]{1,200})"/.exec(begun)?.[1] ?? "chatcmpl-ended";
  const created = Number(/"created"\s*:\s*(\d{1,12})/.exec(begun)?.[1] ?? 0);
  const chunk = { id, object: "chat.completion.chunk", created, model };
  const events = choices.map(index => {
    return { ...chunk, choices: [{ index, delta: {}, logprobs: null, finish_reason: "length" }] };
  });
  const lines = events.map(event => writeEvent(null, event));
  if (usage !== null) {
    const { input, output } = usage;
    const counted = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    lines.push(writeEvent(null, { ...chunk, choices: [], usage: counted }));
  }
  return `${lines.join("")}data: [DONE]\n\n`;
}

const FINISH_REASON = Buffer.from('"finish_reason"');
const QUOTE = 0x22;

/** Which choices of a stream have not ended by themselves: a client is told only once how a choice ended. */
export class OpenChoices {
  readonly #open: Set<number>;
  /** One of them has, at least. */
  hasEnded = false;

  constructor(count: number) {
    this.#open = new Set(Array.from({ length: count }, (_, index) => index));
  }

  get indexes(): number[] {
    return [...this.#open];
  }

  /** One event, which is worth parsing only where it may end a choice. */
  read(event: Buffer): void {
    const choices = eventJson(event)?.["choices"];
    if (!Array.isArray(choices)) return;
    for (const choice of choices) if (isObject(choice)) this.#readChoice(choice);
  }

  #readChoice({ finish_reason: reason, index }: Json): void {
    if (!isFinishReason(reason)) return;
    this.hasEnded = true;
    this.#open.delete(typeof index === "number" ? index : 0);
  }
}

/** Where a choice has not ended, most upstreams write null, and some an empty text. */
export function isFinishReason(reason: unknown): boolean {
  return typeof reason === "string" && reason !== "";
}

/** Whether any `"finish_reason"` may be one. */
export function hasFinish(events: Buffer): boolean {
  for (let at = events.indexOf(FINISH_REASON); at >= 0; at = events.indexOf(FINISH_REASON, at + 1)) {
    const value = valueAt(events, at + FINISH_REASON.length);
    if (events[value] === QUOTE && events[value + 1] !== QUOTE) return true;
  }
  return false;
}
