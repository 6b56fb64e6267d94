import type { Answer, Exchange, UpstreamFailure } from "./answer.ts";
import { type DemoPath, demoExchange } from "./demo.ts";

/** What the tests of the demo upstream share: asking, collecting, and folding a stream back into a message. */
export type Ask = { [field: string]: unknown };

export type Heard = {
  status: number;
  contentType: string | undefined;
  reads: string[];
  text: string;
  bytes: Buffer;
  failure: UpstreamFailure | null;
};

export const CLOCK = { nowMs: () => 1_760_000_000_123 };
export const HELLO = [{ role: "user", content: "What is a wicket gate?" }];

export function exchange(ask: Ask | string, model = "demo"): Exchange {
  const body = new TextEncoder().encode(typeof ask === "string" ? ask : JSON.stringify(ask));
  return demoExchange({ body, model }, CLOCK);
}

/** On any path; the body may be bytes, with their type. */
export async function hearAt(
  path: DemoPath,
  asked: { ask: Ask | string | Uint8Array; model?: string; contentType?: string },
): Promise<Heard> {
  const { ask, model = "demo", contentType = null } = asked;
  const text = typeof ask === "string" || ask instanceof Uint8Array ? ask : JSON.stringify(ask);
  const body = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return collect(await demoExchange({ body, model, path, contentType }, CLOCK).answer);
}

export async function hear(ask: Ask | string, model = "demo"): Promise<Heard> {
  return collect(await exchange(ask, model).answer);
}

export function collect(answer: Answer): Promise<Heard> {
  const decoder = new TextDecoder();
  const reads: string[] = [];
  const parts: Uint8Array[] = [];
  const { promise, resolve } = Promise.withResolvers<Heard>();
  const end = (failure: UpstreamFailure | null) =>
    resolve({
      status: answer.status,
      contentType: answer.headers.get("content-type"),
      reads,
      text: reads.join(""),
      bytes: Buffer.concat(parts),
      failure,
    });
  answer.read({
    onBytes: bytes => {
      parts.push(bytes);
      reads.push(decoder.decode(bytes));
    },
    onEnd: () => end(null),
    onFailure: end,
  });
  return promise;
}

export type Usage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens: number };
  completion_tokens_details?: { reasoning_tokens: number };
};
export type Call = { id: string; type: string; function: { name: string; arguments: string } };
export type Message = {
  role: string;
  content: string | null;
  refusal: string | null;
  tool_calls?: Call[];
  reasoning_content?: string;
};
export type Choice = { index: number; message: Message; logprobs: null; finish_reason: string };
export type Completion = { id: string; model: string; choices: [Choice]; usage?: Usage };
export type Chunk = {
  id: string;
  object: string;
  choices: { delta: Delta; finish_reason: string | null }[];
  usage?: Usage | null;
};
type Delta = Partial<Message> & {
  tool_calls?: (Partial<Call> & { index: number; function: Call["function"] })[];
};
export type OpenAiError = {
  error: { message: string; type: string; param: string | null; code: string | null };
};

export async function complete(ask: Ask, model = "demo"): Promise<Completion> {
  const heard = await hear(ask, model);
  if (heard.status !== 200) throw new Error(heard.text);
  return JSON.parse(heard.text);
}

export async function refused(ask: Ask | string, model = "demo"): Promise<OpenAiError["error"]> {
  const heard = await hear(ask, model);
  if (heard.status !== 400) throw new Error(`${heard.status}: ${heard.text}`);
  const body: OpenAiError = JSON.parse(heard.text);
  return body.error;
}

export async function chunksOf(ask: Ask, model = "demo"): Promise<Chunk[]> {
  const heard = await hear({ ...ask, stream: true }, model);
  return parseChunks(heard.reads);
}

/** The events of a stream, each of which came in a read of its own. */
export function parseEvents<Event>(reads: readonly string[]): Event[] {
  return reads.map(read => {
    const [, event, data] = /^event: (.+)\ndata: (.+)\n\n$/.exec(read) ?? [];
    const parsed = JSON.parse(data ?? "null");
    if (parsed?.type !== event) throw new Error(`not an event: ${read}`);
    return parsed;
  });
}

export function parseChunks(reads: readonly string[]): Chunk[] {
  return reads
    .filter(read => read !== "data: [DONE]\n\n")
    .map(read => JSON.parse(read.slice("data: ".length)));
}

export function fold(chunks: readonly Chunk[]): {
  message: Message;
  finish: string | null;
  usage: Usage | null;
} {
  const message: Message = { role: "", content: null, refusal: null };
  let finish: string | null = null;
  let usage: Usage | null = null;
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    for (const { delta, finish_reason } of chunk.choices) {
      finish = finish_reason ?? finish;
      message.role += delta.role ?? "";
      if (typeof delta.content === "string") message.content = (message.content ?? "") + delta.content;
      if (typeof delta.refusal === "string") message.refusal = (message.refusal ?? "") + delta.refusal;
      if (delta.reasoning_content !== undefined) {
        message.reasoning_content = (message.reasoning_content ?? "") + delta.reasoning_content;
      }
      for (const { index, id, type, function: called } of delta.tool_calls ?? []) {
        message.tool_calls ??= [];
        const known = message.tool_calls[index];
        if (known) known.function.arguments += called.arguments;
        else message.tool_calls[index] = { id: id ?? "", type: type ?? "", function: { ...called } };
      }
    }
  }
  return { message, finish, usage };
}
