import type { Usage } from "../../domain/usage.ts";

/** No request uses more than this; a larger number is a fault of the upstream. */
const TOKENS_MAX = 1_000_000_000;

type Numbers = Readonly<Record<string, unknown>>;

/** OpenAI counts cached tokens inside `prompt_tokens`; ours are apart. Null where the numbers cannot be believed. */
export function readChatUsage(usage: unknown): Usage | null {
  const counted = object(usage);
  const prompt = count(counted["prompt_tokens"]);
  const output = count(counted["completion_tokens"]);
  const details = object(counted["prompt_tokens_details"]);
  const cacheRead = count(details["cached_tokens"] ?? 0);
  const reasoning = count(object(counted["completion_tokens_details"])["reasoning_tokens"] ?? 0);
  if (prompt === null || output === null || cacheRead === null || reasoning === null || cacheRead > prompt)
    return null;
  return { input: prompt - cacheRead, cacheRead, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning };
}

function object(value: unknown): Numbers {
  return typeof value === "object" && value !== null ? (value as Numbers) : {};
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
    ? value
    : null;
}
