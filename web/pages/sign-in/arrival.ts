import { isOwnPath } from "../../app/search.ts";
import { arrivedFragment } from "../../browser/fragment.ts";

/** What a sign-in service's way back leaves in the address. */
export type Arrival = { ticket: string | null; problem: string | null; to: string | null };

export function readArrival(fragment: string): Arrival {
  const given = new URLSearchParams(fragment);
  const to = given.get("return");
  return { ticket: given.get("second_factor"), problem: given.get("problem"), to: isOwnPath(to) ? to : null };
}

export function takeArrival(): Arrival {
  return readArrival(arrivedFragment());
}

export const PROBLEM_WORDS = {
  cancelled: "oidcCancelled",
  expired: "oidcExpired",
  unverified_email: "oidcUnverified",
  no_account: "oidcNoAccount",
  sign_in_first: "oidcSignInFirst",
  disabled: "oidcDisabled",
  other_account: "oidcOtherAccount",
  other_email: "oidcOtherEmail",
  unavailable: "oidcUnavailable",
  throttled: "oidcThrottled",
  off: "oidcOff",
} as const;
