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

/** Says so where the pocket affords less than was asked. */
export function grantHeader(way: Way, admitted: Admitted, headers: Record<string, string>): void {
  if (admitted.outputTokens >= way.outputTokens) return;
  headers["x-wicketgate-max-tokens"] = String(outputLimit(way, admitted) ?? admitted.outputTokens);
}
