import type { Answer } from "../../api/client.ts";
import { compareMoney, moneyToDraw } from "../../format/money.ts";

/** Prices as they are typed and as they are sent: decimal text, never a float. */

export type ListPrice = NonNullable<Answer<"GET /operator/models">["models"][number]["price"]>;
export type Tier = ListPrice["tiers"][number];

export const TOKEN_PARTS = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"] as const;
export type TokenPart = (typeof TOKEN_PARTS)[number];
export type Part = TokenPart | "request";
const CACHE_PARTS = ["cache_read", "cache_write_5m", "cache_write_1h"] as const;

/** `key` tells one from another while it is edited. */
export type TierDraft = Record<TokenPart, string> & { key: number; above: string };
/** Empty: a cached token costs what any other input token does, and a tier what stands below it. */
export type PriceDraft = Record<Part, string> & { tiers: readonly TierDraft[] };

/** USD per million tokens: below a million, six decimals. */
const PER_MILLION = /^\d{1,6}(\.\d{1,6})?$/;
const PER_CALL = /^\d{1,9}(\.\d{1,9})?$/;
const TOKENS_MAX = 1_000_000_000;
export const TIERS_MAX = 8;

export const EMPTY: PriceDraft = {
  ...{ input: "", output: "", cache_read: "", cache_write_5m: "", cache_write_1h: "", request: "" },
  tiers: [],
};

/** What was typed, as it is sent; null where it is no price. */
export function priceText(typed: string, part: Part): string | null {
  const text = typed.replace(/\.$/, "").replace(/^\./, "0.");
  return (part === "request" ? PER_CALL : PER_MILLION).test(text) ? text : null;
}

export function isSame(one: string, other: string): boolean {
  return compareMoney(one, other) === 0;
}

export function draftOf(price: ListPrice | null): PriceDraft {
  if (price === null) return EMPTY;
  const own = (part: (typeof CACHE_PARTS)[number]) => (isSame(price[part], price.input) ? "" : price[part]);
  const below = {
    input: price.input,
    output: price.output,
    cache_read: own("cache_read"),
    cache_write_5m: own("cache_write_5m"),
    cache_write_1h: own("cache_write_1h"),
  };
  return {
    ...below,
    request: isSame(price.request, "0") ? "" : price.request,
    tiers: price.tiers.map((tier, at) => tierDraftOf(tier, below, at)),
  };
}

type Below = Record<TokenPart, string>;

function tierDraftOf(tier: Tier, below: Below, at: number): TierDraft {
  const draft: TierDraft = { ...EMPTY_TIER, key: at, above: String(tier.above_tokens) };
  for (const part of ["input", "output"] as const)
    draft[part] = isSame(tier[part], below[part]) ? "" : tier[part];
  for (const part of CACHE_PARTS)
    draft[part] = isSame(tier[part], inTier(draft, below, part)) ? "" : tier[part];
  return draft;
}

const EMPTY_TIER: TierDraft = {
  ...{ key: 0, above: "", input: "", output: "", cache_read: "", cache_write_5m: "", cache_write_1h: "" },
};

/** A further tier, above the last one. */
export function withTier(draft: PriceDraft): PriceDraft {
  const last = draft.tiers.at(-1);
  const above = last === undefined ? "200000" : String(Number(last.above || "0") * 2);
  const key = Math.max(-1, ...draft.tiers.map(tier => tier.key)) + 1;
  return { ...draft, tiers: [...draft.tiers, { ...EMPTY_TIER, key, above }] };
}

/** By the rule of the apply file: its own, else that of the price it belongs to, else what its input costs. */
export function inTier(tier: Below, below: Below, part: TokenPart): string {
  const input = tier.input || below.input || "0";
  if (part === "input") return input;
  if (part === "output") return tier.output || below.output || "0";
  return tier[part] || below[part] || input;
}

/** What is wrong, by its field: `input`, `tiers.2.above`. */
export type PriceProblem = "missing" | "wrong" | "wrongCall" | "wrongTokens" | "falling" | "idle";
export type PriceProblems = ReadonlyMap<string, PriceProblem>;

