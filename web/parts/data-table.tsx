import {
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo, useState } from "react";
import { classNames } from "./class-names.ts";
import { ErrorState } from "./error-state.tsx";
import { type Column, compareValues, nextSorting, type Sorting } from "./table-column.ts";
import { TableHeader } from "./table-header.tsx";
import { TableRow } from "./table-row.tsx";
import { TableSkeleton } from "./table-skeleton.tsx";
import { useRowKeys } from "./use-row-keys.ts";

export type { Column, Sorting };

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

type Props<Row extends object> = {
  /** What is listed, read out before it. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while they are not there yet. */
  rows: readonly Row[] | undefined;
  getId: (row: Row) => string;
  /** Enter or a click opens a row. */
  onOpen?: (row: Row) => void;
  openId?: string | null;
  error?: unknown;
  onRetry?: () => void;
  /** What stands here when there are none. */
  empty: ReactNode;
  initialSort?: Sorting | undefined;
  /** Told when a header is clicked; null: as the rows came. */
  onSort?: (sorting: Sorting | null) => void;
  /** Under the last row, such as “Load more”. */
  footer?: ReactNode;
  skeletonRows?: number;
  /** More classes for a row, such as one that has just come in. */
  rowClass?: (row: Row) => string | undefined;
};

const NONE: never[] = [];

/** A list: sorted by its headers, walked by the arrow keys, cards on a phone, with its loading, empty and error states. */
export function DataTable<Row extends object>(props: Props<Row>) {
  const { rows, columns, getId } = props;
  const definitions = useMemo(
    () =>
      columns.map(column => ({
        id: column.id,
        accessorFn: (row: Row) => column.sort?.(row) ?? undefined,
        enableSorting: column.sort !== undefined,
        sortDescFirst: column.descFirst ?? false,
        sortUndefined: "last" as const,
        sortFn: (
          a: { getValue: (id: string) => unknown },
          b: { getValue: (id: string) => unknown },
          id: string,
        ) => compareValues(a.getValue(id) as string | number, b.getValue(id) as string | number),
      })),
    [columns],
  );
  const [sorting, setSorting] = useState<Sorting | null>(props.initialSort ?? null);
  const table = useTable({
    features,
    columns: definitions,
    data: (rows ?? NONE) as Row[],
    getRowId: getId,
    state: { sorting: useMemo<SortingState>(() => (sorting === null ? [] : [sorting]), [sorting]) },
    enableMultiSort: false,
  });
  const sortBy = (id: string) => {
    const descFirst = columns.find(column => column.id === id)?.descFirst ?? false;
    const next = nextSorting(sorting, { id, descFirst });
    setSorting(next);
    props.onSort?.(next);
  };
  const sorted = table.getRowModel().rows.map(row => row.original);
  const keys = useRowKeys(sorted.length);

  if (rows === undefined && props.error !== undefined && props.error !== null) {
    return (
      <ErrorState error={props.error} {...(props.onRetry === undefined ? {} : { onRetry: props.onRetry })} />
    );
  }
  if (rows !== undefined && rows.length === 0) return props.empty;
  return (
    <>
      <div className="overflow-x-auto phone:overflow-visible">
        <table className={classNames("cards w-full border-collapse")} aria-busy={rows === undefined}>
          <caption className="sr-only">{props.label}</caption>
          <TableHeader columns={columns} sorting={sorting} onSort={sortBy} />
          {rows === undefined ? (
            <TableSkeleton columns={columns} rows={props.skeletonRows ?? 5} />
          ) : (
            <tbody ref={keys.ref} onKeyDown={keys.onKeyDown}>
              {sorted.map((row, at) => (
                <TableRow
                  key={getId(row)}
                  row={row}
                  columns={columns}
                  isOpen={props.openId === getId(row)}
                  className={props.rowClass?.(row)}
                  isReachable={at === keys.at}
                  onFocus={() => keys.setAt(at)}
                  {...(props.onOpen === undefined ? {} : { onOpen: props.onOpen })}
                />
              ))}
            </tbody>
          )}
        </table>
      </div>
      {props.footer}
    </>
  );
}
