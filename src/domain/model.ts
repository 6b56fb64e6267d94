import type { Id } from "./ids.ts";
import type { Picos } from "./money.ts";

export type Model = {
  id: Id<"mdl">;
  name: string;
  contextTokens: number | null;
  outputTokensMax: number | null;
  createdAtMs: number;
  /** Null: the model has no price, so it is refused, never served for nothing. */
  price: Price | null;
};

/** One version of a model's price; versions are added, never changed, so a usage row can always be recomputed. */
export type Price = TokenPrices & {
  id: Id<"prc">;
  requestPicos: Picos;
  /** Dearer (or cheaper) prices for long contexts, by rising threshold; they replace the token prices above. */
  tiers: readonly PriceTier[];
};

export type TokenPrices = {
  inputPicos: Picos;
  cacheReadPicos: Picos;
  cacheWrite5mPicos: Picos;
  cacheWrite1hPicos: Picos;
  outputPicos: Picos;
};

/** Holds for a whole request whose input, cached or not, has more tokens than this. */
export type PriceTier = TokenPrices & { aboveTokens: number };
