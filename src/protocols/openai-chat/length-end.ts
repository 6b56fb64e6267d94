import type { Usage } from "../../domain/usage.ts";
import { valueAt } from "./content-bytes.ts";

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
export function chatLengthEnd({ head, model, choices, usage }: LengthEnd): Buffer {
  const begun = head === null ? "" : Buffer.from(head).toString("utf8");
  const id = /"id"\s*:\s*"([^"\\]{1,200})"/.exec(begun)?.[1] ?? "chatcmpl-ended";
  const created = Number(/"created"\s*:\s*(\d{1,12})/.exec(begun)?.[1] ?? 0);
  const chunk = { id, object: "chat.completion.chunk", created, model };
  const events: unknown[] = choices.map(index => {
    return { ...chunk, choices: [{ index, delta: {}, logprobs: null, finish_reason: "length" }] };
  });
  if (usage !== null) {
    const { input, output } = usage;
    const counted = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    events.push({ ...chunk, choices: [], usage: counted });
  }
  const lines = events.map(event => `data: ${JSON.stringify(event)}\n\n`);
  return Buffer.from(`${lines.join("")}data: [DONE]\n\n`);
}

const FINISH_REASON = Buffer.from('"finish_reason"');
const QUOTE = 0x22;

/** Which choices of a stream have not ended by themselves: a client is told only once how a choice ended. */
export class OpenChoices {
  readonly #open: Set<number>;

  constructor(count: number) {
    this.#open = new Set(Array.from({ length: count }, (_, index) => index));
  }

  get indexes(): number[] {
    return [...this.#open];
  }

  /** Whole events. They are parsed only where one ends a choice. */
  read(events: Uint8Array): void {
    const bytes = Buffer.from(events.buffer, events.byteOffset, events.byteLength);
    if (!hasFinish(bytes)) return;
    for (const line of bytes.toString("utf8").split(/\r\n|\n|\r/)) {
      if (line.startsWith("data:")) for (const index of finished(line.slice(5))) this.#open.delete(index);
    }
  }
}

function hasFinish(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(FINISH_REASON); at >= 0; at = bytes.indexOf(FINISH_REASON, at + 1)) {
    if (bytes[valueAt(bytes, at + FINISH_REASON.length)] === QUOTE) return true;
  }
  return false;
}

type FinishedChunk = { choices?: { index?: number; finish_reason?: string | null }[] };

function finished(data: string): number[] {
  try {
    const { choices } = JSON.parse(data) as FinishedChunk;
    const ended = choices?.filter(choice => typeof choice.finish_reason === "string") ?? [];
    return ended.map(({ index }) => index ?? 0);
  } catch {
    return [];
  }
}
