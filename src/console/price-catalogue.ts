import type { ModelPrice, PriceOptions, Provider } from "@pydantic/genai-prices";
import { formatPricePerMillion, parsePricePerMillion } from "../domain/money.ts";

/** A price as the apply file writes it: USD per million tokens, as text. */
export type WrittenPrice = WrittenTokenPrices & { tiers?: (WrittenTokenPrices & { above: string })[] };
type WrittenTokenPrices = Partial<Record<keyof typeof FIELDS, string>>;

/** What is known of a model; no price where it has none that this house can charge. */
export type Suggestion = { contextTokens: number | null; price: WrittenPrice | null };

export type PriceCatalogue = {
  /** Of the whole list, for the operator: which, and of when. */
  source: string;
  suggest: (asked: Asked) => Suggestion | null;
};

type Asked = { baseUrl: string | null; model: string; nowMs: number };

/** When the version of the package that is installed was published; a test holds the two together. */
export const SHIPPED = { version: "0.1.8", date: "2026-09-23" } as const;

export const PRICE_FILE_BYTES_MAX = 32 * 1024 * 1024;

/** The units that a token price here is made of. Whatever else a model may charge for stays with the operator. */
const FIELDS = {
  input: "input_mtok",
  output: "output_mtok",
  cache_read: "cache_read_mtok",
  cache_write_5m: "cache_write_mtok",
  cache_write_1h: "cache_write_1h_mtok",
} as const;

/** What is not text costs more than text, and one price for both would be too low: these stay without. */
const OTHER_UNITS = /^output_(image|audio|video)_mtok$|_hours$|^requests_kcount$|_kpages$|_messages_kcount$/;
const OTHER_NAMES = /\b(audio|image|realtime|speech|transcribe|tts|video|whisper)\b/i;

/**
 * Suggested prices: those of the shipped list, or of a newer one that the operator has fetched. A model is looked up at
 * the address that it is called at and nowhere else, since the same name has another price elsewhere.
 */
export async function priceCatalogue(file: string | null): Promise<PriceCatalogue | { problem: string }> {
  // Loaded only here: nobody else needs a list of that size.
  const { calcPrice } = await import("@pydantic/genai-prices");
  const lookUp = (where: PriceOptions, { model, nowMs }: Asked): Suggestion | null => {
    const found = calcPrice({}, model, { ...where, timestamp: new Date(nowMs) });
    if (found === null) return null;
    const { prices, context_window: contextTokens } = found.model;
    const price = Array.isArray(prices) ? dearest(prices, found.model_price) : found.model_price;
    return { contextTokens: contextTokens ?? null, price: written(price, model) };
  };
  if (file === null) {
    return {
      source: `genai-prices ${SHIPPED.version} of ${SHIPPED.date}`,
      suggest: asked => (asked.baseUrl === null ? null : lookUp({ providerApiUrl: asked.baseUrl }, asked)),
    };
  }
  const providers = readProviders(file, lookUp);
  if (providers === null) return { problem: "is not a list of prices as genai-prices publishes it" };
  const suggest = (asked: Asked) => {
    const provider = providers.find(one => isAt(one, asked.baseUrl));
    return provider === undefined ? null : lookUp({ provider }, asked);
  };
  return { source: "the file of --prices", suggest };
}

type LookUp = (where: PriceOptions, asked: Asked) => Suggestion | null;

/** What is wrong inside shows when it is used, so all of it is, once. */
function readProviders(file: string, lookUp: LookUp): Provider[] | null {
  try {
    const given: unknown = JSON.parse(file);
    if (!isProviders(given)) return null;
    for (const provider of given) {
      isAt(provider, "");
      for (const { id } of provider.models) lookUp({ provider }, { baseUrl: null, model: id, nowMs: 0 });
    }
    return given;
  } catch {
    return null;
  }
}