export function problemsOf(draft: PriceDraft): PriceProblems {
  const problems = new Map<string, PriceProblem>();
  for (const part of ["input", "output"] as const) {
    if (draft[part] === "" && draft.request === "") problems.set(part, "missing");
  }
  for (const part of TOKEN_PARTS) {
    if (draft[part] !== "" && priceText(draft[part], part) === null) problems.set(part, "wrong");
  }
  if (draft.request !== "" && priceText(draft.request, "request") === null)
    problems.set("request", "wrongCall");
  let before = 0;
  for (const [at, tier] of draft.tiers.entries()) {
    const above = /^\d{1,10}$/.test(tier.above) ? Number(tier.above) : 0;
    if (above < 1 || above > TOKENS_MAX) problems.set(`tiers.${at}.above`, "wrongTokens");
    else if (above <= before) problems.set(`tiers.${at}.above`, "falling");
    else if (TOKEN_PARTS.every(part => tier[part] === "")) problems.set(`tiers.${at}.above`, "idle");
    before = Math.max(before, above);
    for (const part of TOKEN_PARTS) {
      if (tier[part] !== "" && priceText(tier[part], part) === null)
        problems.set(`tiers.${at}.${part}`, "wrong");
    }
  }
  return problems;
}

/** As it is sent; null where something is wrong. */
export function priceOf(draft: PriceDraft): ListPrice | null {
  if (problemsOf(draft).size > 0) return null;
  const text = (typed: string, part: Part) => priceText(typed, part) ?? "0";
  const below = Object.fromEntries(
    TOKEN_PARTS.map(part => [part, draft[part] === "" ? "" : text(draft[part], part)]),
  ) as Below;
  const input = below.input || "0";
  return {
    input,
    output: below.output || "0",
    cache_read: below.cache_read || input,
    cache_write_5m: below.cache_write_5m || input,
    cache_write_1h: below.cache_write_1h || input,
    request: draft.request === "" ? "0" : text(draft.request, "request"),
    tiers: draft.tiers.map(tier => ({
      above_tokens: Number(tier.above),
      ...(Object.fromEntries(
        TOKEN_PARTS.map(part => [part, text(inTier(tier, below, part), part)]),
      ) as Record<TokenPart, string>),
    })),
  };
}

/** One part of it typed anew. Cached tokens that cost what input does go on doing so. */
export function withPart(price: ListPrice, part: Part, text: string): ListPrice | null {
  return priceOf({ ...draftOf(price), [part]: text });
}

/** What one change made of a price is undone, and what others have made of it since is left. */
export function takenBack(now: ListPrice, before: ListPrice, after: ListPrice): ListPrice {
  const isLeft = ([part, value]: [string, unknown]) =>
    JSON.stringify(value) === JSON.stringify(after[part as keyof ListPrice]);
  return { ...now, ...Object.fromEntries(Object.entries(before).filter(entry => !isLeft(entry))) };
}

export type Difference = { part: Part; above: number | null; before: string | null; after: string };

/** Part by part; of a new price, those that say something. */
export function differences(before: ListPrice | null, after: ListPrice): Difference[] {
  const found: Difference[] = [];
  const add = (part: Part, above: number | null, was: string | null, is: string) => {
    if (was === null || !isSame(was, is)) found.push({ part, above, before: was, after: is });
  };
  const { input } = after;
  for (const part of TOKEN_PARTS) {
    const isOwn = part === "input" || part === "output" || !isSame(after[part], input);
    if (before !== null || isOwn) add(part, null, before?.[part] ?? null, after[part]);
  }
  if (before !== null || !isSame(after.request, "0"))
    add("request", null, before?.request ?? null, after.request);
  for (const tier of after.tiers) {
    const old = before?.tiers.find(one => one.above_tokens === tier.above_tokens);
    for (const part of TOKEN_PARTS) {
      const was = old ?? before;
      if (was === null || was === undefined) {
        if (!isSame(tier[part], after[part])) add(part, tier.above_tokens, null, tier[part]);
      } else add(part, tier.above_tokens, was[part], tier[part]);
    }
  }
  // A tier that goes away: what was dearer there costs what stands below it.
  for (const tier of before?.tiers ?? []) {
    if (after.tiers.some(one => one.above_tokens === tier.above_tokens)) continue;
    for (const part of TOKEN_PARTS) add(part, tier.above_tokens, tier[part], after[part]);
  }
  return found;
}

/** By how much, as a share of what was; null where nothing was. For words alone, never for money. */
export function changeShare(before: string, after: string): number | null {
  const was = moneyToDraw(before);
  return was === 0 ? null : (moneyToDraw(after) - was) / was;
}
