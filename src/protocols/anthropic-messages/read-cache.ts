import type { CacheMark } from "../../domain/chat.ts";
import { isObject, stringOrNull } from "../json-value.ts";
import type { Json } from "../protocol.ts";

/** The mark of a block, a tool or the whole request. */
export function readCache(marked: Json): CacheMark | null {
  const control = marked["cache_control"];
  return isObject(control) ? { ttl: stringOrNull(control["ttl"]) } : null;
}
