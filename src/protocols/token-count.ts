/** No request uses more than this; a larger number is a fault of the upstream. */
const TOKENS_MAX = 1_000_000_000;

/** A number of tokens as an upstream reports it; null where it cannot be believed. */
export function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
    ? value
    : null;
}
