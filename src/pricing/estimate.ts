/** What a request may count, before or without the provider's own count. */

/** A token is at least one byte, so bytes bound tokens from above; an image is not its letters. */
const IMAGE_TOKENS_MAX = 20_000;
const BYTES_PER_TOKEN = 4;
const DATA_TOKENS = 1_000;

export type BodySize = { bytes: number; dataBytes: number; dataParts: number };

export function inputTokensBound({ bytes, dataBytes, dataParts }: BodySize): number {
  return Math.max(bytes - dataBytes, 0) + dataParts * IMAGE_TOKENS_MAX;
}

/** The likely count, for tokens per minute, for notes of what runs, and where counting itself fails. */
export function inputTokensGuess({ bytes, dataBytes, dataParts }: BodySize): number {
  return textTokensGuess(Math.max(bytes - dataBytes, 0)) + dataTokensGuess(dataParts);
}

/** Images, audio and files, which no tokenizer of text counts. */
export function dataTokensGuess(dataParts: number): number {
  return dataParts * DATA_TOKENS;
}

export function textTokensGuess(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The other way round. */
export function textBytesGuess(tokens: number): number {
  return tokens * BYTES_PER_TOKEN;
}
