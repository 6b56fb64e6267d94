import type { Answer } from "../../api/client.ts";
import { dateFormat, numberFormat } from "../../format/formats.ts";
import { addMoney, formatMoney, formatMoneyShort, moneyToDraw } from "../../format/money.ts";
import { formatCompact, formatCount } from "../../format/number.ts";
import { formatTime } from "../../format/time.ts";
import type { Series } from "../../parts/bar-geometry.ts";
import { type Language, LOCALE } from "../../words/language.ts";

export type Summary = Answer<"GET /usage/summary">;
/** Our cost, and the margin with it, are drawn for operators alone. */
export type Measure = "cost" | "our_cost" | "margin" | "tokens" | "requests" | "errors";
type OneSeries = Summary["series"][number] & { our_cost_usd?: string[] };
/** What a chart is drawn from. */
export type Drawable = Pick<Summary, "bucket" | "buckets"> & { series: OneSeries[] };

export const REST_ID = "rest";
const AXIS_DIGITS = 3;

type Drawn = {
  series: Series[];
  /** As the scale writes it. */
  show: (value: number) => string;
  /** The exact sum of one bar. */
  totalText: (bucket: number) => string;
};

type Look = { measure: Measure; language: Language; rest: string };

/** The series of a summary as bars; those that have nothing of what is drawn are left out. */
export function drawnSeries(summary: Drawable, look: Look): Drawn {
  const drawn = isCount(look.measure)
    ? drawnCounts(summary, look.measure, look)
    : drawnMoney(summary, look.measure, look);
  return { ...drawn, series: drawn.series.filter(({ values }) => values.some(value => value !== 0)) };
}

type Counted = "tokens" | "requests" | "errors";

function isCount(measure: Measure): measure is Counted {
  return measure === "tokens" || measure === "requests" || measure === "errors";
}

function named({ id, name }: OneSeries, rest: string): Pick<Series, "id" | "name"> {
  return { id: id ?? REST_ID, name: name ?? rest };
}

function drawnCounts(summary: Drawable, measure: Counted, { language, rest }: Look): Drawn {
  const { series } = summary;
  const total = (bucket: number) => series.reduce((sum, one) => sum + (one[measure][bucket] ?? 0), 0);
  return {
    series: series.map(one => ({ ...named(one, rest), values: one[measure] })),
    show: value => axisCount(value, language),
    totalText: bucket => formatCount(total(bucket), language),
  };
}

function drawnMoney(
  { series }: Drawable,
  measure: Exclude<Measure, Counted>,
  { language, rest }: Look,
): Drawn {
  const amounts = series.map(one => amountsOf(one, measure));
  return {
    series: series.map((one, at) => ({
      ...named(one, rest),
      values: (amounts[at] ?? []).map(moneyToDraw),
      texts: (amounts[at] ?? []).map(usd => formatMoney(usd, language)),
    })),
    show: value => `${value < 0 ? "−" : ""}$${axisNumber(Math.abs(value), language)}`,
    totalText: bucket => formatMoney(addMoney(amounts.map(usd => usd[bucket] ?? "0")), language),
  };
}

function amountsOf({ cost_usd: charged, our_cost_usd: ours }: OneSeries, measure: string): string[] {
  if (measure === "cost") return charged;
  if (measure === "our_cost") return ours ?? [];
  return charged.map((usd, at) => marginOf(usd, ours?.[at] ?? "0"));
}

/** What is left of a charge after our own cost. */
export function marginOf(chargedUsd: string, ourUsd: string): string {
  return addMoney([chargedUsd, `-${ourUsd}`]);
}

function axisNumber(value: number, language: Language): string {
  return numberFormat(LOCALE[language], { maximumSignificantDigits: AXIS_DIGITS }).format(value);
}

/** Counts of thousands are shortened; half a request is no tick. */
function axisCount(value: number, language: Language): string {
  if (!Number.isInteger(value)) return "";
  return value < 10_000 ? formatCount(value, language) : formatCompact(value, language);
}

/** Under a bar, and as it is read out. Hours are those of whoever looks; days are in UTC, as they were summed up. */
export function bucketText(
  at: string,
  { bucket, language, isLong }: { bucket: Summary["bucket"]; language: Language; isLong: boolean },
): string {
  if (bucket === "day") return formatTime(at, language, isLong ? "date" : "day", "UTC");
  const hour = dateFormat(LOCALE[language], { hour: "2-digit", minute: "2-digit" }).format(new Date(at));
  return isLong ? `${formatTime(at, language, "day")}, ${hour}` : hour;
}

/** What a day cost on average, to the cent. */
export function averageText(usd: string, days: number, language: Language): string {
  const nanos = BigInt(
    addMoney([usd]).replace(/^(-?\d+)(?:\.(\d+))?$/, (_, whole, part = "") => whole + part.padEnd(9, "0")),
  );
  const each = nanos / BigInt(Math.max(1, days));
  const text = `${each / 1_000_000_000n}.${String(each % 1_000_000_000n).padStart(9, "0")}`;
  return formatMoneyShort(text, language, 2);
}
