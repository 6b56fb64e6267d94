import type { Account } from "../domain/account.ts";
import type { Nanos } from "../domain/money.ts";
import { diagnoseRedemptionCode, redemptionCodeHash } from "../domain/redemption-code.ts";
import { byOf, type Control } from "./control.ts";

/** A code as it is kept, or a sentence that says what is wrong with it and never repeats it: it is as good as money. */
export function readCode(presented: string): { code: string } | { problem: string } {
  const diagnosis = diagnoseRedemptionCode(presented);
  if (diagnosis.kind === "good") return { code: diagnosis.code };
  if (diagnosis.kind === "missing") return { problem: "The code is empty." };
  return { problem: `This is not a redemption code: ${diagnosis.problem}.` };
}

/** Credits an account with what a code is worth, once. */
export function redeemCode(
  control: Control,
  { email, code }: { email: string; code: string },
): Promise<{ account: Account; amount: Nanos }> {
  return control.store.run("code.redeem", {
    email,
    hash: redemptionCodeHash(control.secrets.codes, code),
    ledgerId: control.newId("led"),
    by: byOf(control),
  });
}
