import type { Rate } from "../domain/decide.ts";
import type { Admitted } from "../store/store.ts";
import type { Way } from "./resolve.ts";

/**
 * The limit to send upstream, for each choice; null where the client's own stands. It is sent where the pocket affords
 * less than was asked, and where neither the client nor the operator set one: no answer may outgrow its hold.
 */
export function outputLimit({ request, outputTokens, isBounded }: Way, admitted: Admitted): number | null {
  if (isBounded && admitted.outputTokens >= outputTokens) return null;
  return Math.max(1, Math.floor(admitted.outputTokens / request.choices));
}

/** Says so where the pocket affords less than was asked, and what the limits by the minute leave. */
export function grantHeaders(way: Way, admitted: Admitted, headers: Record<string, string>): void {
  if (admitted.rates.length > 0) rateHeaders(admitted.rates, headers);
  if (admitted.outputTokens >= way.outputTokens) return;
  headers["x-wicketgate-max-tokens"] = String(outputLimit(way, admitted) ?? admitted.outputTokens);
}

/** Of a key's limit and its account's, the one that leaves less. */
function rateHeaders(rates: readonly Rate[], headers: Record<string, string>): void {
  for (const { what, limit, left, resetSeconds } of [...rates].sort((a, b) => b.left - a.left)) {
    headers[`x-ratelimit-limit-${what}`] = String(limit);
    headers[`x-ratelimit-remaining-${what}`] = String(left);
    headers[`x-ratelimit-reset-${what}`] = `${resetSeconds}s`;
  }
}
