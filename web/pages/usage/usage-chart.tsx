import { ChartColumn, Table } from "lucide-react";
import { useMemo, useState } from "react";
import { BarChart } from "../../parts/bar-chart.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { bucketText, drawnSeries, type Measure, REST_ID, type Summary } from "./chart-series.ts";
import { useUsageSearch } from "./use-usage-search.ts";
import { words } from "./words.ts";

const MEASURES = [
  { value: "cost", word: "measureCost" },
  { value: "tokens", word: "measureTokens" },
  { value: "requests", word: "measureRequests" },
  { value: "errors", word: "measureErrors" },
] as const;

const TITLES = {
  day: {
    cost: "chartDayCost",
    tokens: "chartDayTokens",
    requests: "chartDayRequests",
    errors: "chartDayErrors",
  },
  hour: {
    cost: "chartHourCost",
    tokens: "chartHourTokens",
    requests: "chartHourRequests",
    errors: "chartHourErrors",
  },
} as const;

const HEIGHT = 168;

export function UsageChart({ summary }: { summary: Summary | undefined }) {
  const say = useWords(words);
  const { search, change } = useUsageSearch();
  const [asTable, setAsTable] = useState(false);
  const measure: Measure = search.chart ?? "cost";
  const by = search.by ?? "key";
  const title = say(TITLES[summary?.bucket ?? "day"][measure]);
  return (
    <section aria-label={title} className="panel mb-3.5 px-4 pt-3.5 pb-3">
      <header className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold text-lg">{title}</h2>
        <div className="flex max-w-full flex-wrap items-center gap-2">
          <Segmented
            label={say("measure")}
            value={measure}
            onChange={value => change({ chart: value === "cost" ? undefined : value })}
            options={MEASURES.map(({ value, word }) => ({ value, label: say(word) }))}
          />
          <Segmented
            label={say("splitBy")}
            value={by}
            onChange={value => change({ by: value === "key" ? undefined : value })}
            options={[
              { value: "key", label: say("byKey") },
              { value: "model", label: say("byModel") },
            ]}
          />
          <IconButton
            label={say(asTable ? "asChart" : "asTable")}
            icon={asTable ? <ChartColumn size={16} aria-hidden /> : <Table size={16} aria-hidden />}
            pressed={asTable}
            onClick={() => setAsTable(!asTable)}
          />
        </div>
      </header>
      {summary === undefined ? (
        <Skeleton className="h-[188px] w-full" />
      ) : (
        <Bars summary={summary} measure={measure} title={title} by={by} asTable={asTable} />
      )}
    </section>
  );
}

type BarsProps = {
  summary: Summary;
  measure: Measure;
  title: string;
  by: "key" | "model";
  asTable: boolean;
};

function Bars({ summary, measure, title, by, asTable }: BarsProps) {
  const say = useWords(words);
  const { language } = say;
  const { bucket, buckets } = summary;
  const rest = say("rest");
  const drawn = useMemo(
    () => drawnSeries(summary, { measure, language, rest }),
    [summary, measure, language, rest],
  );
  const isElsewhere = bucket === "day" && new Date(buckets[0] ?? 0).getTimezoneOffset() !== 0;
  const text = (at: string, isLong: boolean) => bucketText(at, { bucket, language, isLong });
  const description = [say(by === "key" ? "chartByKey" : "chartByModel"), isElsewhere ? say("utcDays") : ""];
  return (
    <div className="relative">
      <BarChart
        title={title}
        description={description.filter(Boolean).join(". ")}
        labels={buckets.map(at => text(at, true))}
        ticks={buckets.map(at => text(at, false))}
        series={drawn.series}
        show={drawn.show}
        totalText={drawn.totalText}
        restId={REST_ID}
        height={HEIGHT}
        asTable={asTable}
        {...(bucket === "hour" ? { bucketName: say("hour") } : {})}
      />
      {drawn.series.length > 0 || asTable ? null : (
        <p className="pointer-events-none absolute inset-x-0 top-[72px] text-center text-ink-3">
          <span className="bg-panel px-3">{say("chartNone")}</span>
        </p>
      )}
      {isElsewhere ? <p className="mt-1 text-ink-3 text-xs">{say("utcDays")}</p> : null}
    </div>
  );
}
