import type { Dialect } from "../domain/usage.ts";
import { messagesRequestTexts } from "../protocols/anthropic-messages/request-texts.ts";
import { sampleText } from "../protocols/content-meter.ts";
import { chatRequestTexts } from "../protocols/openai-chat/request-texts.ts";
import { responsesRequestTexts } from "../protocols/openai-responses/request-texts.ts";
import type { RequestTexts } from "../protocols/request-texts.ts";
import { countTokens } from "./byte-pairs.ts";
import type { CountOrder, CountReply } from "./count-tokens.ts";

/** The thread that has the tokenizer: 200,000 words to load, and texts that may take long. */

declare const self: Worker;

const TEXTS: Record<Dialect, (body: unknown) => RequestTexts | null> = {
  chat: chatRequestTexts,
  responses: responsesRequestTexts,
  messages: messagesRequestTexts,
};
/** Its role and what stands between two messages. */
const MESSAGE_TOKENS = 4;
/** The time for a word is the square of its length, and a text without spaces is one word. */
const PIECE_CHARACTERS_MAX = 1_024;
/** Beyond either, the rest is taken to be like what was counted. */
const CHARACTERS_MAX = 1_048_576;
const TEXTS_MS_MAX = 500;

self.onmessage = (event: MessageEvent<CountOrder>) => {
  const { dialect, request, sample } = event.data;
  const reply: CountReply = { input: requestTokens(request, dialect), sample: tokens([sampleText(sample)]) };
  self.postMessage(reply);
};

function requestTokens(request: Uint8Array, dialect: Dialect): number | null {
  const read = TEXTS[dialect](parsed(request));
  return read === null ? null : tokens(read.texts) + read.messages * MESSAGE_TOKENS;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function tokens(texts: readonly string[]): number {
  const all = texts.reduce((sum, text) => sum + text.length, 0);
  const endTick = performance.now() + TEXTS_MS_MAX;
  let counted = 0;
  let seen = 0;
  for (const text of texts) {
    for (let from = 0; from < text.length; ) {
      if (seen > 0 && (seen >= CHARACTERS_MAX || performance.now() > endTick))
        return Math.ceil((counted * all) / seen);
      const piece = pieceAt(text, from);
      counted += countTokens(piece);
      seen += piece.length;
      from += piece.length;
    }
  }
  return counted;
}

/** Most tokens begin at a space, so a text that is cut before one has as many as in one piece. */
function pieceAt(text: string, from: number): string {
  const piece = text.slice(from, from + PIECE_CHARACTERS_MAX);
  const space = piece.length < PIECE_CHARACTERS_MAX ? -1 : piece.lastIndexOf(" ");
  return space > 0 ? piece.slice(0, space) : piece;
}
