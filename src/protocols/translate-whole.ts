import type { Reply, ReplyPart } from "../domain/chat.ts";
import type { Usage } from "../domain/usage.ts";
import { WHOLE_SAMPLE_BYTES_MAX } from "./content-meter.ts";
import { isObject } from "./json-value.ts";
import type { Protocol, ReplyHead, Said } from "./protocol.ts";
import { saidIn } from "./reply-part.ts";
import { SaidMeter } from "./said-meter.ts";
import type { ToolBook } from "./tool-book.ts";
import { unfoldReply } from "./unfold.ts";

export type Translation = {
  /** The upstream's dialect. */
  from: Protocol;
  /** The client's. */
  to: Protocol;
  head: ReplyHead;
  book: ToolBook;
};

export type TranslatedWhole = { bytes: Uint8Array; usage: Usage | null; bad: boolean; said: () => Said };

/** An upstream's whole answer in the client's dialect. Null: it is no answer, and nothing of it is to be paid for. */
export function translateWhole(bytes: Buffer, translation: Translation): TranslatedWhole | null {
  const { to, head } = translation;
  return translated(bytes, translation, reply => JSON.stringify(to.writeReply(reply, head)));
}

/** The same as a stream: the client asked for one, and the upstream did not give it. */
export function unfoldedStream(bytes: Buffer, translation: Translation): TranslatedWhole | null {
  const { to, head } = translation;
  return translated(bytes, translation, reply => {
    const writer = to.streamWriter(head);
    return unfoldReply(reply)
      .map(event => writer.write(event))
      .join("");
  });
}

/** A codec that throws was given something that its maker did not think of: it is no answer. */
function translated(
  bytes: Buffer,
  { from, book }: Translation,
  write: (reply: Reply) => string,
): TranslatedWhole | null {
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isObject(body)) return null;
    const read = from.readReply(body);
    if (read === null) return null;
    const reply = book.restoreReply(read);
    const { usage } = reply;
    const bad = usage === null && typeof body["usage"] === "object" && body["usage"] !== null;
    return { bytes: new TextEncoder().encode(write(reply)), usage, bad, said: () => saidBy(reply.parts) };
  } catch {
    return null;
  }
}

function saidBy(parts: readonly ReplyPart[]): Said {
  const meter = new SaidMeter(WHOLE_SAMPLE_BYTES_MAX);
  for (const part of parts) meter.add(saidIn(part));
  return meter;
}
