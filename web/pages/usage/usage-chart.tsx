import { ChartColumn, Table } from "lucide-react";
import { useMemo, useState } from "react";
import { BarChart } from "../../parts/bar-chart.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { bucketText, type Drawable, drawnSeries, type Measure, REST_ID } from "./chart-series.ts";
import { chartWords } from "./chart-words.ts";

const HEIGHT = 168;

type Props<M extends Measure, B extends string> = {
  summary: Drawable | undefined;
  measure: M;
  /** What can be drawn, with the title of its chart. */
  measures: readonly { value: M; label: string; title: Record<Drawable["bucket"], string> }[];
  onMeasure: (measure: M) => void;
  by: B;
  /** What it can be split by, and how that is told to who does not see it. */
  splits: readonly { value: B; label: string; told: string }[];
  onBy: (by: B) => void;
};

export function UsageChart<M extends Measure, B extends string>(props: Props<M, B>) {
  const { summary, measure, measures, by, splits } = props;
  const say = useWords(chartWords);
  const [asTable, setAsTable] = useState(false);
  const chosen = measures.find(({ value }) => value === measure);
  const title = chosen?.title[summary?.bucket ?? "day"] ?? "";
  return (
    <section aria-label={title} className="panel mb-3.5 px-4 pt-3.5 pb-3">
      <header className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold text-lg">{title}</h2>
        <div className="flex max-w-full flex-wrap items-center gap-2">
          <Segmented
            label={say("measure")}
            value={measure}
            onChange={props.onMeasure}
            options={measures.map(({ value, label }) => ({ value, label }))}
          />
          <Segmented
            label={say("splitBy")}
            value={by}
            onChange={props.onBy}
            options={splits.map(({ value, label }) => ({ value, label }))}
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
        <Bars
          summary={summary}
          measure={measure}
          title={title}
          told={splits.find(({ value }) => value === by)?.told ?? ""}
          asTable={asTable}
        />
      )}
    </section>
  );
}

type BarsProps = { summary: Drawable; measure: Measure; title: string; told: string; asTable: boolean };

function Bars({ summary, measure, title, told, asTable }: BarsProps) {
  const say = useWords(chartWords);
  const { language } = say;
  const { bucket, buckets } = summary;
  const rest = say("rest");
  const drawn = useMemo(
    () => drawnSeries(summary, { measure, language, rest }),
    [summary, measure, language, rest],
  );
  const isElsewhere = bucket === "day" && new Date(buckets[0] ?? 0).getTimezoneOffset() !== 0;
  const text = (at: string, isLong: boolean) => bucketText(at, { bucket, language, isLong });
  return (
    <div className="relative">
      <BarChart
        title={title}
        description={[told, isElsewhere ? say("utcDays") : ""].filter(Boolean).join(". ")}
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
