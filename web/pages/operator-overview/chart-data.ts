import { numberFormat } from "../../format/formats.ts";
import { formatMoney, moneyToDraw } from "../../format/money.ts";
import { formatCompact, formatCount } from "../../format/number.ts";
import type { Series } from "../../parts/bar-geometry.ts";
import { type Language, LOCALE } from "../../words/language.ts";
import { marginOf } from "./figure-text.ts";
import type { Overview } from "./use-overview.ts";

type Charted = Pick<Overview, "series">;

export type Drawn = {
  series: Series[];
  show: (value: number) => string;
  totalText: (bucket: number) => string;
  isEmpty: boolean;
};

const AXIS_DIGITS = 3;
const COMPACT_FROM = 10_000;

/** Both together are the requests of a bar. */
export function drawnRequests(
  { series }: Charted,
  { language, names }: { language: Language; names: { answered: string; errors: string } },
): Drawn {
  const answered = series.requests.map((count, at) => Math.max(0, count - (series.errors[at] ?? 0)));
  return {
    series: [
      { id: "answered", name: names.answered, values: answered },
      { id: "errors", name: names.errors, values: series.errors },
    ],
    show: value => countText(value, language),
    totalText: at => formatCount(series.requests[at] ?? 0, language),
    isEmpty: series.requests.every(count => count === 0),
  };
}

/** Both together are what was charged; a loss hangs below. */
export function drawnMoney(
  { series }: Charted,
  { language, names }: { language: Language; names: { cost: string; margin: string } },
): Drawn {
  const margins = series.revenue_usd.map((revenue_usd, at) =>
    marginOf({ revenue_usd, cost_usd: series.cost_usd[at] ?? "0" }),
  );
  const money = (amounts: readonly string[]) => ({
    values: amounts.map(moneyToDraw),
    texts: amounts.map(usd => formatMoney(usd, language)),
  });
  return {
    series: [
      { id: "cost", name: names.cost, ...money(series.cost_usd) },
      { id: "margin", name: names.margin, ...money(margins) },
    ],
    show: value => moneyAxis(value, language),
    totalText: at => formatMoney(series.revenue_usd[at] ?? "0", language),
    isEmpty: [...series.revenue_usd, ...series.cost_usd].every(usd => moneyToDraw(usd) === 0),
  };
}

/** Half a request is no tick. */
function countText(value: number, language: Language): string {
  if (!Number.isInteger(value)) return "";
  return value < COMPACT_FROM ? formatCount(value, language) : formatCompact(value, language);
}

function moneyAxis(value: number, language: Language): string {
  const size = numberFormat(LOCALE[language], { maximumSignificantDigits: AXIS_DIGITS }).format(
    Math.abs(value),
  );
  return `${value < 0 ? "−" : ""}$${size}`;
}
