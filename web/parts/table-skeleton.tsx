import { useWords } from "../words/language-provider.tsx";
import { partWords } from "./part-words.ts";
import { Skeleton } from "./skeleton.tsx";
import type { Column } from "./table-column.ts";

const WIDTHS = ["w-32", "w-20", "w-16", "w-24", "w-14", "w-28"];

export function TableSkeleton<Row>({ columns, rows }: { columns: readonly Column<Row>[]; rows: number }) {
  const say = useWords(partWords);
  return (
    <tbody>
      {Array.from({ length: rows }, (_, at) => `row-${at}`).map((id, at) => (
        <tr key={id} className="border-line border-b last:border-b-0">
          {columns.map((column, place) => (
            <td key={column.id} data-card={column.card ?? "line"} className="h-[57px] px-3.5">
              {at === 0 && place === 0 ? (
                <span role="status" className="sr-only">
                  {say("loading")}
                </span>
              ) : null}
              <Skeleton className={`h-3.5 max-w-full ${WIDTHS[(at + place) % WIDTHS.length] ?? ""}`} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
