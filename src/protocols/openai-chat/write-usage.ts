import type { CompletionUsage } from "openai/resources/completions";
import type { Usage } from "../../domain/usage.ts";

/** What was read from the cache and written to it counts inside the prompt here. */
export function writeChatUsage(usage: Usage): CompletionUsage {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const written = cacheWrite5m + cacheWrite1h;
  const prompt = input + cacheRead + written;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      ...(written > 0 ? { cache_write_tokens: written } : {}),
    },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
