import { type PointerEvent, useId, useState } from "react";
import { useWords } from "../words/language-provider.tsx";
import { BarDrawing } from "./bar-drawing.tsx";
import { reachOf, type Series, scaleOf, totalsOf } from "./bar-geometry.ts";
import { BarTooltip } from "./bar-tooltip.tsx";
import { ChartLegend } from "./chart-legend.tsx";
import { ChartTable } from "./chart-table.tsx";
import { ChartTicks } from "./chart-ticks.tsx";
import { partWords } from "./part-words.ts";
import { seriesColour } from "./series-colour.ts";

export type { Series };

type Props = {
  title: string;
  /** One sentence of what it shows. */
  description: string;
  /** One for each bar, as it is read out: “3 Nov 2026”. */
  labels: readonly string[];
  /** One for each bar, as it stands under it; every few are shown. */
  ticks?: readonly string[];
  series: readonly Series[];
  /** How a value is written; totals and the scale too. */
  show: (value: number) => string;
  /** The exact total of a bar, where values are only drawn. */
  totalText?: (bucket: number) => string;
  /** The id of the series that is all the others together. */
  restId?: string;
  height?: number;
  asTable?: boolean;
  /** What a bar stands for, where it is no day. */
  bucketName?: string;
};

/** Stacked bars. The arrow keys go from bar to bar and the figures are read out; the same figures as a table. */
export function BarChart(props: Props) {
  const { labels, series, height = 160, show } = props;
  const id = useId();
  const say = useWords(partWords);
  const [at, setAt] = useState<number | null>(null);
  if (props.asTable) return <ChartTable {...props} />;
  const totals = totalsOf(series, labels.length);
  const reach = reachOf(series, labels.length);
  const total = (bucket: number) => props.totalText?.(bucket) ?? show(totals[bucket] ?? 0);
  const onPointer = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const bucket = Math.floor(((event.clientX - box.left) / box.width) * labels.length);
    setAt(Math.min(labels.length - 1, Math.max(0, bucket)));
  };
  const last = Math.max(0, labels.length - 1);
  return (
    <figure aria-labelledby={`${id}-title`}>
      <figcaption id={`${id}-title`} className="sr-only">
        {`${props.title}. ${props.description}`}
      </figcaption>
      <div className="flex gap-2">
        <div
          aria-hidden
          className="grid w-fit min-w-8 items-start text-right text-[11px] text-ink-3 tabular-nums leading-none"
          style={{ height }}
        >
          {scaleOf(reach).map(({ value, share }) => (
            <span
              key={share}
              className="col-start-1 row-start-1"
              style={{ transform: `translateY(calc(${share * height}px - ${share * 100}%))` }}
            >
              {show(value)}
            </span>
          ))}
        </div>
        <div className="relative min-w-0 flex-1">
          {/* What takes the pointer and the arrow keys; its value is the bar in sight. */}
          <input
            type="range"
            min={0}
            max={last}
            value={at ?? last}
            aria-label={`${props.title}. ${say("chartHint")}`}
            aria-valuetext={`${labels[at ?? last] ?? ""}: ${total(at ?? last)}`}
            onChange={event => setAt(Number(event.target.value))}
            onFocus={event => event.target.matches(":focus-visible") && setAt(at ?? last)}
            onBlur={() => setAt(null)}
            onKeyDown={event => event.key === "Escape" && setAt(null)}
            onPointerMove={onPointer}
            onPointerDown={onPointer}
            onPointerLeave={() => setAt(null)}
            className="peer absolute inset-x-0 top-0 z-10 m-0 w-full cursor-crosshair touch-pan-y opacity-0"
            style={{ height }}
          />
          <div className="rounded-sm outline-offset-2 peer-focus-visible:outline-2 peer-focus-visible:outline-accent">
            <BarDrawing
              series={series}
              buckets={labels.length}
              reach={reach}
              height={height}
              at={at}
              {...(props.restId === undefined ? {} : { restId: props.restId })}
            />
          </div>
          {at === null ? null : <BarTooltip {...props} at={at} total={totals[at] ?? 0} />}
          <ChartTicks ticks={props.ticks ?? labels} />
        </div>
      </div>
      {series.length > 1 ? (
        <ChartLegend
          entries={series.map(({ id: key, name }, place) => ({
            id: key,
            name,
            colour: seriesColour(place, key === props.restId),
          }))}
        />
      ) : null}
    </figure>
  );
}
