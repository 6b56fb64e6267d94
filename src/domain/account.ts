import type { Id } from "./ids.ts";
import type { Limits, Meters } from "./limits.ts";
import type { Nanos } from "./money.ts";

/** Who pays. The balance changes only through ledger lines; the limits are those of all its keys together. */
export type Account = Limits &
  Meters & {
    id: Id<"acc">;
    email: string;
    role: AccountRole;
    enabled: boolean;
    balance: Nanos;
    /** Sum of the open holds that the balance pays; what may still be spent is `balance - held`. */
    held: Nanos;
  };

export type AccountRole = "holder" | "operator";

/** Whether what may still be spent of the balance is below what its holder wants to be warned at. */
export function balanceIsLow(
  { balance, held }: Pick<Account, "balance" | "held">,
  warnAt: Nanos | null,
): boolean {
  return warnAt !== null && balance - held < warnAt;
}

const EMAIL_PATTERN = /^[^\s@<>"']{1,64}@[^\s@<>"']{1,190}$/;

export function isEmail(text: string): boolean {
  return EMAIL_PATTERN.test(text);
}
