import type { MouseEvent } from "react";
import { classNames } from "./class-names.ts";
import type { Column } from "./table-column.ts";

type Props<Row> = {
  row: Row;
  columns: readonly Column<Row>[];
  isOpen: boolean;
  /** One row of the list is reached by Tab, the others from there by arrows. */
  isReachable: boolean;
  onOpen?: (row: Row) => void;
  onFocus: () => void;
  className?: string | undefined;
};

/** A click on a button or link inside, or one that ends a selection of text, is not meant for the row. */
function isForRow(event: MouseEvent<HTMLElement>): boolean {
  const { target } = event;
  if (!(target instanceof Element) || !event.currentTarget.contains(target)) return false;
  if (target.closest("a, button, input, label, select, [role='menuitem']") !== null) return false;
  return (window.getSelection()?.toString() ?? "") === "";
}

export function TableRow<Row>({ row, columns, isOpen, isReachable, onOpen, onFocus, className }: Props<Row>) {
  return (
    <tr
      data-row
      tabIndex={isReachable ? 0 : -1}
      aria-current={isOpen || undefined}
      onFocus={event => event.target === event.currentTarget && onFocus()}
      onClick={event => isForRow(event) && onOpen?.(row)}
      onKeyDown={event => {
        if (event.target !== event.currentTarget || event.key !== "Enter") return;
        event.preventDefault();
        onOpen?.(row);
      }}
      className={classNames(
        "border-line border-b outline-offset-[-2px] transition-colors last:border-b-0",
        onOpen !== undefined && "cursor-pointer",
        isOpen ? "bg-accent-soft" : "hover:bg-sunken",
        className,
      )}
    >
      {columns.map(column => (
        <td
          key={column.id}
          data-card={column.card ?? "line"}
          data-label={column.hideHeader ? undefined : column.header}
          className={classNames(
            "px-3.5 py-[11px] align-middle",
            column.align === "right" && "text-right tabular-nums",
          )}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}
