import { useWords } from "../../words/language-provider.tsx";
import { chartWords } from "../usage/chart-words.ts";
import { UsageChart } from "../usage/usage-chart.tsx";
import { houseChartWords } from "./chart-words.ts";
import type { HouseSummary } from "./house-row.ts";
import { useHouseSearch } from "./use-house-search.ts";
import { words } from "./words.ts";

const COUNTS = [
  { value: "tokens", word: "measureTokens", day: "chartDayTokens", hour: "chartHourTokens" },
  { value: "requests", word: "measureRequests", day: "chartDayRequests", hour: "chartHourRequests" },
  { value: "errors", word: "measureErrors", day: "chartDayErrors", hour: "chartHourErrors" },
] as const;

const MONEY = [
  { value: "cost", word: "charged", day: "chartDayCharged", hour: "chartHourCharged" },
  { value: "our_cost", word: "ourCost", day: "chartDayOurCost", hour: "chartHourOurCost" },
  { value: "margin", word: "margin", day: "chartDayMargin", hour: "chartHourMargin" },
] as const;

/** The chart over all accounts, split by whoever asked or answered. */
export function HouseChart({ summary }: { summary: HouseSummary | undefined }) {
  const say = useWords(words);
  const chart = useWords(houseChartWords);
  const usual = useWords(chartWords);
  const { search, change } = useHouseSearch();
  const measures = [
    ...MONEY.map(({ value, word, day, hour }) => ({
      value,
      label: say(word),
      title: { day: chart(day), hour: chart(hour) },
    })),
    ...COUNTS.map(({ value, word, day, hour }) => ({
      value,
      label: usual(word),
      title: { day: usual(day), hour: usual(hour) },
    })),
  ];
  return (
    <UsageChart
      summary={summary}
      measure={search.chart ?? "cost"}
      measures={measures}
      onMeasure={value => change({ chart: value === "cost" ? undefined : value })}
      by={search.by ?? "account"}
      splits={[
        { value: "account", label: chart("byAccount"), told: chart("chartByAccount") },
        { value: "upstream", label: chart("byUpstream"), told: chart("chartByUpstream") },
        { value: "model", label: usual("byModel"), told: usual("chartByModel") },
      ]}
      onBy={value => change({ by: value === "account" ? undefined : value })}
    />
  );
}
