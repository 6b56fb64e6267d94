import type { Usage } from "../../domain/usage.ts";
import { objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import { tokenCount } from "../token-count.ts";

/**
 * OpenAI counts what was read from the cache and written to it inside `prompt_tokens`; ours are apart. Null where the
 * numbers cannot be believed.
 */
export function readChatUsage(usage: unknown): Usage | null {
  const counted = objectOf(usage);
  const prompt = tokenCount(counted["prompt_tokens"]);
  const answered = tokenCount(counted["completion_tokens"]);
  const cacheRead = tokenCount(cacheReadOf(counted));
  const written = tokenCount(cacheWrittenOf(counted));
  const reasoning = tokenCount(objectOf(counted["completion_tokens_details"])["reasoning_tokens"] ?? 0);
  if (prompt === null || answered === null || reasoning === null) return null;
  if (cacheRead === null || written === null || cacheRead + written > prompt) return null;
  // Some count what was thought beside the answer, and not in it; only their total tells.
  const isBeside = reasoning > 0 && counted["total_tokens"] === prompt + answered + reasoning;
  return {
    input: prompt - cacheRead - written,
    cacheRead,
    cacheWrite5m: written,
    cacheWrite1h: 0,
    output: isBeside ? answered + reasoning : answered,
    reasoning,
  };
}

/** DeepSeek names it as hits; Moonshot puts OpenAI's name one step further out. */
function cacheReadOf(counted: Json): unknown {
  const details = objectOf(counted["prompt_tokens_details"]);
  return details["cached_tokens"] ?? counted["prompt_cache_hit_tokens"] ?? counted["cached_tokens"] ?? 0;
}

/** OpenAI and OpenRouter have the first name; gateways before Anthropic's models have the others. */
function cacheWrittenOf(counted: Json): unknown {
  const details = objectOf(counted["prompt_tokens_details"]);
  return (
    details["cache_write_tokens"] ??
    details["cache_creation_tokens"] ??
    counted["cache_creation_input_tokens"] ??
    0
  );
}
