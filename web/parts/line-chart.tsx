import { lazy, Suspense } from "react";
import { ChartLegend } from "./chart-legend.tsx";
import { ChartTable } from "./chart-table.tsx";
import { seriesColour } from "./series-colour.ts";
import { Skeleton } from "./skeleton.tsx";

export type LineSeries = { id: string; name: string; values: readonly number[] };

export type LineChartProps = {
  title: string;
  /** In milliseconds since 1970. */
  times: readonly number[];
  /** One for each time, for the table. */
  labels: readonly string[];
  series: readonly LineSeries[];
  show: (value: number) => string;
  height?: number;
  asTable?: boolean;
};

const Plot = lazy(async () => ({ default: (await import("./line-plot.tsx")).LinePlot }));

/** Many points over time. The drawing library is fetched when the first one is shown. */
export function LineChart(props: LineChartProps) {
  const { height = 160, series } = props;
  if (props.asTable) return <ChartTable {...props} />;
  return (
    <div>
      <div role="img" aria-label={props.title}>
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <Plot {...props} height={height} />
        </Suspense>
      </div>
      {series.length > 1 ? (
        <ChartLegend entries={series.map(({ id, name }, at) => ({ id, name, colour: seriesColour(at) }))} />
      ) : null}
    </div>
  );
}
