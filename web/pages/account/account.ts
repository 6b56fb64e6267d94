import { ApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";

export type Account = Answer<"GET /account">;

/** What everything about the account is fetched from anew after a change. */
export const ACCOUNT_PARTS = ["GET /account", "GET /session"] as const;

/** Closing the dialog that asks for a proof is a choice, not a failure. */
export function isWorthTelling(error: unknown): boolean {
  return error !== null && !(error instanceof ApiError && error.code === "recent_sign_in_needed");
}
