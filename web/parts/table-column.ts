import type { ReactNode } from "react";

/** Where a cell stands when rows become cards on a phone. */
export type CardPlace = "title" | "aside" | "line" | "foot" | "hide";

export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Sortable by this where given; null comes last either way. */
  sort?: (row: Row) => string | number | null;
  /** The first click sorts downwards: for amounts and times. */
  descFirst?: boolean;
  align?: "left" | "right";
  /** `line` unless said. */
  card?: CardPlace;
  /** The header is for screen readers alone, as over a column of buttons. */
  hideHeader?: boolean;
  /** A CSS width. */
  width?: string;
};

export type Sorting = { id: string; desc: boolean };

export function compareValues(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
}

/** One way, then the other, then as the rows came. */
export function nextSorting(now: Sorting | null, by: { id: string; descFirst: boolean }): Sorting | null {
  if (now?.id !== by.id) return { id: by.id, desc: by.descFirst };
  return now.desc === by.descFirst ? { id: by.id, desc: !by.descFirst } : null;
}

/** The last column: what can be done with a row. */
export const ACTIONS = { id: "actions", hideHeader: true, align: "right", card: "aside" } as const;
