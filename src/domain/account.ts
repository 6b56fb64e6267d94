import type { Id } from "./ids.ts";
import type { Nanos } from "./money.ts";

/** Who pays. The balance changes only through ledger lines. */
export type Account = {
  id: Id<"acc">;
  email: string;
  role: AccountRole;
  enabled: boolean;
  balance: Nanos;
  /** Sum of the open holds; what may still be spent is `balance - held`. */
  held: Nanos;
};

export type AccountRole = "holder" | "operator";

const EMAIL_PATTERN = /^[^\s@<>"']{1,64}@[^\s@<>"']{1,190}$/;

export function isEmail(text: string): boolean {
  return EMAIL_PATTERN.test(text);
}
