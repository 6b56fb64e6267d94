import { useWords } from "../../words/language-provider.tsx";
import type { Summary } from "./chart-series.ts";
import { chartWords } from "./chart-words.ts";
import { UsageChart } from "./usage-chart.tsx";
import { useUsageSearch } from "./use-usage-search.ts";

const MEASURES = [
  { value: "cost", word: "measureCost", day: "chartDayCost", hour: "chartHourCost" },
  { value: "tokens", word: "measureTokens", day: "chartDayTokens", hour: "chartHourTokens" },
  { value: "requests", word: "measureRequests", day: "chartDayRequests", hour: "chartHourRequests" },
  { value: "errors", word: "measureErrors", day: "chartDayErrors", hour: "chartHourErrors" },
] as const;

/** The chart of a holder's own usage, by key or model. */
export function OwnChart({ summary }: { summary: Summary | undefined }) {
  const say = useWords(chartWords);
  const { search, change } = useUsageSearch();
  return (
    <UsageChart
      summary={summary}
      measure={search.chart ?? "cost"}
      measures={MEASURES.map(({ value, word, day, hour }) => ({
        value,
        label: say(word),
        title: { day: say(day), hour: say(hour) },
      }))}
      onMeasure={value => change({ chart: value === "cost" ? undefined : value })}
      by={search.by ?? "key"}
      splits={[
        { value: "key", label: say("byKey"), told: say("chartByKey") },
        { value: "model", label: say("byModel"), told: say("chartByModel") },
      ]}
      onBy={value => change({ by: value === "key" ? undefined : value })}
    />
  );
}
