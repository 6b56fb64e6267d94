import type { Usage } from "../../domain/usage.ts";

export type LengthEnd = {
  /** The first bytes of the stream, from which its id and time are taken. */
  head: Uint8Array | null;
  model: string;
  choices: number;
  /** For a client that asked for it; null where it did not. */
  usage: Pick<Usage, "input" | "output"> | null;
};

/** The events with which a chat stream ends when its length limit is reached. */
export function chatLengthEnd({ head, model, choices, usage }: LengthEnd): Buffer {
  const begun = head === null ? "" : Buffer.from(head).toString("utf8");
  const id = /"id"\s*:\s*"([^"\\]{1,200})"/.exec(begun)?.[1] ?? "chatcmpl-ended";
  const created = Number(/"created"\s*:\s*(\d{1,12})/.exec(begun)?.[1] ?? 0);
  const chunk = { id, object: "chat.completion.chunk", created, model };
  const events: unknown[] = Array.from({ length: choices }, (_, index) => {
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
