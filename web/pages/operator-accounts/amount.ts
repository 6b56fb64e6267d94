import { compareMoney } from "../../format/money.ts";

const AMOUNT = /^\d{1,9}(\.\d{1,9})?$/;

/** What was typed, as it is sent; null where it is no amount above zero. */
export function amountOf(typed: string): string | null {
  const text = typed.replace(/\.$/, "").replace(/^\./, "0.");
  return AMOUNT.test(text) && compareMoney(text, "0") > 0 ? text : null;
}
