import { isAbsent, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";

const INPUT = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

/**
 * A stream tells its usage at the start and again at the end, each time in full and never what was added. The later
 * word counts, but for one that knows nothing of what was read.
 */
export function mergedUsage(before: unknown, later: unknown): Json {
  const earlier = objectOf(before);
  const told = Object.entries(objectOf(later)).filter(([, value]) => !isAbsent(value));
  const knowsInput = told.some(([name, value]) => INPUT.includes(name) && value !== 0);
  const kept = told.filter(([name]) => knowsInput || !INPUT.includes(name) || isAbsent(earlier[name]));
  return { ...earlier, ...Object.fromEntries(kept) };
}
