import type { Usage } from "../../domain/usage.ts";

/** No request uses more than this; a larger number is a fault of the upstream. */
const TOKENS_MAX = 1_000_000_000;

type Numbers = Readonly<Record<string, unknown>>;

/**
 * OpenAI counts what was read from the cache and written to it inside `prompt_tokens`; ours are apart. Null where the
 * numbers cannot be believed.
 */
export function readChatUsage(usage: unknown): Usage | null {
  const counted = object(usage);
  const prompt = count(counted["prompt_tokens"]);
  const answered = count(counted["completion_tokens"]);
  const cacheRead = count(cacheReadOf(counted));
  const written = count(cacheWrittenOf(counted));
  const reasoning = count(object(counted["completion_tokens_details"])["reasoning_tokens"] ?? 0);
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
function cacheReadOf(counted: Numbers): unknown {
  const details = object(counted["prompt_tokens_details"]);
  return details["cached_tokens"] ?? counted["prompt_cache_hit_tokens"] ?? counted["cached_tokens"] ?? 0;
}

/** OpenAI and OpenRouter have the first name; gateways before Anthropic's models have the others. */
function cacheWrittenOf(counted: Numbers): unknown {
  const details = object(counted["prompt_tokens_details"]);
  return (
    details["cache_write_tokens"] ??
    details["cache_creation_tokens"] ??
    counted["cache_creation_input_tokens"] ??
    0
  );
}

function object(value: unknown): Numbers {
  return typeof value === "object" && value !== null ? (value as Numbers) : {};
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
    ? value
    : null;
}
