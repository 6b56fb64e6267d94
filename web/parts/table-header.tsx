import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { classNames } from "./class-names.ts";
import type { Column, Sorting } from "./table-column.ts";

type Props<Row> = {
  columns: readonly Column<Row>[];
  sorting: Sorting | null;
  onSort: (id: string) => void;
};

export function TableHeader<Row>({ columns, sorting, onSort }: Props<Row>) {
  return (
    <thead>
      <tr>
        {columns.map(column => {
          const direction =
            sorting?.id === column.id ? (sorting.desc ? "descending" : "ascending") : undefined;
          return (
            <th
              key={column.id}
              scope="col"
              aria-sort={direction}
              style={column.width === undefined ? undefined : { width: column.width }}
              className={classNames(
                "whitespace-nowrap border-line border-b px-3.5 py-[9px] font-medium text-ink-3 text-xs",
                column.align === "right" ? "text-right" : "text-left",
              )}
            >
              {column.hideHeader ? (
                <span className="sr-only">{column.header}</span>
              ) : column.sort === undefined ? (
                column.header
              ) : (
                <button
                  type="button"
                  onClick={() => onSort(column.id)}
                  className={classNames(
                    "group/sort -mx-1 inline-flex items-center align-top gap-1 rounded-sm px-1 hover:text-ink",
                    direction !== undefined && "text-ink",
                    column.align === "right" && "flex-row-reverse",
                  )}
                >
                  {column.header}
                  <SortSign direction={direction} />
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function SortSign({ direction }: { direction: "ascending" | "descending" | undefined }) {
  if (direction === "ascending") return <ArrowUp size={12} aria-hidden />;
  if (direction === "descending") return <ArrowDown size={12} aria-hidden />;
  return (
    <ChevronsUpDown
      size={12}
      aria-hidden
      className="opacity-0 transition-opacity group-hover/sort:opacity-70 group-focus-visible/sort:opacity-70"
    />
  );
}
