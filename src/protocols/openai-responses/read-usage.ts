import type { Usage } from "../../domain/usage.ts";
import { objectOf } from "../json-value.ts";
import { tokenCount } from "../token-count.ts";

/**
 * OpenAI counts what was read from its cache and written to it inside `input_tokens`; ours are apart. Null where the
 * numbers cannot be believed.
 */
export function readResponsesUsage(usage: unknown): Usage | null {
  const counted = objectOf(usage);
  const prompt = tokenCount(counted["input_tokens"]);
  const output = tokenCount(counted["output_tokens"]);
  const details = objectOf(counted["input_tokens_details"]);
  const cacheRead = tokenCount(details["cached_tokens"] ?? 0);
  const written = tokenCount(details["cache_write_tokens"] ?? 0);
  // Its long retention takes the place of our long one, whatever the hours: they are two prices, not two times.
  const writtenLong = tokenCount(objectOf(details["cache_write_tokens_details"])["ttl_12h_tokens"] ?? 0);
  const reasoning = tokenCount(objectOf(counted["output_tokens_details"])["reasoning_tokens"] ?? 0);
  if (prompt === null || output === null || reasoning === null) return null;
  if (cacheRead === null || written === null || writtenLong === null) return null;
  if (cacheRead + written > prompt || writtenLong > written) return null;
  return {
    input: prompt - cacheRead - written,
    cacheRead,
    cacheWrite5m: written - writtenLong,
    cacheWrite1h: writtenLong,
    output,
    reasoning,
  };
}
