import type { Quote } from "../domain/decide.ts";
import type { Model, Price, TokenPrices } from "../domain/model.ts";
import { type BasisPoints, type Nanos, nanosUp, type Picos } from "../domain/money.ts";
import type { Usage } from "../domain/usage.ts";

/** What a request cost: each quantity at its price, the call itself, the multiplier, one rounding upward. */
export function cost(usage: Usage, price: Price, multiplier: BasisPoints): Nanos {
  const prices = price.tiers.length === 0 ? price : pricesAt(price, usage);
  let picos = price.requestPicos;
  // Most requests have none of most kinds, and every sum of large integers is a new one.
  if (usage.input !== 0) picos += BigInt(usage.input) * prices.inputPicos;
  if (usage.cacheRead !== 0) picos += BigInt(usage.cacheRead) * prices.cacheReadPicos;
  if (usage.cacheWrite5m !== 0) picos += BigInt(usage.cacheWrite5m) * prices.cacheWrite5mPicos;
  if (usage.cacheWrite1h !== 0) picos += BigInt(usage.cacheWrite1h) * prices.cacheWrite1hPicos;
  if (usage.output !== 0) picos += BigInt(usage.output) * prices.outputPicos;
  return nanosUp(picos, multiplier);
}

/** The last tier that the whole input exceeds, for all tokens of the request: so do providers bill a long context. */
export function pricesAt(price: Price, { input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): TokenPrices {
  const read = input + cacheRead + cacheWrite5m + cacheWrite1h;
  return price.tiers.findLast(({ aboveTokens }) => read > aboveTokens) ?? price;
}

/** The most that a request can read and answer; `heldTokens` is how much of the answer is held for at first. */
export type Bound = { inputTokens: number; outputTokens: number; heldTokens: number; choices: number };

/** The most that it can cost: every token at the dearest price it can have, until the answer says otherwise. */
export function quote(price: Price, { inputTokens, outputTokens, heldTokens, choices }: Bound): Quote {
  let input = dearestInput(price);
  let { outputPicos } = price;
  // The input may turn out shorter than its bound, so a dear tier below a cheaper one counts as well.
  for (const tier of price.tiers) {
    if (inputTokens <= tier.aboveTokens) break;
    input = dearer(input, dearestInput(tier));
    outputPicos = dearer(outputPicos, tier.outputPicos);
  }
  const basePicos = BigInt(inputTokens) * input + price.requestPicos;
  return { priceId: price.id, basePicos, outputPicos, outputTokens, heldTokens, choices };
}

function dearestInput(prices: TokenPrices): Picos {
  const { inputPicos, cacheReadPicos, cacheWrite5mPicos, cacheWrite1hPicos } = prices;
  return dearer(dearer(inputPicos, cacheReadPicos), dearer(cacheWrite5mPicos, cacheWrite1hPicos));
}

function dearer(one: Picos, other: Picos): Picos {
  return one > other ? one : other;
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
