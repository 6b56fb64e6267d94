import type { z } from "zod";
import type { Price, TokenPrices } from "../../domain/model.ts";
import { type BasisPoints, MULTIPLIER_ONE, type Picos } from "../../domain/money.ts";
import type { effectivePrice as form } from "../contract/groups.ts";

type EffectivePrice = z.output<typeof form>;

const PICOS_PER_USD_A_MILLION = 1_000_000n;
const PICOS_PER_USD = 1_000_000_000_000n;

/** What somebody pays in a group, to the last digit. */
export function effectivePrice(price: Price, multiplier: BasisPoints): EffectivePrice {
  return {
    ...tokenPrices(price, multiplier),
    request: exact(price.requestPicos, multiplier, PICOS_PER_USD),
    tiers: price.tiers.map(tier => ({
      above_tokens: tier.aboveTokens,
      ...tokenPrices(tier, multiplier),
    })),
  };
}

/** Such as 0.6. */
export function multiplierText(multiplier: BasisPoints): string {
  return decimal(BigInt(multiplier), BigInt(MULTIPLIER_ONE));
}

function tokenPrices(prices: TokenPrices, multiplier: BasisPoints) {
  const text = (picos: Picos) => exact(picos, multiplier, PICOS_PER_USD_A_MILLION);
  return {
    input: text(prices.inputPicos),
    output: text(prices.outputPicos),
    cache_read: text(prices.cacheReadPicos),
    cache_write_5m: text(prices.cacheWrite5mPicos),
    cache_write_1h: text(prices.cacheWrite1hPicos),
  };
}

function exact(picos: Picos, multiplier: BasisPoints, picosPerUnit: bigint): string {
  return decimal(picos * BigInt(multiplier), picosPerUnit * BigInt(MULTIPLIER_ONE));
}

/** `scale` is a power of ten. */
function decimal(amount: bigint, scale: bigint): string {
  const digits = scale.toString().length - 1;
  const fraction = (amount % scale).toString().padStart(digits, "0").replace(/0+$/, "");
  return fraction === "" ? `${amount / scale}` : `${amount / scale}.${fraction}`;
}
