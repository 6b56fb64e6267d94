import type { Answer } from "../../api/client.ts";

type Parts = Pick<Answer<"GET /usage/{id}">, "price_usd" | "multiplier" | "cost_usd">;

const DIGITS = 18;

function toBig(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole) * 10n ** BigInt(DIGITS) + BigInt(fraction.padEnd(DIGITS, "0").slice(0, DIGITS));
}

/** Whether price × multiplier has more digits than money has, so that the charge is a little more. */
export function isRounded({ price_usd: price, multiplier, cost_usd: cost }: Parts): boolean {
  if (multiplier === null) return false;
  const exact = toBig(price) * toBig(multiplier);
  const charged = toBig(cost) * 10n ** BigInt(DIGITS);
  // A charge that was cut to the hold is less, and that is said elsewhere.
  return charged > exact;
}