function isAt({ api_pattern: pattern }: Provider, baseUrl: string | null): boolean {
  return new RegExp(`^(?:${pattern})`).test(baseUrl ?? "");
}

/** The library trusts its own data; a file is a stranger's. */
function isProviders(given: unknown): given is Provider[] {
  const isFields = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const isModel = (model: unknown) =>
    isFields(model) && typeof model["id"] === "string" && isFields(model["match"]) && "prices" in model;
  return (
    Array.isArray(given) &&
    given.length > 0 &&
    given.every(
      provider =>
        isFields(provider) &&
        typeof provider["id"] === "string" &&
        typeof provider["api_pattern"] === "string" &&
        Array.isArray(provider["models"]) &&
        provider["models"].every(isModel),
    )
  );
}

type Conditional = { constraint?: { type: string }; prices: ModelPrice };

/** A discount at night is not what the day costs. */
function dearest(all: readonly Conditional[], now: ModelPrice): ModelPrice {
  const isByHour = all.some(({ constraint }) => constraint?.type === "time_of_date");
  if (!isByHour) return now;
  return all
    .map(({ prices }) => prices)
    .reduce((dear, one) => (baseOf(one) > baseOf(dear) ? one : dear), now);
}

function baseOf(price: ModelPrice): number {
  const amount = price["output_mtok"];
  return typeof amount === "object" ? amount.base : (amount ?? 0);
}

function written(price: ModelPrice, model: string): WrittenPrice | null {
  const isText = !OTHER_NAMES.test(model) && !Object.keys(price).some(unit => OTHER_UNITS.test(unit));
  const [base, ...dearer] = [0, ...thresholdsOf(price)].map(above => {
    const prices = pricesAt(price, above);
    return prices === null ? null : { above: String(above), ...completed(prices, model) };
  });
  // Without one of the two, half of what is used would be given away.
  if (!isText || base?.input === undefined || base.output === undefined) return null;
  const tiers = dearer.filter(tier => tier !== null);
  if (tiers.length < dearer.length) return null;
  const { above: _, ...prices } = base;
  return { ...prices, ...(tiers.length === 0 ? {} : { tiers }) };
}

/** What follows from the rest: embeddings have no output, and Claude's hour of cache costs twice the input everywhere. */
function completed(prices: WrittenTokenPrices, model: string): WrittenTokenPrices {
  const { input, cache_write_5m: short, cache_write_1h: long } = prices;
  const picos = parsePricePerMillion(input ?? "") ?? 0n;
  const guess = /claude/i.test(model) ? formatPricePerMillion(2n * picos) : short;
  return {
    ...(/embed/i.test(model) ? { output: "0" } : {}),
    ...prices,
    ...(short === undefined || long !== undefined || guess === undefined ? {} : { cache_write_1h: guess }),
  };
}

function thresholdsOf(price: ModelPrice): number[] {
  const starts = Object.values(FIELDS).flatMap(unit => {
    const amount = price[unit];
    return typeof amount === "object" ? amount.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].toSorted((a, b) => a - b);
}

/** The price of each kind of token for an input of more than so many; null where one cannot be written. */
function pricesAt(price: ModelPrice, tokens: number): WrittenTokenPrices | null {
  const entries = Object.entries(FIELDS).flatMap(([field, unit]): [string, string | null][] => {
    const amount = price[unit];
    if (amount === undefined) return [];
    if (typeof amount === "number") return [[field, textOf(amount)]];
    const tier = amount.tiers.findLast(({ start }) => start <= tokens);
    return [[field, textOf(tier?.price ?? amount.base)]];
  });
  if (entries.some(([, text]) => text === null)) return null;
  return Object.fromEntries(entries);
}

function textOf(amount: number): string | null {
  const text = amount.toFixed(6).replace(/\.?0+$/, "");
  const isLost = amount > 0 && text === "0";
  return isLost || parsePricePerMillion(text) === null ? null : text;
}
