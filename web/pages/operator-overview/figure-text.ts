import { numberFormat } from "../../format/formats.ts";
import { addMoney, moneyToDraw } from "../../format/money.ts";
import { type Language, LOCALE } from "../../words/language.ts";

const WHOLE = 10_000;

/** Cut and not rounded, so that 99.996 % of success is not all of it. */
export function rateText(share: number, language: Language): string {
  const cut = Math.floor(share * WHOLE) / WHOLE;
  return numberFormat(LOCALE[language], { style: "percent", maximumFractionDigits: 2 }).format(cut);
}

/** The other way round: what is not nothing is not shown as nothing. */
export function errorRateText(share: number, language: Language): string {
  const up = Math.ceil(share * WHOLE) / WHOLE;
  return numberFormat(LOCALE[language], { style: "percent", maximumFractionDigits: 2 }).format(up);
}

export function marginOf({ revenue_usd, cost_usd }: { revenue_usd: string; cost_usd: string }): string {
  return addMoney([revenue_usd, cost_usd.startsWith("-") ? cost_usd.slice(1) : `-${cost_usd}`]);
}

/** As a part of what was charged; null where nothing was. */
export function marginShare(figures: { revenue_usd: string; cost_usd: string }): number | null {
  const revenue = moneyToDraw(figures.revenue_usd);
  return revenue === 0 ? null : moneyToDraw(marginOf(figures)) / revenue;
}

/** How much more or less than before: +12%, or null where there was nothing to compare with. */
export function changeText(now: number, before: number, language: Language): string | null {
  if (before === 0) return null;
  return numberFormat(LOCALE[language], {
    style: "percent",
    maximumFractionDigits: 0,
    signDisplay: "exceptZero",
  }).format((now - before) / before);
}
