import type { Usage } from "../../domain/usage.ts";
import { objectOf } from "../json-value.ts";
import { tokenCount } from "../token-count.ts";

/**
 * In this dialect `input_tokens` has no cached tokens in it. What was written to the cache is told as a sum, and mostly
 * also by how long it is kept; what the split leaves out is kept for the default time. Null where it cannot be believed.
 */
export function readMessagesUsage(usage: unknown): Usage | null {
  const counted = objectOf(usage);
  const split = objectOf(counted["cache_creation"]);
  const input = tokenCount(counted["input_tokens"]);
  const output = tokenCount(counted["output_tokens"]);
  const cacheRead = tokenCount(counted["cache_read_input_tokens"] ?? 0);
  const written = tokenCount(counted["cache_creation_input_tokens"] ?? 0);
  const written5m = tokenCount(split["ephemeral_5m_input_tokens"] ?? 0);
  const cacheWrite1h = tokenCount(split["ephemeral_1h_input_tokens"] ?? 0);
  const reasoning = tokenCount(objectOf(counted["output_tokens_details"])["thinking_tokens"] ?? 0);
  if (input === null || output === null || cacheRead === null || reasoning === null) return null;
  if (written === null || written5m === null || cacheWrite1h === null) return null;
  const cacheWrite5m = Math.max(written5m, written - cacheWrite1h);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning };
}
