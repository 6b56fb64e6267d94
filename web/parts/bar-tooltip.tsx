import { useWords } from "../words/language-provider.tsx";
import type { Series } from "./bar-geometry.ts";
import { partWords } from "./part-words.ts";
import { seriesColour } from "./series-colour.ts";

type Props = {
  labels: readonly string[];
  series: readonly Series[];
  show: (value: number) => string;
  totalText?: (bucket: number) => string;
  restId?: string;
  at: number;
  total: number;
};

/** The figures of one bar, beside it and read out. */
export function BarTooltip({ labels, series, show, totalText, restId, at, total }: Props) {
  const say = useWords(partWords);
  const isRight = at > labels.length / 2;
  const place = ((at + (isRight ? 0 : 1)) / labels.length) * 100;
  const lines = series
    .map((one, index) => ({ ...one, index, value: one.values[at] ?? 0 }))
    .filter(({ value }) => value !== 0)
    .reverse();
  return (
    <div
      role="status"
      className="floating pointer-events-none absolute top-1 z-10 grid min-w-36 max-w-64 gap-1 px-3 py-2 text-xs"
      style={isRight ? { right: `calc(${100 - place}% + 6px)` } : { left: `calc(${place}% + 6px)` }}
    >
      <p className="font-medium">{labels[at]}</p>
      {lines.map(line => (
        <p key={line.id} className="flex items-center justify-between gap-3">
          <span className="flex min-w-0 items-center gap-1.5 text-ink-2">
            <i
              className="size-2 shrink-0 rounded-[2px]"
              style={{ background: seriesColour(line.index, line.id === restId) }}
            />
            <span className="truncate">{line.name}</span>
          </span>
          <span className="tabular-nums">{line.texts?.[at] ?? show(line.value)}</span>
        </p>
      ))}
      {lines.length === 1 ? null : (
        <p className="flex justify-between gap-3 font-medium">
          <span>{say("total")}</span>
          <span className="tabular-nums">{totalText?.(at) ?? show(total)}</span>
        </p>
      )}
    </div>
  );
}
