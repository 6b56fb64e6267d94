import { useWords } from "../words/language-provider.tsx";
import { type Series, totalsOf } from "./bar-geometry.ts";
import { partWords } from "./part-words.ts";
import { ScrollRegion } from "./scroll-region.tsx";

type Props = {
  title: string;
  labels: readonly string[];
  series: readonly Series[];
  show: (value: number) => string;
  totalText?: (bucket: number) => string;
  /** What a bar stands for, where it is no day. */
  bucketName?: string;
};

const cell = "border-line border-b px-2.5 py-1.5 text-right tabular-nums whitespace-nowrap";

/** A chart's figures as a table, for who reads rather than looks. */
export function ChartTable({ title, labels, series, show, totalText, bucketName }: Props) {
  const say = useWords(partWords);
  const totals = totalsOf(series, labels.length);
  return (
    <ScrollRegion label={title} className="max-h-72 text-sm">
      <table className="w-full border-collapse">
        <thead className="sticky top-0 bg-panel">
          <tr>
            <th scope="col" className={`${cell} text-left!`}>
              {bucketName ?? say("day")}
            </th>
            {series.map(({ id, name }) => (
              <th
                key={id}
                scope="col"
                title={name}
                className={`${cell} max-w-48 truncate font-medium text-ink-2`}
              >
                {name}
              </th>
            ))}
            {series.length > 1 ? (
              <th scope="col" className={cell}>
                {say("total")}
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, at) => (
            <tr key={label}>
              <th scope="row" className={`${cell} text-left! font-normal text-ink-2`}>
                {label}
              </th>
              {series.map(one => (
                <td key={one.id} className={cell}>
                  {one.texts?.[at] ?? show(one.values[at] ?? 0)}
                </td>
              ))}
              {series.length > 1 ? (
                <td className={`${cell} font-medium`}>{totalText?.(at) ?? show(totals[at] ?? 0)}</td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
