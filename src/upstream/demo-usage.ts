import type { DemoSettings } from "./demo-settings.ts";

/** A prompt's tokens: all of them, and how many stand before its last cache marks. */
export type DemoPrompt = {
  tokens: number;
  /** Null where the dialect has no marks: there the provider caches as it likes. */
  marked: { fiveMinutes: number; oneHour: number } | null;
};

/** What was made; thoughts are part of the tokens. */
export type DemoMade = { tokens: number; thoughts: number };

export type Reported = number | string;

/** What the answer says it used. `prompt` is all that was read, `input` that part of it which no cache had to do with. */
export type DemoUsage = {
  prompt: Reported;
  input: Reported;
  completion: Reported;
  total: Reported;
  thoughts: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
};

const HUGE_TOKENS = 1_000_000_000_000_000;

/** The truth, unless the settings ask for one of the lies upstreams tell. */
export function usageOf(
  used: { prompt: DemoPrompt; made: DemoMade },
  settings: Pick<DemoSettings, "usage" | "isCached">,
): DemoUsage | null {
  const cache = cacheOf(used.prompt, settings.isCached);
  const prompt = used.prompt.tokens;
  const input = prompt - cache.cacheRead - cache.cacheWrite5m - cache.cacheWrite1h;
  const completion = used.made.tokens;
  const total = prompt + completion;
  const rest = { thoughts: used.made.thoughts, ...cache };
  switch (settings.usage) {
    case "honest":
      return { prompt, input, completion, total, ...rest };
    case "none":
      return null;
    case "negative":
      return { prompt: -prompt, input: -input, completion: -completion, total: -total, ...rest };
    case "huge":
      return {
        prompt: HUGE_TOKENS,
        input: HUGE_TOKENS,
        completion: HUGE_TOKENS,
        total: 2 * HUGE_TOKENS,
        ...rest,
      };
    case "text":
      return {
        prompt: String(prompt),
        input: String(input),
        completion: String(completion),
        total: String(total),
        ...rest,
      };
  }
}

type Cache = Pick<DemoUsage, "cacheRead" | "cacheWrite5m" | "cacheWrite1h">;

function cacheOf(prompt: DemoPrompt, isCached: boolean): Cache {
  if (prompt.marked === null) {
    // The last token is always read anew: the answer begins there.
    return { cacheRead: isCached ? Math.max(0, prompt.tokens - 1) : 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  }
  const { fiveMinutes, oneHour } = prompt.marked;
  if (isCached) return { cacheRead: fiveMinutes + oneHour, cacheWrite5m: 0, cacheWrite1h: 0 };
  return { cacheRead: 0, cacheWrite5m: fiveMinutes, cacheWrite1h: oneHour };
}
