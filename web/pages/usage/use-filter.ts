import { useMemo } from "react";
import { now } from "../../format/clock.ts";

/** The same object while it means the same, so that queries and effects can hang on it. */
export function useFilter<F>(filterAt: (nowMs: number) => F): F {
  const text = JSON.stringify(filterAt(now()));
  return useMemo(() => JSON.parse(text) as F, [text]);
}
