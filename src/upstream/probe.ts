import type { Credential, Upstream } from "../domain/catalogue.ts";
import { type Part, type Prompt, plainPrompt } from "../domain/chat.ts";
import type { Clock } from "../domain/clock.ts";
import type { Dialect } from "../domain/usage.ts";
import { ReplyFold } from "../protocols/fold.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import { SseReader } from "../protocols/sse-reader.ts";
import {
  fieldsOf,
  type Heard,
  hear,
  isPage,
  parsed,
  statusTrouble,
  type Trouble,
  withoutCredential,
} from "./hear.ts";
import type { Sender } from "./send.ts";

export type Probe = {
  send: Sender;
  clock: Clock;
  upstream: Upstream;
  with: Credential | null;
  /** As the upstream knows it. */
  model: string;
  /** In clear, so that it can be kept out of what is told. */
  credential: string | null;
};

export type Probed =
  | { dialect: Dialect; firstByteMs: number; durationMs: number; text: string }
  | { dialect: Dialect; trouble: Trouble };

const QUESTION = "Answer with the one word: ready";
/** Some models think before they say a word. */
const OUTPUT_TOKENS_MAX = 512;
const ANSWER_BYTES_MAX = 1024 * 1024;
const ANSWER_MS_MAX = 60_000;

/** One small call, streamed, in the dialect that the upstream speaks first. It costs what so few words cost there. */
export async function probe({
  send,
  clock,
  upstream,
  with: chosen,
  model,
  credential,
}: Probe): Promise<Probed> {
  const dialect = upstream.speaks[0] ?? "chat";
  const protocol = PROTOCOLS[dialect];
  const target = { model, kind: upstream.kind, outputTokensMax: OUTPUT_TOKENS_MAX };
  const written = protocol.writePrompt(question(model), target);
  if ("problem" in written) return { dialect, trouble: { kind: "no-answer" } };
  const body = Buffer.from(JSON.stringify(written.body));
  const way = { upstream, credential: chosen, upstreamModel: model };
  const exchange = send({ ...way, path: dialect, stream: true, body, asks: null });
  const limits = { bytesMax: ANSWER_BYTES_MAX, msMax: ANSWER_MS_MAX };
  const answered = await hear(exchange, { limits, clock });
  if ("trouble" in answered) return { dialect, ...answered };
  const { heard } = answered;
  const trouble = statusTrouble(heard, credential);
  if (trouble !== null) return { dialect, trouble };
  if (isPage(heard)) return { dialect, trouble: { kind: "page" } };
  const text = textOf(protocol, heard);
  if (text === null) return { dialect, trouble: { kind: "no-answer" } };
  const { firstByteMs, durationMs } = heard;
  return { dialect, firstByteMs, durationMs, text: withoutCredential(text, credential) };
}

function textOf(protocol: Protocol, { contentType, text }: Heard): string | null {
  const reply = /\bjson\b/i.test(contentType)
    ? protocol.readReply(fieldsOf(parsed(text)))
    : streamed(protocol, text);
  if (reply === null) return null;
  return reply.parts.map(part => (part.kind === "text" || part.kind === "refusal" ? part.text : "")).join("");
}

function streamed(protocol: Protocol, text: string) {
  const events = new SseReader(ANSWER_BYTES_MAX);
  const reader = protocol.streamReader();
  const fold = new ReplyFold();
  for (const event of [...events.feed(Buffer.from(text)), ...events.rest()]) {
    for (const part of reader.read(event)) fold.add(part);
  }
  for (const part of reader.finish()) fold.add(part);
  return fold.reply();
}

function question(model: string): Prompt {
  const parts: Part[] = [{ kind: "text", text: QUESTION, citations: [], cache: null }];
  const plain = plainPrompt(model, [{ role: "user", parts, at: "messages[0]" }]);
  return { ...plain, stream: true, wantsUsage: false, outputTokensMax: OUTPUT_TOKENS_MAX };
}
