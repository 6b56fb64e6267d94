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

export type Bound = { inputTokens: number; outputTokens: number; choices: number };

/** The most that it can cost: every input token at the dearest input price, until the answer says otherwise. */
export function quote(price: Price, { inputTokens, outputTokens, choices }: Bound): Quote {
  const basePicos = BigInt(inputTokens) * dearestInput(price) + price.requestPicos;
  return { priceId: price.id, basePicos, outputPicos: price.outputPicos, outputTokens, choices };
}

function dearestInput({ inputPicos, cacheReadPicos, cacheWrite5mPicos, cacheWrite1hPicos }: Price): Picos {
  let most = inputPicos;
  if (cacheReadPicos > most) most = cacheReadPicos;
  if (cacheWrite5mPicos > most) most = cacheWrite5mPicos;
  return cacheWrite1hPicos > most ? cacheWrite1hPicos : most;
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
