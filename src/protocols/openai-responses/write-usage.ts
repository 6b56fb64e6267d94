import type { ResponseUsage } from "openai/resources/responses/responses";
import type { Usage } from "../../domain/usage.ts";

/** What was cached counts inside the input here. */
export function writeResponsesUsage(usage: Usage): ResponseUsage {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const written = cacheWrite5m + cacheWrite1h;
  const prompt = input + cacheRead + written;
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
  };
}
