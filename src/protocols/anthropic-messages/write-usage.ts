import type { Usage } from "../../domain/usage.ts";
import { NO_USAGE } from "../../domain/usage.ts";

/** A rough measure, for an upstream that reported nothing: what is billed is counted elsewhere. */
const CHARACTERS_PER_TOKEN = 4;

export type WrittenUsage = {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens: number;
  output_tokens_details?: { thinking_tokens: number };
};

export function writeMessagesUsage(usage: Usage): WrittenUsage {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: output,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}

/** Clients show how full their context is from these numbers, so none of them may be left out or be zero. */
export function guessedUsage({ input, characters }: { input: number; characters: number }): Usage {
  const output = Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN));
  return { ...NO_USAGE, input: Math.max(1, input), output };
}
