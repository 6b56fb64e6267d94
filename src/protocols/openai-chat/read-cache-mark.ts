import type { CacheMark } from "../../domain/chat.ts";
import { isObject, textOrNull } from "../json-value.ts";
import type { Json } from "../protocol.ts";

/**
 * Clients write Anthropic's `cache_control` in this dialect too. OpenAI's own mark says the same; its times are others,
 * so the default one stands for them.
 */
export function readCacheMark({ cache_control, prompt_cache_breakpoint }: Json): CacheMark | null {
  if (isObject(cache_control)) return { ttl: textOrNull(cache_control["ttl"]) };
  return isObject(prompt_cache_breakpoint) ? { ttl: null } : null;
}
