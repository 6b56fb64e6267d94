import type { Quote } from "../domain/decide.ts";
import type { Model, Price } from "../domain/model.ts";
import { type BasisPoints, type Nanos, nanosUp, type Picos } from "../domain/money.ts";
import type { Usage } from "../domain/usage.ts";

/** What a request cost: each quantity at its price, the call itself, the multiplier, one rounding upward. */
export function cost(usage: Usage, price: Price, multiplier: BasisPoints): Nanos {
  const picos =
    each(usage.input, price.inputPicos) +
    each(usage.cacheRead, price.cacheReadPicos) +
    each(usage.cacheWrite5m, price.cacheWrite5mPicos) +
    each(usage.cacheWrite1h, price.cacheWrite1hPicos) +
    each(usage.output, price.outputPicos) +
    price.requestPicos;
  return nanosUp(picos, multiplier);
}

function each(tokens: number, picos: Picos): Picos {
  return tokens === 0 ? 0n : BigInt(tokens) * picos;
}

/** The most that it can cost: every input token at the dearest input price, until the answer says otherwise. */
export function quote(price: Price, bound: { inputTokens: number; outputTokens: number }): Quote {
  const basePicos = BigInt(bound.inputTokens) * dearestInput(price) + price.requestPicos;
  return { priceId: price.id, basePicos, outputPicos: price.outputPicos, outputTokens: bound.outputTokens };
}

function dearestInput(price: Price): Picos {
  const prices = [price.inputPicos, price.cacheReadPicos, price.cacheWrite5mPicos, price.cacheWrite1hPicos];
  return prices.reduce((most, next) => (next > most ? next : most));
}

/** Where neither the client nor the operator says how long an answer may be. */
const OUTPUT_TOKENS_DEFAULT = 16_384;

export function outputTokensBound(
  model: Pick<Model, "outputTokensMax">,
  asked: number | null,
  choices: number,
): number {
  return (asked ?? model.outputTokensMax ?? OUTPUT_TOKENS_DEFAULT) * choices;
}
