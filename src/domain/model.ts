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
export type Price = {
  id: Id<"prc">;
  inputPicos: Picos;
  cacheReadPicos: Picos;
  cacheWrite5mPicos: Picos;
  cacheWrite1hPicos: Picos;
  outputPicos: Picos;
  requestPicos: Picos;
};
