import type { Answer } from "../../api/client.ts";
import { dateFormat, numberFormat } from "../../format/formats.ts";
import { addMoney, formatMoney, formatMoneyShort, moneyToDraw } from "../../format/money.ts";
import { formatCompact, formatCount } from "../../format/number.ts";
import { formatTime } from "../../format/time.ts";
import type { Series } from "../../parts/bar-geometry.ts";
import { type Language, LOCALE } from "../../words/language.ts";

export type Summary = Answer<"GET /usage/summary">;
export type Measure = "cost" | "tokens" | "requests" | "errors";

export const REST_ID = "rest";
const AXIS_DIGITS = 3;

type Drawn = {
  series: Series[];
  /** As the scale writes it. */
  show: (value: number) => string;
  /** The exact sum of one bar. */
  totalText: (bucket: number) => string;
};

/** The series of a summary as bars; those that have nothing of what is drawn are left out. */
export function drawnSeries(
  summary: Summary,
  { measure, language, rest }: { measure: Measure; language: Language; rest: string },
): Drawn {
  const isMoney = measure === "cost";
  const all = summary.series.map((one): Series => {
    const values = isMoney ? one.cost_usd.map(moneyToDraw) : one[measure];
    const named = { id: one.id ?? REST_ID, name: one.name ?? rest, values };
    return isMoney ? { ...named, texts: one.cost_usd.map(usd => formatMoney(usd, language)) } : named;
  });
  const total = (bucket: number) => {
    if (isMoney) {
      return formatMoney(addMoney(summary.series.map(({ cost_usd }) => cost_usd[bucket] ?? "0")), language);
    }
    const counts = summary.series.map(one => one[measure][bucket] ?? 0);
    return formatCount(
      counts.reduce((sum, count) => sum + count, 0),
      language,
    );
  };
  return {
    series: all.filter(({ values }) => values.some(value => value > 0)),
    show: value => (isMoney ? `$${axisNumber(value, language)}` : axisCount(value, language)),
    totalText: total,
  };
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
