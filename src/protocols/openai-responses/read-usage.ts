import type { Usage } from "../../domain/usage.ts";

/** No request uses more than this; a larger number is a fault of the upstream. */
const TOKENS_MAX = 1_000_000_000;

type Numbers = Readonly<Record<string, unknown>>;

/**
 * OpenAI counts what was read from its cache and written to it inside `input_tokens`; ours are apart. Null where the
 * numbers cannot be believed.
 */
export function readResponsesUsage(usage: unknown): Usage | null {
  const counted = object(usage);
  const prompt = count(counted["input_tokens"]);
  const output = count(counted["output_tokens"]);
  const details = object(counted["input_tokens_details"]);
  const cacheRead = count(details["cached_tokens"] ?? 0);
  const written = count(details["cache_write_tokens"] ?? 0);
  // Its long retention takes the place of our long one, whatever the hours: they are two prices, not two times.
  const writtenLong = count(object(details["cache_write_tokens_details"])["ttl_12h_tokens"] ?? 0);
  const reasoning = count(object(counted["output_tokens_details"])["reasoning_tokens"] ?? 0);
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

function object(value: unknown): Numbers {
  return typeof value === "object" && value !== null ? (value as Numbers) : {};
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
    ? value
    : null;
}
